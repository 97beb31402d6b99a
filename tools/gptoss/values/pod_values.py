"""Values of pods: what every pod has."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema
from pydantic.alias_generators import to_camel

from gptoss.facts.world import Facts
from gptoss.values.identifiers import Name

FACTS = Facts()

Quantity = Annotated[
    str | int,
    Field(description="Kubernetes quantity, as in 80Gi"),
    WithJsonSchema(
        {"type": ["string", "integer"], "pattern": r"^[0-9]+(\.[0-9]+)?(m|k|Ki|M|Mi|G|Gi|T|Ti)?$"}
    ),
]
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
    topology_spread_constraints: list[Free] = Field(
        default_factory=list,
        description="How its pods are spread; without labelSelector those of its own kind count. "
        "Grove refuses them. Escape hatch.",
    )
    priority_class_name: Name | None = Field(
        None, description="Priority class; global.priorityClassName when null."
    )
    runtime_class_name: Name | None = Field(
        None, description="Runtime class; global.runtimeClassName when null."
    )
    scheduler_name: Name | None = Field(None, description="Scheduler; the cluster's own when null.")
