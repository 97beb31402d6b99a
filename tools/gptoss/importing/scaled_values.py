"""Autoscalers and disruption budgets as the chart's values have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.autoscalers import KEDA
from gptoss.importing.context import leaf
from gptoss.importing.document import Block, Leaf
from gptoss.text.quantity import amount

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.autoscalers import Autoscaler, Signal
    from gptoss.deployment.model import Component
    from gptoss.importing.context import Context

# Targets by what is in the name of their metric, with what one of their units is in the metric's.
TARGETS = {
    "queued_requests": ("targetQueuedRequests", 1),
    "num_requests_waiting": ("targetQueuedRequests", 1),
    "inflight_requests": ("targetInflightRequests", 1),
    "num_requests_running": ("targetInflightRequests", 1),
    "time_to_first_token": ("targetTimeToFirstToken", 1000),
    "inter_token_latency": ("targetInterTokenLatency", 1000),
    "time_per_output_token": ("targetInterTokenLatency", 1000),
}
CPU = "targetCPUUtilizationPercentage"
# What KEDA takes where nothing is written.
MOST = 100


def scaling_block(component: Component, context: Context) -> Block:
    """What changes the replicas of a component and what keeps them; empty where nothing does."""
    found: Block = {}
    for autoscaler in context.deployment.scaling.autoscalers:
        if autoscaler.component == component.name:
            found |= _autoscaling(autoscaler, context)
    for budget in context.deployment.scaling.budgets:
        if budget.component == component.name:
            block: Block = {"enabled": Leaf(True)}
            for key, value in (
                ("minAvailable", budget.available),
                ("maxUnavailable", budget.unavailable),
            ):
                if value:
                    number = int(value.value) if value.value.isdecimal() else value.value
                    block[key] = leaf(number, value.place)
            found["pdb"] = block
    return found


def shared_block(context: Context) -> Block:
    """What the autoscalers of all components share."""
    scaled = [a for a in context.deployment.scaling.autoscalers if _is_carried(a)]
    if not scaled:
        return {}
    if not _by_keda(context):
        return {"kind": Leaf("hpa")}
    server = next((a.server for a in scaled if a.server), None)
    return {"prometheus": {"serverAddress": leaf(server.value, server.place)}} if server else {}


def told_scaling(context: Context) -> Iterator[str]:
    """Kind and name of the objects that are carried over here, or told of."""
    scaling = context.deployment.scaling
    yield from (f"{each.kind} {each.name}" for each in scaling.autoscalers if each.component)
    yield from (f"PodDisruptionBudget {each.name}" for each in scaling.budgets if each.component)


def _autoscaling(autoscaler: Autoscaler, context: Context) -> Block:
    if not _is_carried(autoscaler):
        context.left_out(
            f"{autoscaler.kind} {autoscaler.name}: none of its metrics has a value of the chart; "
            "write them under autoscaling.triggers or autoscaling.metrics of the component",
            autoscaler.place,
        )
        return {}
    if (autoscaler.kind == KEDA) != _by_keda(context):
        told = f"{autoscaler.kind} {autoscaler.name}: made of the other kind, for there is one"
        context.chosen(told, autoscaler.place)
    block: Block = {"enabled": Leaf(True)}
    if autoscaler.fewest and autoscaler.fewest.value > 0:
        block["minReplicas"] = leaf(autoscaler.fewest.value, autoscaler.fewest.place)
    most = autoscaler.most
    block["maxReplicas"] = leaf(most.value, most.place) if most else Leaf(MOST)
    for signal in autoscaler.signals:
        target = _target(signal, autoscaler)
        if target:
            block[target[0]] = leaf(target[1], signal.place)
        else:
            told = f"{autoscaler.kind} {autoscaler.name}: {signal.text}: the chart has no such"
            context.left_out(f"{told} target; write it as a trigger or metric", signal.place)
    return {"autoscaling": block}


def _target(signal: Signal, autoscaler: Autoscaler) -> tuple[str, int] | None:
    """The target of the chart that a signal is, with its value."""
    number = amount(signal.amount) if signal.amount else None
    if signal.text == "cpu" and number and (autoscaler.component or "").lower() == "frontend":
        return CPU, round(float(number))
    for name, (target, unit) in TARGETS.items():
        if name in signal.text and number:
            return target, max(1, round(float(number) * unit))
    return None


def _is_carried(autoscaler: Autoscaler) -> bool:
    known = autoscaler.component is not None
    return known and any(_target(signal, autoscaler) for signal in autoscaler.signals)


def _by_keda(context: Context) -> bool:
    scaled = [a for a in context.deployment.scaling.autoscalers if _is_carried(a)]
    return scaled[0].kind == KEDA
