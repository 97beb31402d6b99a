"""Will the operator accept a change of what is asked of it, and does the change do anything?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.rule import Said, Severity, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Component, Deployment
    from gptoss.deployment.operator import ComponentRequest, Restart


def _installed(deployment: Deployment) -> Deployment | None:
    """What is installed under the same name."""
    installed = deployment.installed
    return installed if installed and installed.name == deployment.name else None


def _changes(
    deployment: Deployment, installed: Deployment
) -> Iterator[tuple[Component, ComponentRequest, Component, ComponentRequest]]:
    """Components that are there before and after, each with what it asks for: new, installed."""
    before = {component.name: component for component in installed.components}
    ours, theirs = deployment.operator.components, installed.operator.components
    for component in deployment.components:
        name = component.name
        if name in before and name in ours and name in theirs:
            yield component, ours[name], before[name], theirs[name]


@rule(
    "G057",
    "replicas-belong-to-the-adapter",
    Severity.ERROR,
)
def replicas_belong_to_the_adapter(deployment: Deployment) -> Iterator[Said]:
    """Replicas change by hand while a scaling adapter owns them.

    The operator's webhook lets only itself and the planner change them then. To compare with what
    the cluster has, give its manifest to --against: the adapter may have scaled it since. Replicas
    that are left out stay as they are where the adapter was on before; where it was not, leaving
    them out asks for one.
    """
    installed = _installed(deployment)
    for now, request, before, was in _changes(deployment, installed) if installed else ():
        ours, theirs = _written(now), _written(before)
        kept = now.replicas is None and was.scaling
        if request.scaling and ours != theirs and not kept:
            yield Said(
                now.replicas or now,
                f"{now.name} changes from {theirs} replicas to {ours}, "
                "but its scaling adapter owns them: the operator refuses the change",
                f"write replicas: {theirs} and scale the DynamoGraphDeploymentScalingAdapter"
                if now.replicas
                else f"install {now.name} with replicas: 1 before its adapter is switched on, or "
                "let another field manager own replicas first",
                also=[(request.scaling, "the scaling adapter is on")],
            )


def _written(component: Component) -> int:
    """Replicas as the operator's webhook sees them."""
    return component.replicas.value if component.replicas else 1


@rule(
    "G058",
    "topology-constraint-changed",
    Severity.ERROR,
)
def topology_constraint_changed(deployment: Deployment) -> Iterator[Said]:
    """A topology constraint is added, removed or changed.

    The operator's webhook refuses it: pods that run cannot be moved.
    """
    installed = _installed(deployment)
    if installed is None:
        return
    constraints = [("the graph", deployment.operator.topology, installed.operator.topology)]
    constraints += [
        (now.name, request.topology, was.topology)
        for now, request, _, was in _changes(deployment, installed)
    ]
    for name, ours, theirs in constraints:
        if (ours and ours.asked) != (theirs and theirs.asked):
            change = "changes" if ours and theirs else "is added" if ours else "is removed"
            yield Said(
                ours or deployment,
                f"topologyConstraint of {name} {change}: the operator refuses it",
                "keep it as it is installed, or install the graph under another name",
            )


@rule(
    "G059",
    "min-available-changed",
    Severity.ERROR,
)
def min_available_changed(deployment: Deployment) -> Iterator[Said]:
    """MinAvailable of a component differs from the installed one.

    The API server refuses it. What was not set may be set.
    """
    installed = _installed(deployment)
    for now, request, _, was in _changes(deployment, installed) if installed else ():
        ours, theirs = request.min_available, was.min_available
        if theirs and (ours is None or ours.value != theirs.value):
            says = f"is {ours.value}" if ours else "is left out"
            yield Said(
                ours or now,
                f"minAvailable of {now.name} {says} but {theirs.value} is installed: the API "
                "server refuses the change",
                f"write minAvailable: {theirs.value}",
            )


@rule(
    "G062",
    "restart-not-asked-again",
    Severity.WARNING,
)
def restart_not_asked_again(deployment: Deployment) -> Iterator[Said]:
    """The strategy of a restart changes and its id does not.

    The id is the request: with the one of the last restart nothing restarts.
    """
    installed = _installed(deployment)
    ours = deployment.operator.restart
    theirs = installed.operator.restart if installed else None
    if ours is None or theirs is None or ours.id is None or theirs.id is None:
        return
    if ours.id.value == theirs.id.value and _strategy(ours) != _strategy(theirs):
        yield Said(
            ours.id,
            f"the strategy of the restart changes, but its id is still {ours.id.value!r}: nothing "
            "restarts",
            "give it another id",
        )


def _strategy(restart: Restart) -> tuple[str, list[str]]:
    kind = restart.strategy.value if restart.strategy else "Sequential"
    return kind, [name.value for name in restart.order]
