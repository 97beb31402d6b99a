"""Values of the choice of a target and of the release's place among other charts."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field, WithJsonSchema
from pydantic.alias_generators import to_camel

from gptoss.facts import folders
from gptoss.values.identifiers import NAME, Name, Registry
from gptoss.values.pod_values import Closed, Free, Resources, Strings

TargetName = Annotated[str, WithJsonSchema({"enum": list(folders.target_files())})]
OverlayName = Annotated[str, WithJsonSchema({"enum": list(folders.overlay_files())})]
PullSecret = Annotated[
    str | Free,
    WithJsonSchema(
        {
            "type": ["string", "object"],
            "pattern": NAME,
            "examples": ["registry"],
            "required": ["name"],
            "properties": {"name": {"type": "string", "pattern": NAME, "examples": ["registry"]}},
            "additionalProperties": False,
        }
    ),
]


class Global(Closed):
    """What a parent chart says to all its charts; it may say more than this one reads."""

    model_config = ConfigDict(extra="allow", alias_generator=to_camel, populate_by_name=True)

    image_registry: Registry | None = Field(
        None,
        description="Registry that mirrors the images that the chart chooses, as in "
        "registry.example.com/mirror; an image named in the values is taken as it stands.",
    )
    image_pull_secrets: list[PullSecret] = Field(
        default_factory=list, description="Existing image pull Secrets of every pod."
    )
    labels: Strings = Field(
        default_factory=dict, description="Labels of every object and pod. Escape hatch."
    )
    priority_class_name: Name | None = Field(None, description="Priority class of every pod.")
    runtime_class_name: Name | None = Field(None, description="Runtime class of every pod.")


class GraphValues(Closed):
    """The DynamoGraphDeployment."""

    spec: Free = Field(
        default_factory=dict,
        description="Fields of its spec that the chart has no value for, in the words of its "
        "version; null takes one away. Escape hatch.",
    )


class InitContainers(Closed):
    """Init containers, which only wait."""

    resources: Resources = Field(default_factory=Resources, description="CPU and memory.")
