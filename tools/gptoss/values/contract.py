"""The values contract of the chart, as a typed model.

``charts/gpt-oss/values.schema.json`` and the values reference in the chart's README are generated
from it. It is closed: a key that is not here is refused by Helm itself, except inside the maps
that the field's description calls an escape hatch.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, WithJsonSchema

from gptoss.values.job_values import AccuracyValues, BenchmarkValues, Workload
from gptoss.values.pod_values import (
    FACTS,
    Closed,
    Count,
    Free,
    FrontendValues,
    Name,
    PodOptions,
    Quantity,
    ShutdownValues,
    Strings,
    Worker,
)

ReleaseName = Annotated[str, WithJsonSchema({"enum": list(FACTS.releases)})]
GpuName = Annotated[str, WithJsonSchema({"enum": list(FACTS.gpus)})]


class Runtime(Closed):
    """What serves the model."""

    kind: Literal["dynamo", "trtllm-serve"] = Field(
        "dynamo",
        description="NVIDIA Dynamo with TensorRT-LLM workers, or one server of TensorRT-LLM's own.",
    )
    release: ReleaseName = Field(
        FACTS.default_release.version,
        description="Dynamo release. Image tag, API version and flag spelling follow from it; "
        "trtllm-serve is of the TensorRT-LLM that it ships.",
    )
    image: str | None = Field(
        None,
        description="Image of every container; derived from the release when null. Under "
        "trtllm-serve it is that of the server, the download and helm test.",
    )
    image_pull_policy: Literal["IfNotPresent", "Always", "Never"] = Field(
        "IfNotPresent", description="When the image is pulled."
    )
    api_version: Literal["v1alpha1", "v1beta1"] | None = Field(
        None,
        description="Version of the DynamoGraphDeployment; v1alpha1 before release 1.5 and "
        "v1beta1 from then on when null.",
    )


class ModelValues(Closed):
    """The model that is served."""

    id: str = Field("openai/gpt-oss-120b", description="Repository on the Hugging Face hub.")
    revision: Annotated[str, StringConstraints(pattern="^[0-9a-f]{40}$")] = Field(
        FACTS.models["openai/gpt-oss-120b"].revision,
        description="Commit of the repository; the cache is filled with it and served from it.",
    )
    served_name: str | None = Field(
        None, description="Name that clients ask for; the repository's id when null."
    )


class Rdma(Closed):
    """How the KV cache travels between pods."""

    resource: str | None = Field(
        None,
        description="Resource of the cluster's RDMA device plugin, as in rdma/ib. Prefill and "
        "decode workers and those on several nodes ask for one a GPU. Without it the KV cache goes "
        "over TCP, between pods of one node too, for they cannot open each other's GPU memory.",
    )
    lock_memory: bool = Field(
        True,
        description="Run these workers as root with IPC_LOCK, which pins memory beyond the node's "
        "limit and which only a privileged namespace admits. false where the nodes' container "
        "runtime has LimitMEMLOCK=infinity: then they pass the restricted standard.",
    )


class Hardware(Closed):
    """Where workers run."""

    gpu: GpuName | None = Field(
        None, description="Kind of GPU; node selection and tolerations follow from it."
    )
    node_selector: Strings | None = Field(
        None, description="Labels of GPU nodes; derived from the GPU when null."
    )
    affinity: Free | None = Field(
        None, description="Affinity of workers; derived from the GPU when null. Escape hatch."
    )
    tolerations: list[Free] | None = Field(
        None,
        description="Taints that every pod tolerates; derived from the GPU when null. "
        "Escape hatch.",
    )
    rdma: Rdma = Field(default_factory=Rdma, description="How the KV cache travels between pods.")


class Quantization(Closed):
    """How the experts' activations are quantised."""

    override: Literal["W4A16_MXFP4", "W4A8_MXFP4_MXFP8", "W4A8_MXFP4_FP8"] | None = Field(
        None,
        description="OVERRIDE_QUANT_ALGO of every worker; TensorRT-LLM chooses by GPU when null.",
    )


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


class PodMonitor(Closed):
    """A PodMonitor of the Prometheus operator."""

    enabled: bool = Field(
        False,
        description="Make one for the server of trtllm-serve, which needs return_perf_metrics in "
        "its engine; the Dynamo platform brings its own.",
    )
    interval: Annotated[str, StringConstraints(pattern="^[1-9][0-9]*(ms|s|m|h)$")] | None = Field(
        None, description="How often to scrape; Prometheus' own interval when null."
    )
    labels: Strings = Field(
        default_factory=dict,
        description="Labels that the cluster's Prometheus selects by. Escape hatch.",
    )


class Monitoring(Closed):
    """Metrics for the Prometheus operator."""

    pod_monitor: PodMonitor = Field(default_factory=PodMonitor, description="The PodMonitor.")


class TestsValues(Closed):
    """The pods of helm test."""

    image: str | None = Field(None, description="Image with python3; runtime's when null.")
    timeout_seconds: Count = Field(120, description="Seconds until a test gives up.")


class Values(Closed):
    """Values of the chart."""

    description: str = Field("", description="What the target is for, in one line.")
    runtime: Runtime = Field(default_factory=Runtime, description="What serves the model.")
    model: ModelValues = Field(default_factory=ModelValues, description="The model.")
    hardware: Hardware = Field(default_factory=Hardware, description="Where workers run.")
    workload: Workload = Field(default_factory=Workload, description="The traffic to expect.")
    workers: dict[str, Worker | None] = Field(
        default_factory=dict,
        json_schema_extra={"propertyNames": {"pattern": "^[a-z]([-a-z0-9]*[a-z0-9])?$"}},
        description="Workers by name; an aggregated target has one, named worker. null takes one "
        "away, in an overlay.",
    )
    quantization: Quantization = Field(
        default_factory=Quantization, description="Quantisation of activations."
    )
    frontend: FrontendValues = Field(
        default_factory=FrontendValues,
        description="The HTTP frontend; trtllm-serve has none.",
    )
    shutdown: ShutdownValues = Field(
        default_factory=ShutdownValues, description="How pods go that are told to."
    )
    model_cache: ModelCache = Field(default_factory=ModelCache, description="The model cache.")
    benchmark: BenchmarkValues = Field(
        default_factory=BenchmarkValues, description="The benchmark Job."
    )
    accuracy: AccuracyValues = Field(
        default_factory=AccuracyValues, description="The accuracy Job."
    )
    tests: TestsValues = Field(default_factory=TestsValues, description="Pods of helm test.")
    monitoring: Monitoring = Field(
        default_factory=Monitoring, description="Metrics for the Prometheus operator."
    )
    image_pull_secrets: list[Name] = Field(
        default_factory=list, description="Names of existing image pull Secrets."
    )
    annotations: Strings = Field(
        default_factory=dict,
        description="Annotations of the DynamoGraphDeployment or Deployment. Escape hatch.",
    )
    pod_security_context: Free = Field(
        default_factory=lambda: {
            "runAsNonRoot": True,
            "runAsUser": 1000,
            "runAsGroup": 1000,
            "fsGroup": 1000,
            "fsGroupChangePolicy": "OnRootMismatch",
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        description="Security context of every pod. Escape hatch.",
    )
    container_security_context: Free = Field(
        default_factory=lambda: {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
        },
        description="Security context of every container; hardware.rdma adds what RDMA needs to "
        "those of workers. Escape hatch.",
    )
    global_: Free = Field(
        default_factory=dict, alias="global", description="Reserved by Helm for parent charts."
    )
