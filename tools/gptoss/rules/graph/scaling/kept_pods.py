"""Can nodes be emptied, and may pods be spread over them?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.model import Worker
from gptoss.rules.graph.updates.in_place import GROVE
from gptoss.rules.rule import ANY, Said, Severity, rule
from gptoss.rules.subjects import COMPONENTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Component, Deployment


@rule(
    "G125",
    "budget-never-lets-go",
    Severity.WARNING,
    runtimes=ANY,
)
def budget_never_lets_go(deployment: Deployment) -> Iterator[Said]:
    """A disruption budget keeps every pod that there is.

    A node with such a pod cannot be drained: kubectl drain, and the upgrade of a node pool, wait
    for ever. Only the budget's author can say whether that is meant; then suppress this.
    """
    components = {component.name: component for component in deployment.components}
    for budget in deployment.scaling.budgets:
        component = components.get(budget.component or "")
        if component is None:
            continue
        nodes = component.nodes.value if isinstance(component, Worker) else 1
        pods = component.replica_count * nodes
        least = budget.available
        if least and least.value == "100%":
            said = "it keeps all pods"
        elif least and least.value.isdecimal() and int(least.value) >= pods:
            said = f"it keeps {least.value} pods of {pods}"
        elif budget.unavailable and budget.unavailable.value in ("0", "0%"):
            said = "it lets no pod go"
        else:
            continue
        yield Said(
            least or budget.unavailable or budget,
            f"PodDisruptionBudget {budget.name}: {said} of {component.name}, so that no node with "
            "one can be drained",
            "write maxUnavailable: 1",
        )


@rule(
    "G126",
    "spread-refused-by-grove",
    Severity.WARNING,
    of=COMPONENTS,
)
def spread_refused_by_grove(component: Component, deployment: Deployment) -> Iterator[Said]:
    """A component has topologySpreadConstraints and Grove is not switched off.

    Where the operator works with Grove, Grove's webhook refuses pods with such constraints, and no
    pod is made. A podAntiAffinity is taken by both.
    """
    annotation = deployment.annotations.get(GROVE)
    if component.pod.spread and not (annotation and annotation.value.lower() == "false"):
        yield Said(
            component.pod.spread,
            f"{component.name} has topologySpreadConstraints, which Grove refuses",
            f'write a podAntiAffinity instead, or the annotation {GROVE}: "false"',
        )
