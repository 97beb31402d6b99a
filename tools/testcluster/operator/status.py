"""What a graph says of itself: state, condition Ready, and replicas of every component.

States, reasons and when observedGeneration is set: ai-dynamo/dynamo deploy/operator
/internal/controller/dynamographdeployment_controller.go, 1.2 to 1.5. Why pods are missing is said
here in more words than there.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from testcluster.operator.conversion import components
from testcluster.operator.validation import WORKERS

Thing = dict[str, Any]
COUNTS = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")


@dataclass(frozen=True)
class Part:
    """A component and the Deployments that make its pods.

    Attributes:
        name: The component's.
        wanted: Pods that each of its Deployments is to have, by name.
        made: Its Deployments.
        olds: Deployments of its pods of before.
    """

    name: str
    wanted: dict[str, int]
    made: list[Thing]
    olds: list[Thing]


def reached(graph: Thing, parts: list[Part], *, is_rolling: bool) -> Thing:
    """The status of a graph whose objects are all there."""
    waiting = [why for part in parts for why in _missing(part)]
    state, reason, said = "successful", "all_resources_are_ready", ["All resources are ready"]
    if is_rolling or waiting:
        state, said = "pending", []
    if waiting:
        reason = "some_resources_are_not_ready"
        said = [f"Resources not ready: {'; '.join(waiting)}"]
    if is_rolling:
        reason = "rolling_update_in_progress"
        said = ["Rolling update in progress", *said]
    found = _status(graph, state, reason, ". ".join(said))
    found["observedGeneration"] = graph["metadata"]["generation"]
    found["components"] = {part.name: _counts(part) for part in parts}
    before = (graph.get("status") or {}).get("rollingUpdate")
    workers = [each["name"] for each in components(graph) if each.get("type") in WORKERS]
    rolling = _rolling(before, workers, is_rolling=is_rolling)
    return found | ({"rollingUpdate": rolling} if rolling else {})


def failed(graph: Thing, message: str) -> Thing:
    """The status of a graph that the API server refuses to make: of an older generation still."""
    found = _status(graph, "failed", "failed_to_reconcile_the_resources", message)
    return {**(graph.get("status") or {}), **found}


def is_ready(part: Part) -> bool:
    """Whether a component has all its pods, and none that waits to be replaced."""
    return not _missing(part)


def now() -> str:
    """The time as the API server writes it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _status(graph: Thing, state: str, reason: str, message: str) -> Thing:
    condition = {
        "type": "Ready",
        "status": str(state == "successful"),
        "reason": reason,
        "message": message,
    }
    before: Thing = next(iter((graph.get("status") or {}).get("conditions") or []), {})
    changed = before.get("status") != condition["status"]
    condition["lastTransitionTime"] = now() if changed else before["lastTransitionTime"]
    return {"state": state, "conditions": [condition]}


def _missing(part: Part) -> list[str]:
    return [why for made in part.made for why in _missing_of(made, part.wanted)]


def _missing_of(made: Thing, wanted: dict[str, int]) -> list[str]:
    name = made["metadata"]["name"]
    state = made.get("status") or {}
    seen = state.get("observedGeneration") == made["metadata"]["generation"]
    if seen and [state.get(count, 0) for count in COUNTS] == [wanted[name]] * len(COUNTS):
        return []
    refused = [
        condition["message"]
        for condition in state.get("conditions") or []
        if condition["type"] == "ReplicaFailure" and condition["status"] == "True"
    ]
    return [
        ", ".join([f"{name}: {state.get('readyReplicas', 0)} of {wanted[name]} ready", *refused])
    ]


def _counts(part: Part) -> Thing:
    # Of leaders and others, the leaders stand for the replicas.
    newest, all_made = part.made[:1], [*part.made[:1], *part.olds]
    found: Thing = {
        "componentKind": "Deployment" if len(part.made) == 1 else "LeaderWorkerSet",
        "componentNames": [one["metadata"]["name"] for one in [*part.olds, *newest]],
    }
    for count in COUNTS:
        among = newest if count == "updatedReplicas" else all_made
        found[count] = sum((one.get("status") or {}).get(count, 0) for one in among)
    return found


def _rolling(before: Thing | None, names: list[str], *, is_rolling: bool) -> Thing | None:
    phase = (before or {}).get("phase")
    if is_rolling and phase != "InProgress":
        return {"phase": "InProgress", "startTime": now()}
    if not is_rolling and before and phase == "InProgress":
        return {**before, "phase": "Completed", "endTime": now(), "updatedComponents": names}
    return before
