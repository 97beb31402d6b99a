"""What components ask of the operator, for the rules about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.subjects import Case, Subject

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Component, Deployment
    from gptoss.deployment.operator import ComponentRequest


SHARED = "ai-dynamo/dynamo deploy/operator/internal/webhook/validation/shared.go @015d780"
WORKER_TYPES = ("worker", "prefill", "decode")
EPP = "epp"


def requests(deployment: Deployment) -> Iterator[tuple[Component, ComponentRequest]]:
    """The components with what they ask for."""
    for component in deployment.components:
        if request := deployment.operator.components.get(component.name):
            yield component, request


# Components that ask for something, each with what that is.
REQUESTS = Subject(
    {"component": "Component", "request": "ComponentRequest"},
    lambda d: (Case(component.name, (component, asked)) for component, asked in requests(d)),
)


def type_of(component: Component) -> str:
    """The component type as it is written; '' when there is none."""
    return component.type.value if component.type else ""
