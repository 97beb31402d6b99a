"""Values of pods: what every pod has, workers and frontend."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, WithJsonSchema
from pydantic.alias_generators import to_camel

from gptoss.facts.world import Facts

FACTS = Facts()

Quantity = Annotated[
    str | int,
    Field(description="Kubernetes quantity, as in 80Gi"),
    WithJsonSchema(
        {"type": ["string", "integer"], "pattern": r"^[0-9]+(\.[0-9]+)?(m|k|Ki|M|Mi|G|Gi|T|Ti)?$"}
    ),
]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$")]
ClaimName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]
Count = Annotated[int, Field(ge=1)]
ReleaseName = Annotated[str, WithJsonSchema({"enum": list(FACTS.releases)})]
Free = dict[str, Any]
Strings = dict[str, str]
Engine = Annotated[dict[str, Any], WithJsonSchema({"x-engine": True})]
Environment = Annotated[
    dict[str, Any],
    WithJsonSchema(
        {
            "type": "object",
            "propertyNames": {"pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},
            "additionalProperties": {
                "anyOf": [
                    {"type": ["string", "integer"]},
                    {
                        "type": "object",
                        "description": "A source, as under valueFrom",
                        "minProperties": 1,
                        "maxProperties": 1,
                    },
                    {"type": "null"},
                ]
            },
        }
    ),
]


class Closed(BaseModel):
    """A map that takes only the keys declared."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, populate_by_name=True)


class Resources(Closed):
    """CPU and memory; GPUs are derived from the engine config."""

    requests: dict[str, Quantity] = Field(
        default_factory=dict, description="What the scheduler reserves."
    )
    limits: dict[str, Quantity] = Field(default_factory=dict, description="What is not exceeded.")


class PodOptions(Closed):
    """Options that every pod of the chart has."""

    env: Environment = Field(
        default_factory=dict,
        description="Extra environment: a string, a whole number, or a source as under valueFrom. "
        "Wins over what the chart sets; null removes it. Escape hatch.",
    )
    resources: Resources = Field(default_factory=Resources, description="CPU and memory.")
    pod_annotations: Strings = Field(
        default_factory=dict, description="Annotations of the pods. Escape hatch."
    )
    pod_labels: Strings = Field(
        default_factory=dict, description="Labels of the pods. Escape hatch."
    )
    extra_volumes: list[Free] = Field(
        default_factory=list, description="Volumes of the pods. Escape hatch."
    )
    extra_volume_mounts: list[Free] = Field(
        default_factory=list, description="Volume mounts of the main container. Escape hatch."
    )
    extra_pod_spec: Free = Field(
        default_factory=dict,
        description="Fields of the pod's spec, last word: containers, init containers and volumes "
        "are merged by name, null takes a field away. Escape hatch.",
    )
    container: Free = Field(
        default_factory=dict,
        description="Fields of the main container, merged over what the chart sets: envFrom, "
        "probes, lifecycle, ports, resources.claims, securityContext; null takes one away. "
        "Escape hatch.",
    )


class ComponentOptions(PodOptions):
    """Options of a component of the graph."""

    component: Free = Field(
        default_factory=dict,
        description="Fields of the Dynamo component, in the words of the resource's version, as "
        "scalingAdapter or topologyConstraint; null takes one away. Escape hatch.",
    )


class EngineConfigMap(Closed):
    """An engine file of the user's own in the cluster."""

    name: Name = Field(description="Name of the ConfigMap.")
    key: str = Field("engine.yaml", description="Key in the ConfigMap.")


class WorkerClaim(Closed):
    """A claim by dynamic resource allocation."""

    name: ClaimName = Field(description="Name in the pod.")
    resource_claim_template_name: Name | None = Field(
        None, description="Template that each pod's claim is made from."
    )
    resource_claim_name: Name | None = Field(
        None, description="A claim that is there, which all pods of the worker share."
    )
    request: ClaimName | None = Field(
        None, description="The one request of the claim that the container gets; all when null."
    )


class Worker(ComponentOptions):
    """A worker: one engine, in any number of replicas."""

    role: Literal["aggregated", "prefill", "decode"] = Field(
        description="aggregated does both; prefill and decode come in pairs."
    )
    replicas: Annotated[int, Field(ge=0)] = Field(1, description="Engines of this kind.")
    engine_config: str | None = Field(
        None, description="TensorRT-LLM YAML under the chart's engine_configs/."
    )
    engine: Engine = Field(
        default_factory=dict,
        description='TensorRT-LLM settings merged over engineConfig; "off" is null, which Helm '
        "does not pass on from a parent chart.",
    )
    engine_config_map: EngineConfigMap | None = Field(
        None,
        description="An existing ConfigMap with the whole engine configuration, instead of "
        "engineConfig and engine; gpus has to be set beside it.",
    )
    gpus: Count | None = Field(
        None,
        description="GPUs of one replica; derived from the engine's parallel sizes when null, "
        "must agree with them otherwise.",
    )
    nodes: Count | None = Field(
        None,
        description="Nodes of one replica; as few as hold its GPUs when null. trtllm-serve has "
        "one.",
    )
    compute_domain: bool = Field(
        True,
        description="Claim the channel where hardware.computeDomain is enabled; a node has one.",
    )
    resource_claims: list[WorkerClaim] = Field(
        default_factory=list,
        description="Further devices that each pod claims, as in "
        "{name: nics, resourceClaimTemplateName: rail-nics}.",
    )
    extra_args: list[str] = Field(
        default_factory=list,
        description="Flags added to dynamo.trtllm or trtllm-serve. Sizes belong into engine. "
        "Escape hatch.",
    )
    shared_memory: Quantity | None = Field(
        None, description="Size of /dev/shm; 20Gi a GPU when null."
    )
    termination_grace_period_seconds: Count | None = Field(
        None,
        description="Seconds from a pod's end to SIGKILL; 60 more than "
        "shutdown.longestAnswerSeconds when null.",
    )


class FrontendValues(ComponentOptions):
    """The HTTP frontend with its router."""

    replicas: Annotated[int, Field(ge=0)] = Field(1, description="Frontends.")
    router_mode: Literal[
        "round-robin", "random", "power-of-two", "least-loaded", "kv", "device-aware-weighted"
    ] = Field(
        "round-robin",
        description="How requests are spread over workers; kv follows cached prefixes and turns "
        "on the workers' KV events.",
    )
    enforce_disagg: bool | None = Field(
        None,
        description="Refuse requests while no prefill worker is there, rather than silently "
        "prefill on decode workers; on for disaggregated targets when null.",
    )
    extra_args: list[str] = Field(
        default_factory=list, description="Flags added to dynamo.frontend. Escape hatch."
    )
    termination_grace_period_seconds: Count | None = Field(
        None,
        description="Seconds from a pod's end to SIGKILL; 60 more than "
        "shutdown.longestAnswerSeconds when null.",
    )


class ShutdownValues(Closed):
    """How pods go that are told to."""

    longest_answer_seconds: Count = Field(
        300,
        description="Seconds that the longest answer takes. A pod that goes takes no new "
        "requests. A Dynamo worker answers for so long, busy or not, and then cuts off what still "
        "runs; the frontend and trtllm-serve go as soon as nothing runs.",
    )
    migration_limit: Annotated[int, Field(ge=0)] | None = Field(
        None,
        description="How often an answer may go on at another worker when its own cuts it off or "
        "dies; 3 when null and there is more than one decode or aggregated worker, 0 for never.",
    )
