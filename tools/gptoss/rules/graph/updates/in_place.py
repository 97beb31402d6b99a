"""Will the operator accept a deployment in place of the one that is installed?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.model import Worker
from gptoss.rules.readings import quoted
from gptoss.rules.rule import Need, Said, Severity, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Component, Deployment
    from gptoss.facts.world import Release
    from gptoss.text.places import Located

GROVE = "nvidia.com/enable-grove"
# From this release on the operator refuses a changed component type (ai-dynamo/dynamo #13763).
FIXED_TYPE_FROM = (1, 5)


def _pairs(deployment: Deployment) -> Iterator[tuple[Component, Component]]:
    """Components that are there before and after: the new one and the installed one."""
    installed = deployment.installed
    if installed is None or installed.name != deployment.name:
        return
    before = {component.name: component for component in installed.components}
    for component in deployment.components:
        if component.name in before:
            yield component, before[component.name]


@rule(
    "G050",
    "components-added-or-removed",
    Severity.ERROR,
)
def components_added_or_removed(deployment: Deployment) -> Iterator[Said]:
    """The deployment has other components than the one that is installed.

    The operator's webhook refuses to add or remove one, and to rename one, be it in its case. A
    component that is not wanted for a while can have replicas: 0.
    """
    installed = deployment.installed
    if installed is None or installed.name != deployment.name:
        return
    before = {component.name for component in installed.components}
    after = {component.name for component in deployment.components}
    added = [c for c in deployment.components if c.name not in before]
    removed = [c.name for c in installed.components if c.name not in after]
    told = [f"{quoted(c.name for c in added)} added"] if added else []
    told += [f"{quoted(removed)} removed"] if removed else []
    if told:
        yield Said(
            added[0] if added else deployment,
            f"compared with what is installed, {quoted(told)}: the operator refuses the change",
            "install it under another name and delete the old one, or keep the component with "
            "replicas: 0",
        )


@rule(
    "G051",
    "several-nodes-or-one",
    Severity.ERROR,
)
def several_nodes_or_one(deployment: Deployment) -> Iterator[Said]:
    """A worker changes between one node and several.

    They are different kinds of object to the operator, and its webhook refuses the change.
    """
    for now, before in _pairs(deployment):
        if not isinstance(now, Worker) or not isinstance(before, Worker):
            continue
        ours, theirs = now.nodes.value, before.nodes.value
        if (ours > 1) != (theirs > 1):
            yield Said(
                now.nodes,
                f"{now.name} runs on {_nodes(ours)} but is installed on {_nodes(theirs)}: the "
                "operator refuses the change",
                "install it under another name and delete the old one",
            )


def _nodes(count: int) -> str:
    return "one node" if count == 1 else f"{count} nodes"


@rule(
    "G052",
    "component-type-changed",
    Severity.ERROR,
    needs=(Need.RELEASE,),
)
def component_type_changed(release: Release, deployment: Deployment) -> Iterator[Said]:
    """A component has another type than the one that is installed.

    The type cannot be changed from release 1.5 on; the operator's webhook refuses it.
    """
    if release.number < FIXED_TYPE_FROM:
        return
    for now, before in _pairs(deployment):
        ours, theirs = _type(now), _type(before)
        if ours and theirs and ours != theirs:
            yield Said(
                now.sub_type or now.type or now,
                f"{now.name} is of type {ours} but installed as {theirs}: the operator refuses the "
                "change",
                "keep the type, or install it under another name",
            )


def _type(component: Component) -> str | None:
    """The type as v1beta1 calls it."""
    if component.type is None:
        return None
    is_split = component.type.value == "worker" and component.sub_type is not None
    return component.sub_type.value if is_split and component.sub_type else component.type.value


@rule(
    "G056",
    "backend-framework-changed",
    Severity.ERROR,
)
def backend_framework_changed(deployment: Deployment) -> Iterator[Said]:
    """The graph names another backend framework than the one that is installed.

    The operator's webhook refuses the change; the running deployment stays as it is.
    """
    installed = deployment.installed
    if installed is None or installed.name != deployment.name:
        return
    ours = deployment.backend.value if deployment.backend else None
    theirs = installed.backend.value if installed.backend else None
    if ours != theirs:
        yield Said(
            deployment.backend or deployment,
            f"backendFramework is {ours or 'left out'} but {theirs or 'none'} is installed: the "
            "operator refuses the change",
            f"write {theirs}" if theirs else "leave it out, or install it under another name",
        )


@rule(
    "G110",
    "grove-switched",
    Severity.WARNING,
)
def grove_switched(deployment: Deployment) -> Iterator[Said]:
    """The annotation that switches Grove off comes or goes on a graph that is installed.

    From release 1.5 on the operator keeps the way in which it first made the pods. The annotation
    then changes nothing, until the graph is deleted and installed anew.
    """
    installed = deployment.installed
    if installed is None or installed.name != deployment.name:
        return
    ours, theirs = deployment.annotations.get(GROVE), installed.annotations.get(GROVE)
    if _is_off(ours) != _is_off(theirs):
        way = "without" if _is_off(theirs) else "with"
        yield Said(
            ours or deployment,
            f"annotation {GROVE} changes, but the graph is installed {way} Grove and stays so",
            "keep the annotation as it is installed, or delete the graph and install it anew",
        )


def _is_off(annotation: Located[str] | None) -> bool:
    return annotation is not None and annotation.value.lower() == "false"
