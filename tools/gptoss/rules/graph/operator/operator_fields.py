"""Do the fields that are for the operator make a whole?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.graph.operator.asked import REQUESTS, requests
from gptoss.rules.rule import Said, Severity, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Component, Deployment
    from gptoss.deployment.operator import ComponentRequest

GROVE = "nvidia.com/enable-grove"


@rule(
    "G076",
    "operator-needs-field",
    Severity.ERROR,
    reports="operator-needs-field",
    hint="add what is missing",
)
def operator_needs_field() -> None:
    """A part of the graph lacks a field that the operator's webhook asks for.

    A claim to create needs size, storage class and access mode; an ingress that is enabled needs a
    host, a mount of a claim a mountPoint, shared memory a size. The resource's schema lets them be
    left out, the webhook does not.
    """


@rule(
    "G077",
    "min-available-above-replicas",
    Severity.ERROR,
    of=REQUESTS,
)
def min_available_above_replicas(component: Component, request: ComponentRequest) -> Iterator[Said]:
    """A component must have more replicas available than it has.

    The API server refuses it, unless the component is switched off with replicas: 0.
    """
    wanted = request.min_available
    if wanted and 0 < component.replica_count < wanted.value:
        yield Said(
            wanted,
            f"minAvailable is {wanted.value} but there are {component.replica_count} replicas",
            f"write at most {component.replica_count}",
        )


@rule(
    "G079",
    "needs-grove",
    Severity.ERROR,
)
def needs_grove(deployment: Deployment) -> Iterator[Said]:
    """minAvailable, or the graph's priorityClassName, is set while Grove is switched off.

    Only Grove can keep either promise, so the operator's webhook refuses the graph.
    """
    grove = deployment.annotations.get(GROVE)
    if grove is None or grove.value.lower() != "false":
        return
    also = [(grove, "switches Grove off")]
    hint = "remove it, or leave Grove on"
    if priority := deployment.operator.priority_class:
        yield Said(priority, "priorityClassName of the graph needs Grove", hint, also=also)
    for component, request in requests(deployment):
        if request.min_available:
            said = f"minAvailable of {component.name} needs Grove"
            yield Said(request.min_available, said, hint, also=also)


@rule(
    "G081",
    "resource-rule-broken",
    Severity.ERROR,
    reports="resource-rule-broken",
    hint="mend one of them",
)
def resource_rule_broken() -> None:
    """Fields that are right each for itself break a rule of the resource together.

    Names of components differ in more than their case and only one is an endpoint picker; eppConfig
    belongs to it and has one source; kvTransferPolicy finds nodes in one way and has a weight only
    where it is a preference. The API server refuses anything else.
    """
