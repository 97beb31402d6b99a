"""Values of the model cache and of the Job that fills it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from gptoss.values.pod_values import Closed, Name, PodOptions, Quantity


class TokenSecret(Closed):
    """An existing Secret with a Hugging Face token."""

    name: Name = Field("hf-token-secret", description="Name of the Secret.")
    key: str = Field("HF_TOKEN", description="Key in the Secret.")


class DownloadValues(PodOptions):
    """The Job that fills the model cache and verifies it."""

    enabled: bool = Field(True, description="Run the Job; a filled cache is only verified.")
    image: str | None = Field(None, description="Image with huggingface_hub; runtime's when null.")
    token_secret: TokenSecret = Field(
        default_factory=TokenSecret,
        description="Hugging Face token; may be missing when the cache is filled.",
    )
    vocabulary_url: str = Field(
        "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken",
        description="Where the harmony vocabulary is fetched if the checkpoint does not yield it.",
    )
    backoff_limit: Annotated[int, Field(ge=0)] = Field(3, description="Retries.")


class ModelCache(Closed):
    """The volume with the weights and the harmony vocabulary."""

    existing_claim: Name | None = Field(None, description="Claim to use; one is created when null.")
    size: Quantity = Field("150Gi", description="Size of the claim that is created.")
    storage_class_name: str | None = Field(
        None, description="Its storage class; the cluster's default when null."
    )
    access_mode: Literal["ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"] = Field(
        "ReadWriteMany", description="Its access mode; pods on several nodes need ReadWriteMany."
    )
    keep: bool = Field(
        True, description="Keep the claim that was created when the release is uninstalled."
    )
    download: DownloadValues = Field(
        default_factory=DownloadValues, description="The Job that fills it."
    )
