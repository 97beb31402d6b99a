"""What changes the replicas of a component, and what keeps them, in words and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.autoscalers import Autoscaler, Budget
    from gptoss.deployment.model import Component, Deployment


def scaling_lines(component: Component, deployment: Deployment) -> Iterator[str]:
    """What to say beside the replicas of a component; nothing where they stay as they are."""
    for autoscaler in _autoscalers(component, deployment):
        most = autoscaler.most.value if autoscaler.most else "any number"
        yield f"replicas {autoscaler.floor} to {most}, by {autoscaler.kind} {autoscaler.name}"
        for signal in autoscaler.signals:
            yield f"  by {signal.text}"
    for budget in _budgets(component, deployment):
        yield f"{_kept(budget)}, by PodDisruptionBudget {budget.name}"


def scaling_json(component: Component, deployment: Deployment) -> dict[str, Any]:
    """The same as JSON."""
    return {
        "autoscalers": [
            {
                "kind": autoscaler.kind,
                "name": autoscaler.name,
                "fewest": autoscaler.floor,
                "most": autoscaler.most.value if autoscaler.most else None,
                "signals": [signal.text for signal in autoscaler.signals],
            }
            for autoscaler in _autoscalers(component, deployment)
        ],
        "budgets": [
            {
                "name": budget.name,
                "minAvailable": budget.available.value if budget.available else None,
                "maxUnavailable": budget.unavailable.value if budget.unavailable else None,
            }
            for budget in _budgets(component, deployment)
        ],
    }


def _autoscalers(component: Component, deployment: Deployment) -> Iterator[Autoscaler]:
    return (a for a in deployment.scaling.autoscalers if a.component == component.name)


def _budgets(component: Component, deployment: Deployment) -> Iterator[Budget]:
    return (b for b in deployment.scaling.budgets if b.component == component.name)


def _kept(budget: Budget) -> str:
    if budget.available:
        return f"at least {budget.available.value} of its pods stay"
    away = budget.unavailable.value if budget.unavailable else "none"
    return f"at most {away} of its pods may be away"
