"""Do autoscalers scale something that follows them?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.autoscalers import ADAPTER
from gptoss.rules.graph.scaling.scaled import AUTOSCALERS, SCALED
from gptoss.rules.readings import quoted
from gptoss.rules.rule import ANY, DYNAMO, Said, Severity, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.autoscalers import Autoscaler
    from gptoss.deployment.model import Component, Deployment

GRAPH = "DynamoGraphDeployment"
V1BETA1 = "v1beta1"


@rule(
    "G120",
    "graph-scaled-directly",
    Severity.ERROR,
    of=AUTOSCALERS,
    runtimes=DYNAMO,
)
def graph_scaled_directly(autoscaler: Autoscaler, deployment: Deployment) -> Iterator[Said]:
    """An autoscaler's target is the DynamoGraphDeployment itself.

    A graph has no scale subresource, for it has a number of replicas for each component. The
    autoscaler finds nothing that it could scale and says so in its status. What can be scaled is
    the adapter that the operator makes for a component whose scalingAdapter is on.
    """
    if autoscaler.target_kind and autoscaler.target_kind.value == GRAPH:
        name = f"{deployment.name}-COMPONENT"
        yield Said(
            autoscaler.target_kind,
            f"the target is a {GRAPH}, which the API server cannot scale",
            f"write kind: {ADAPTER} and name: {name}, and switch the component's scalingAdapter on",
        )


@rule(
    "G121",
    "scaled-without-adapter",
    Severity.WARNING,
    of=AUTOSCALERS,
    runtimes=DYNAMO,
)
def scaled_without_adapter(autoscaler: Autoscaler, deployment: Deployment) -> Iterator[Said]:
    """An autoscaler's target is an adapter that the operator does not make, or does not follow.

    The operator makes one for each component whose scalingAdapter is on, named after the graph and
    the component in lower case. Without the switch it does not hand on what an adapter says. A
    Deployment that the operator made is set back to the replicas of the graph.
    """
    kind, target = autoscaler.target_kind, autoscaler.target
    if kind is None or target is None:
        return
    names = {f"{deployment.name}-{c.name.lower()}": c.name for c in deployment.components}
    name = next((n for n in names if target.value == n or target.value.startswith(f"{n}-")), "")
    if kind.value == "Deployment" and name:
        yield Said(
            kind,
            f"the target is the Deployment {target.value}, which the operator sets back to the "
            "replicas of the graph",
            f"write kind: {ADAPTER} and name: {name}",
        )
    if kind.value != ADAPTER:
        return
    if autoscaler.component is None:
        yield Said(
            target,
            f"the target is the adapter {target.value}, but those of {deployment.name} are called "
            f"{quoted(sorted(names))}",
            "write one of them",
        )
    elif not deployment.operator.components[autoscaler.component].scaling:
        yield Said(
            target,
            f"the target is the adapter of {autoscaler.component}, whose scalingAdapter is off",
            f"switch scalingAdapter of {autoscaler.component} on",
        )


@rule(
    "G123",
    "replicas-written-though-scaled",
    Severity.WARNING,
    of=SCALED,
    runtimes=ANY,
)
def replicas_written_though_scaled(autoscaler: Autoscaler, component: Component) -> Iterator[Said]:
    """A component has an autoscaler, and its replicas are written all the same.

    Whoever applies the manifest again asks for the written number. A Deployment is set back to it
    until the autoscaler acts; where the adapter of a graph is on the operator refuses the change.
    """
    if component.replicas is not None:
        yield Said(
            component.replicas,
            f"{component.name} has replicas: {component.replicas.value}, which every update writes "
            "over what the autoscaler has chosen",
            f"leave replicas of {component.name} out",
            also=[(autoscaler, f"{autoscaler.kind} {autoscaler.name}")],
        )


@rule(
    "G128",
    "replicas-lost-with-the-list",
    Severity.INFO,
    of=SCALED,
    runtimes=DYNAMO,
)
def replicas_lost_with_the_list(
    autoscaler: Autoscaler, component: Component, deployment: Deployment
) -> Iterator[Said]:
    """An autoscaled graph of v1beta1 may not be updated by who replaces its list of components.

    Helm 3, and kubectl and Argo CD without server-side apply, write the list of components as a
    whole, and so without the replicas that were chosen. The operator takes that for one replica,
    and refuses the change unless one is what there is. Server-side apply, which Helm 4 uses for
    what it installs, keeps them; and v1alpha1 has a map instead of the list.
    """
    asked = deployment.operator.components.get(component.name)
    beta = deployment.api_version.value.endswith(V1BETA1)
    if beta and component.replicas is None and asked and asked.scaling:
        yield Said(
            autoscaler,
            f"{component.name} leaves its replicas to it, and who replaces the list of components "
            "(Helm 3, kubectl apply, Argo CD without ServerSideApply) loses them: the operator "
            "refuses such an update",
            "use Helm 4 or server-side apply, or write apiVersion: v1alpha1",
        )
