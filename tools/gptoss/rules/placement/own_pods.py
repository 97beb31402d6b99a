"""Can the pods of one graph be placed beside each other?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.placement.node_choice import GRAPH_LABEL
from gptoss.rules.readings import quoted
from gptoss.rules.rule import DYNAMO, Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Component, Deployment, Worker
    from gptoss.deployment.pods import AntiAffinity

HOST = "kubernetes.io/hostname"
COMPONENT_LABEL = "nvidia.com/dynamo-component"


@rule(
    "L025",
    "keeps-its-own-graph-away",
    Severity.WARNING,
    of=WORKERS,
    runtimes=DYNAMO,
)
def keeps_its_own_graph_away(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """A worker must not share a node with other components of its own graph.

    That was meant for other deployments, but the label is that of its own graph too. The frontend
    and each worker then need a node of their own, in whichever order they come: on as few nodes as
    GPUs need some stay Pending. A selector that names components means them, and is not told of.
    """
    for affinity in worker.pod.anti_affinity:
        if not affinity.required or affinity.topology_key != HOST or not affinity.complete:
            continue
        if any(key == COMPONENT_LABEL for key, _ in affinity.labels):
            continue
        others = [
            component.name
            for component in deployment.components
            if component.name != worker.name
            and component.replica_count
            and _matches(affinity, component, deployment)
        ]
        if others:
            yield Said(
                affinity,
                f"the pod must not be on a node with {quoted(others)}, which are of its own graph",
                "prefer it instead of requiring it, or name the components to keep away from with "
                "nvidia.com/dynamo-component",
            )


def _matches(affinity: AntiAffinity, component: Component, deployment: Deployment) -> bool:
    """Whether the pods of a component have the labels, those that the operator gives them."""
    labels = {
        GRAPH_LABEL: deployment.name,
        COMPONENT_LABEL: component.name,
        "nvidia.com/dynamo-component-type": component.type.value if component.type else "",
    }
    return bool(affinity.labels) and all(
        key in labels and (labels[key] in values or not values) for key, values in affinity.labels
    )
