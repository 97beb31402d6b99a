"""Where a pod stands, in words for a person on call."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gptoss.cluster.live_cluster import Object


class State(StrEnum):
    """How a part stands."""

    OK = "ok"
    WORKING = "working"
    WRONG = "wrong"
    UNKNOWN = "unknown"


class Words(NamedTuple):
    """What is to be said of something.

    Attributes:
        state: How it stands.
        text: Why, in words.
        do: A command that shows more; '' where there is nothing to look for.
    """

    state: State
    text: str
    do: str = ""


# What the scheduler says while a claim has no volume.
UNBOUND = "unbound immediate PersistentVolumeClaims"
# What it adds, which nobody who looks for a node needs.
PREEMPTION = re.compile(r"[.,] (?:no new claims to deallocate|preemption)\b")
# What a container says while nothing is wrong.
STARTING = ("ContainerCreating", "PodInitializing")
# What the chart's containers that only wait are there for.
WAITS = {
    "wait-for-model-cache": "waits for the weights",
    "wait-for-model": "waits until the model answers",
    "wait-for-rollout": "waits until every pod that serves is of the last change",
}
USUAL_MINUTES = 30
MOST_MINUTES = 45


def pod_words(pod: Object, events: Iterable[Object], now: datetime) -> Words:
    """Where a pod stands that is not ready, or has ended.

    Args:
        pod: The pod.
        events: Events of its namespace.
        now: The time.
    """
    metadata, status = pod["metadata"], pod.get("status", {})
    name, here = metadata["name"], f"-n {metadata['namespace']}"
    look = f"kubectl describe pod {here} {name}"
    if "deletionTimestamp" in metadata:
        return Words(State.WORKING, f"{name} is being ended")
    if status.get("phase") == "Failed":
        because = status.get("message") or status.get("reason") or "its container failed"
        return Words(State.WRONG, f"{name} has failed: {because}", look)
    if not pod["spec"].get("nodeName"):
        return _unplaced(pod, look)
    for container in _containers(status, "initContainerStatuses", "containerStatuses"):
        if found := _wrong(name, here, container):
            return found
    init = list(_containers(status, "initContainerStatuses"))
    running = [each for each in init if "running" in each["state"] and not each.get("started")]
    if running:
        doing = WAITS.get(running[0]["name"], f"runs {running[0]['name']}")
        return Words(
            State.WORKING, f"{name} {doing}", f"kubectl logs {here} {name} --all-containers"
        )
    warning = _last_warning(events, name)
    if not _started(status):
        if warning:
            return Words(State.WRONG, f"{name} does not start: {warning}", look)
        return Words(State.WORKING, f"{name} pulls its image and mounts its volumes", look)
    return _loading(name, here, _started(status), now)


def _unplaced(pod: Object, look: str) -> Words:
    """A pod without a node."""
    name, spec = pod["metadata"]["name"], pod["spec"]
    if spec.get("schedulingGates"):
        gates = ", ".join(gate["name"] for gate in spec["schedulingGates"])
        return Words(State.WORKING, f"{name} is held back by {gates}", look)
    for condition in pod.get("status", {}).get("conditions", []):
        if condition["type"] == "PodScheduled" and condition["status"] == "False":
            said = condition.get("message") or condition.get("reason", "")
            if UNBOUND in said:
                return Words(State.WORKING, f"{name} waits until its claim has a volume", look)
            because = PREEMPTION.split(said)[0]
            return Words(State.WRONG, f"no node takes {name}: {because}", look)
    return Words(State.WORKING, f"{name} has no node yet", look)


def _containers(status: dict[str, Any], *lists: str) -> Iterator[dict[str, Any]]:
    for each in lists:
        yield from status.get(each) or []


def _wrong(name: str, here: str, container: dict[str, Any]) -> Words | None:
    """What is wrong with a container."""
    waiting = container.get("state", {}).get("waiting")
    last = (container.get("lastState") or {}).get("terminated")
    log = f"kubectl logs {here} {name} -c {container['name']}"
    times = container.get("restartCount") or 0
    if last and times and not container.get("ready"):
        ended = f"{last.get('reason') or 'it ended'}, exit code {last.get('exitCode')}"
        return Words(
            State.WRONG,
            f"{name}: {container['name']} was started again {counted(times, 'time')}, "
            f"last after: {ended}",
            f"{log} --previous",
        )
    if waiting and waiting.get("reason") not in (*STARTING, None):
        said = ": ".join(word for word in (waiting["reason"], waiting.get("message")) if word)
        return Words(State.WRONG, f"{name}: {said}", f"kubectl describe pod {here} {name}")
    return None


def _last_warning(events: Iterable[Object], name: str) -> str:
    """What was last wrong with something, by its name."""
    found = [
        event
        for event in events
        if event.get("type") == "Warning" and event["involvedObject"].get("name") == name
    ]
    last = max(found, key=_when, default=None)
    return str(last.get("message", "")) if last else ""


def _when(event: Object) -> str:
    return str(event.get("lastTimestamp") or event.get("eventTime") or "")


def _started(status: dict[str, Any]) -> str:
    """Since when the main container runs; '' where it does not."""
    starts = [
        each["state"]["running"].get("startedAt", "")
        for each in _containers(status, "containerStatuses")
        if "running" in each.get("state", {})
    ]
    return min(starts, default="")


def _loading(name: str, here: str, started: str, now: datetime) -> Words:
    minutes = (now - parsed(started)).total_seconds() / 60
    follow = f"kubectl logs {here} {name} -f"
    usual = f"{name} has run for {ago(started, now)} and is not ready"
    if minutes > MOST_MINUTES:
        return Words(State.WRONG, f"{usual}; {USUAL_MINUTES} minutes are usual", follow)
    return Words(State.WORKING, f"{usual}; loading takes 15 to {USUAL_MINUTES} minutes", follow)


def is_ready(pod: Object) -> bool:
    """Whether a pod answers and stays."""
    conditions = pod.get("status", {}).get("conditions", [])
    ready = any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)
    return ready and "deletionTimestamp" not in pod["metadata"]


def parsed(time: str) -> datetime:
    """A time as the API server writes it."""
    return datetime.fromisoformat(time).astimezone(UTC)


def ago(time: str, now: datetime) -> str:
    """How long ago a time was, in one unit."""
    seconds = max(0, int((now - parsed(time)).total_seconds()))
    for size, unit in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= 2 * size or (unit == "minute" and seconds >= size):
            return counted(seconds // size, unit)
    return counted(seconds, "second")


def counted(count: int, noun: str) -> str:
    """A number with its noun, as in ``2 pods``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
