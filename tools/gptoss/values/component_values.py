"""Values of what serves: workers and frontend, and how they go."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from gptoss.values.identifiers import ClaimName, EngineFile, Key, Name
from gptoss.values.pod_values import Closed, Count, Engine, Free, PodOptions, Quantity
from gptoss.values.scaling_values import Autoscaling, DisruptionBudget, FrontendAutoscaling


class ComponentOptions(PodOptions):
    """Options of a component of the graph."""

    pdb: DisruptionBudget = Field(
        default_factory=DisruptionBudget,
        description="How many of its pods may be taken away at a time.",
    )
    component: Free = Field(
        default_factory=dict,
        description="Fields of the Dynamo component, in the words of the resource's version, as "
        "scalingAdapter or topologyConstraint; null takes one away. Escape hatch.",
    )


class EngineConfigMap(Closed):
    """An engine file of the user's own in the cluster."""

    name: Name = Field(description="Name of the ConfigMap.")
    key: Key = Field("engine.yaml", description="Key in the ConfigMap.")


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
    autoscaling: Autoscaling = Field(
        default_factory=Autoscaling, description="Replicas that follow the load."
    )
    engine_config: EngineFile | None = Field(
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
    autoscaling: FrontendAutoscaling = Field(
        default_factory=FrontendAutoscaling, description="Replicas that follow the load."
    )
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
