"""What is said of pods and Jobs, from what the API server tells of them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from gptoss.cluster.jobs_standing import best_of
from gptoss.cluster.pod_words import State, ago, pod_words
from gptoss.facts import folders

NOW = datetime(2026, 11, 22, 18, 0, tzinfo=UTC)
STARTED = "2026-11-22T17:48:00Z"
MAIN = {"name": "main", "ready": False, "restartCount": 0}


def pod(status: dict[str, Any], **spec: Any) -> dict[str, Any]:
    metadata = {"name": "decode-1", "namespace": "serving"}
    return {"metadata": metadata, "spec": {"nodeName": "b200-0", **spec}, "status": status}


def running(**more: Any) -> dict[str, Any]:
    return {**MAIN, "state": {"running": {"startedAt": STARTED}}, **more}


def waiting(reason: str, **more: Any) -> dict[str, Any]:
    return {**MAIN, "state": {"waiting": {"reason": reason, **more}}}


def unplaced(message: str) -> dict[str, Any]:
    condition = {"type": "PodScheduled", "status": "False", "message": message}
    return {"conditions": [condition]}


KILLED = {"terminated": {"reason": "OOMKilled", "exitCode": 137}}
SAID = {
    "no node takes decode-1: 0/9 nodes": (
        State.WRONG,
        pod(unplaced("0/9 nodes are available"), nodeName=""),
    ),
    "decode-1 waits until its claim has a volume": (
        State.WORKING,
        pod(unplaced("pod has unbound immediate PersistentVolumeClaims"), nodeName=""),
    ),
    "decode-1 is held back by grove.io/podgang-pending-creation": (
        State.WORKING,
        pod({}, nodeName="", schedulingGates=[{"name": "grove.io/podgang-pending-creation"}]),
    ),
    "decode-1: ImagePullBackOff: no such tag": (
        State.WRONG,
        pod({"containerStatuses": [waiting("ImagePullBackOff", message="no such tag")]}),
    ),
    "decode-1 pulls its image and mounts its volumes": (
        State.WORKING,
        pod({"containerStatuses": [waiting("ContainerCreating")]}),
    ),
    "decode-1 waits for the weights": (
        State.WORKING,
        pod(
            {
                "initContainerStatuses": [running(name="wait-for-model-cache")],
                "containerStatuses": [waiting("PodInitializing")],
            }
        ),
    ),
    "decode-1: main was started again 3 times, last after: OOMKilled, exit code 137": (
        State.WRONG,
        pod({"containerStatuses": [running(restartCount=3, lastState=KILLED)]}),
    ),
    "decode-1 has run for 12 minutes and is not ready; loading takes 15 to 30 minutes": (
        State.WORKING,
        pod({"containerStatuses": [running()]}),
    ),
    "decode-1 has failed: The node was low on resource": (
        State.WRONG,
        pod({"phase": "Failed", "message": "The node was low on resource: memory"}),
    ),
}


@pytest.mark.parametrize("text", SAID)
def test_what_keeps_a_pod_from_being_ready_is_said_in_words(text: str) -> None:
    state, given = SAID[text]
    words = pod_words(given, [], NOW)
    assert (words.state, words.text[: len(text)]) == (state, text)


def test_a_pod_that_loads_for_too_long_is_wrong() -> None:
    started = {"running": {"startedAt": "2026-11-22T17:00:00Z"}}
    words = pod_words(pod({"containerStatuses": [{**MAIN, "state": started}]}), [], NOW)
    assert (words.state, words.do) == (State.WRONG, "kubectl logs -n serving decode-1 -f")
    assert "60 minutes" in words.text


def test_what_the_node_warns_of_is_said_of_a_pod_that_does_not_start() -> None:
    about = {"involvedObject": {"name": "decode-1"}, "type": "Warning"}
    events = [
        {**about, "message": "second", "lastTimestamp": "2026-11-22T17:59:00Z"},
        {**about, "message": "first", "lastTimestamp": "2026-11-22T17:58:00Z"},
    ]
    given = pod({"containerStatuses": [waiting("ContainerCreating")]})
    words = pod_words(given, events, NOW)
    assert words[:2] == (State.WRONG, "decode-1 does not start: second")


@pytest.mark.parametrize(
    ("time", "said"),
    [
        ("2026-11-22T17:59:30Z", "30 seconds"),
        ("2026-11-22T17:59:00Z", "1 minute"),
        ("2026-11-22T16:30:00Z", "90 minutes"),
        ("2026-11-22T14:00:00Z", "4 hours"),
        ("2026-11-19T18:00:00Z", "3 days"),
    ],
)
def test_times_are_told_in_one_unit(time: str, said: str) -> None:
    assert ago(time, NOW) == said


def test_the_best_step_is_read_from_the_tables_that_the_benchmark_prints() -> None:
    benchmark = folders.chart_module("benchmark.py")
    steps: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for concurrency, rate in ((32, 4000.5), (128, 12345.0), (256, 11000.0)):
        step = {"concurrency": concurrency, "effectiveConcurrency": 1.0, "requests": 9, "errors": 0}
        steps.append((step, {"output_token_throughput": {"avg": rate}}))
    log = f"step 3 of 3\n{benchmark.table(steps)}\nresults are in /results".splitlines()
    best = best_of(log)
    assert best
    assert (best.concurrency, best.rate) == ("128", 12345.0)
    assert best_of(["simulated: no container runs here"]) is None
