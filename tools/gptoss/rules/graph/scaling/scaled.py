"""What autoscalers scale, for the rules about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.subjects import Case, Subject

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.autoscalers import Autoscaler
    from gptoss.deployment.model import Component, Deployment


def scaled(deployment: Deployment) -> Iterator[tuple[Autoscaler, Component]]:
    """Autoscalers with the components that they scale."""
    components = {component.name: component for component in deployment.components}
    for autoscaler in deployment.scaling.autoscalers:
        if autoscaler.component in components:
            yield autoscaler, components[autoscaler.component]


AUTOSCALERS = Subject(
    {"autoscaler": "Autoscaler"},
    lambda d: (Case(f"{a.kind} {a.name}", (a,)) for a in d.scaling.autoscalers),
)
# Those of which the component is known.
SCALED = Subject(
    {"autoscaler": "Autoscaler", "component": "Component"},
    lambda d: (Case(f"{a.kind} {a.name}", (a, component)) for a, component in scaled(d)),
)
