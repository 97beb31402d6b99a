"""Values of the model cache, of what fills it, and of what is fetched ahead."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from gptoss.values.identifiers import (
    Checkpoint,
    Commit,
    Folder,
    FolderOrTop,
    HostFolder,
    Image,
    Key,
    Name,
    NameOrNone,
    Url,
)
from gptoss.values.pod_values import (
    Closed,
    Count,
    Environment,
    Free,
    PodOptions,
    Quantity,
    ReleaseName,
    Resources,
    Strings,
)


class TokenSecret(Closed):
    """An existing Secret with a Hugging Face token."""

    name: Name = Field("hf-token-secret", description="Name of the Secret.")
    key: Key = Field("HF_TOKEN", description="Key in the Secret.")


class StorageClient(Closed):
    """What fetches from an object storage: rclone."""

    image: Image | None = Field(None, description="Image with rclone; rclone's own when null.")
    existing_secret: Name | None = Field(
        None,
        description="Existing Secret whose keys become its environment, as AWS_ACCESS_KEY_ID and "
        "AWS_SECRET_ACCESS_KEY, or RCLONE_GCS_SERVICE_ACCOUNT_CREDENTIALS.",
    )
    env: Environment = Field(
        default_factory=dict,
        description="Its environment, as RCLONE_S3_ENDPOINT and RCLONE_S3_PROVIDER of a storage "
        "that is not Amazon's. Escape hatch.",
    )


class DownloadValues(PodOptions):
    """What fills the model cache and verifies it: a Job, or with hostPath a DaemonSet."""

    enabled: bool = Field(True, description="Fill the cache; one that is filled is only verified.")
    source: Checkpoint | None = Field(
        None,
        description="Folder of an object storage that holds the checkpoint's files, as in "
        "s3://bucket/gpt-oss-120b or gs://bucket/gpt-oss-120b; the hub when null.",
    )
    client: StorageClient = Field(
        default_factory=StorageClient, description="What fetches from such a source."
    )
    image: Image | None = Field(
        None, description="Image with huggingface_hub; runtime's when null."
    )
    token_secret: TokenSecret = Field(
        default_factory=TokenSecret,
        description="Hugging Face token; may be missing when the cache is filled.",
    )
    vocabulary_url: Url = Field(
        "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken",
        description="Where the harmony vocabulary is fetched if the checkpoint does not yield it.",
    )
    backoff_limit: Annotated[int, Field(ge=0)] = Field(3, description="Retries.")
    active_deadline_seconds: Count | None = Field(
        86400,
        description="Seconds after which the Job is ended, retries included; never when null.",
    )
    ttl_seconds_after_finished: Annotated[int, Field(ge=0)] | None = Field(
        None,
        description="Seconds after which a Job that has ended is deleted, with its log; never when "
        "null. What keeps the release in step, as Argo CD, then makes it again, to verify.",
    )
    on_gpu_nodes: bool = Field(
        False,
        description="Run it where workers may run: a volume that is bound where its first pod "
        "runs, as that of one zone, is then within their reach.",
    )


class ModelCache(Closed):
    """The volume with the weights and the harmony vocabulary."""

    existing_claim: Name | None = Field(
        None, description="Claim to use, alone or beside other releases; one is created when null."
    )
    host_path: HostFolder | None = Field(
        None,
        description="Folder of each GPU node to use instead of a claim, as on its NVMe disks. "
        "Every node is filled; only a privileged namespace admits it.",
    )
    image: Image | None = Field(
        None,
        description="OCI image to mount instead of a claim, which holds the checkpoint; "
        "Kubernetes 1.35, or 1.33 with the feature gate ImageVolume.",
    )
    sub_path: Folder | None = Field(
        None, description="Folder of the volume that is mounted; all of it when null."
    )
    path: FolderOrTop | None = Field(
        None,
        description="Folder in what is mounted that holds the checkpoint's files, . for all of it; "
        "the layout of the Hugging Face cache when null.",
    )
    read_only: bool = Field(
        False,
        description="Mount the existing claim or hostPath for reading only; nothing fills it.",
    )
    size: Quantity = Field("150Gi", description="Size of the claim that is created.")
    storage_class_name: NameOrNone | None = Field(
        None,
        description='Its storage class; the cluster\'s default when null, none at all when "".',
    )
    access_mode: Literal["ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"] = Field(
        "ReadWriteMany", description="Its access mode; pods on several nodes need ReadWriteMany."
    )
    volume_name: Name | None = Field(None, description="Volume that it is bound to.")
    selector: Free = Field(
        default_factory=dict, description="Labels of volumes that it may be bound to. Escape hatch."
    )
    labels: Strings = Field(default_factory=dict, description="Its labels. Escape hatch.")
    annotations: Strings = Field(default_factory=dict, description="Its annotations. Escape hatch.")
    keep: bool = Field(
        True, description="Keep the claim that was created when the release is uninstalled."
    )
    download: DownloadValues = Field(default_factory=DownloadValues, description="What fills it.")


class PrefetchValues(Closed):
    """What is fetched ahead of an upgrade, while the pods of today serve."""

    revisions: list[Commit] = Field(
        default_factory=list,
        description="Further commits of the model that the download fetches and verifies after "
        "model.revision.",
    )
    releases: list[ReleaseName] = Field(
        default_factory=list,
        description="Further releases whose image a DaemonSet pulls on the GPU nodes.",
    )
    images: list[Image] = Field(
        default_factory=list, description="Further images that it pulls there."
    )
    resources: Resources = Field(default_factory=Resources, description="CPU and memory.")
    pod_annotations: Strings = Field(
        default_factory=dict, description="Annotations of its pods. Escape hatch."
    )
    pod_labels: Strings = Field(
        default_factory=dict, description="Labels of its pods. Escape hatch."
    )
    extra_pod_spec: Free = Field(
        default_factory=dict,
        description="Fields of its pods' spec, last word. Escape hatch.",
    )
