"""The values contract of the chart, as a typed model.

``charts/gpt-oss/values.schema.json`` and the values reference in the chart's README are generated
from it. It is closed: a key that is not here is refused by Helm itself, except inside the maps
that the field's description calls an escape hatch.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, WithJsonSchema

from gptoss.values.access_values import (
    HttpRouteValues,
    IngressValues,
    NetworkPolicyValues,
    ServiceValues,
)
from gptoss.values.account_values import RbacValues, ServiceAccountValues
from gptoss.values.cache_values import ModelCache, PrefetchValues
from gptoss.values.component_values import FrontendValues, ShutdownValues, Worker
from gptoss.values.fabric_values import ComputeDomain, DeviceAllocation, OpenShift, Rdma
from gptoss.values.identifiers import Commit, Image, Line, ModelId, ServedName
from gptoss.values.job_values import AccuracyValues, BenchmarkValues, TestsValues, Workload
from gptoss.values.monitoring_values import Monitoring
from gptoss.values.pod_values import FACTS, Closed, Free, ReleaseName, Strings
from gptoss.values.scaling_values import AutoscalingValues, UpdateStrategy
from gptoss.values.umbrella_values import (
    Global,
    GraphValues,
    InitContainers,
    OverlayName,
    PullSecret,
    TargetName,
)

NAME_OF_COMPONENT = "^[a-z]([-a-z0-9]*[a-z0-9])?$"
NameOverride = Annotated[str, StringConstraints(pattern=NAME_OF_COMPONENT, max_length=53)]
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
    image: Image | None = Field(
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

    id: ModelId = Field("openai/gpt-oss-120b", description="Repository on the Hugging Face hub.")
    revision: Commit = Field(
        FACTS.models["openai/gpt-oss-120b"].revision,
        description="Commit of the repository; the cache is filled with it and served from it.",
    )
    served_name: ServedName | None = Field(
        None, description="Name that clients ask for; the repository's id when null."
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
    compute_domain: ComputeDomain = Field(
        default_factory=ComputeDomain, description="NVLink across nodes, on GB200 NVL72."
    )
    dra: DeviceAllocation = Field(
        default_factory=DeviceAllocation, description="GPUs by resource claim."
    )


class Quantization(Closed):
    """How the experts' activations are quantised."""

    override: Literal["W4A16_MXFP4", "W4A8_MXFP4_MXFP8", "W4A8_MXFP4_FP8"] | None = Field(
        None,
        description="OVERRIDE_QUANT_ALGO of every worker; TensorRT-LLM chooses by GPU when null.",
    )


class Values(Closed):
    """Values of the chart."""

    target: TargetName | None = Field(
        None,
        description="A target in the package; what you set is laid over it.",
    )
    overlays: list[OverlayName] = Field(
        default_factory=list,
        description="Overlays in the package, laid over the target one after the other.",
    )
    enabled: bool = Field(
        True, description="For the condition of a parent chart; without one it says nothing."
    )
    description: Line = Field("", description="What the target is for, in one line.")
    runtime: Runtime = Field(default_factory=Runtime, description="What serves the model.")
    model: ModelValues = Field(default_factory=ModelValues, description="The model.")
    hardware: Hardware = Field(default_factory=Hardware, description="Where workers run.")
    workload: Workload = Field(default_factory=Workload, description="The traffic to expect.")
    workers: dict[str, Worker | None] = Field(
        default_factory=dict,
        json_schema_extra={"propertyNames": {"pattern": NAME_OF_COMPONENT}},
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
    autoscaling: AutoscalingValues = Field(
        default_factory=AutoscalingValues,
        description="What the autoscalers of workers and frontend share.",
    )
    update_strategy: UpdateStrategy | None = Field(
        None,
        description="How pods are replaced. When null trtllm-serve takes one away before it adds "
        "one, and the operator does as it does; Grove knows but its own way.",
    )
    model_cache: ModelCache = Field(default_factory=ModelCache, description="The model cache.")
    prefetch: PrefetchValues = Field(
        default_factory=PrefetchValues, description="What is fetched ahead of an upgrade."
    )
    benchmark: BenchmarkValues = Field(
        default_factory=BenchmarkValues, description="The benchmark Job."
    )
    accuracy: AccuracyValues = Field(
        default_factory=AccuracyValues, description="The accuracy Job."
    )
    tests: TestsValues = Field(default_factory=TestsValues, description="Pods of helm test.")
    monitoring: Monitoring = Field(
        default_factory=Monitoring, description="Metrics, alerts and a dashboard."
    )
    service_account: ServiceAccountValues = Field(
        default_factory=ServiceAccountValues,
        description="Account of the chart's own pods; those of a graph have the operator's.",
    )
    rbac: RbacValues = Field(
        default_factory=RbacValues, description="What the service account may do."
    )
    init_containers: InitContainers = Field(
        default_factory=InitContainers, description="Init containers, which only wait."
    )
    service: ServiceValues = Field(
        default_factory=ServiceValues, description="The Service that clients reach."
    )
    ingress: IngressValues = Field(
        default_factory=IngressValues, description="An Ingress with the time-outs of long answers."
    )
    http_route: HttpRouteValues = Field(
        default_factory=HttpRouteValues, description="An HTTPRoute of the Gateway API."
    )
    network_policy: NetworkPolicyValues = Field(
        default_factory=NetworkPolicyValues,
        description="Network policies: nothing but what the release needs.",
    )
    image_pull_secrets: list[PullSecret] = Field(
        default_factory=list,
        description="Existing image pull Secrets: names, or maps as in {name: registry}.",
    )
    openshift: OpenShift = Field(default_factory=OpenShift, description="Red Hat OpenShift.")
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
    graph: GraphValues = Field(
        default_factory=GraphValues, description="The DynamoGraphDeployment."
    )
    components: dict[str, Free | None] = Field(
        default_factory=dict,
        json_schema_extra={"propertyNames": {"pattern": NAME_OF_COMPONENT}},
        description="Further components of the graph by name, in the words of the resource's "
        "version: a planner, an endpoint picker. Escape hatch.",
    )
    extra_objects: list[Free | str] = Field(
        default_factory=list,
        description="Further objects of the release, as maps or as text; both go through tpl. "
        "Escape hatch.",
    )
    name_override: NameOverride | None = Field(
        None,
        description="What the chart's name is replaced by in labels, and in names when this "
        "is another chart's dependency.",
    )
    fullname_override: NameOverride | None = Field(
        None, description="Name of the objects; the release's name when null."
    )
    installed: str | None = Field(
        None,
        description="What `helm get values` says of the release that is upgraded, by --set-file. "
        "Rendering then fails where Kubernetes or the operator refuses the change. For a dry run: "
        "what is installed would keep it.",
    )
    global_: Global = Field(
        default_factory=Global,
        alias="global",
        description="What a parent chart says to all its charts; to be set without one, too.",
    )
