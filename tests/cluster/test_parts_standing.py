"""What is said of a component, from what the API server tells of its pods and their makers."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from gptoss.cluster.parts_standing import Seen, component_words, components, graph_words
from gptoss.cluster.pod_words import State, Words

NOW = datetime(2026, 11, 22, 18, 0, tzinfo=UTC)
GRAPH: dict[str, Any] = {
    "kind": "DynamoGraphDeployment",
    "metadata": {"name": "chat", "namespace": "serving", "generation": 2},
    "spec": {
        "components": [
            {"name": "frontend", "type": "frontend", "replicas": 1},
            {"name": "Decode", "type": "decode", "multinode": {"nodeCount": 2}},
        ]
    },
    "status": {"observedGeneration": 2, "state": "successful"},
}


def pod(component: str, created: str, **labels: str) -> dict[str, Any]:
    """A pod that is ready."""
    own = {
        "nvidia.com/dynamo-graph-deployment-name": "chat",
        "nvidia.com/dynamo-component": component,
    }
    time = f"2026-11-22T{created}:00Z"
    return {
        "metadata": {"name": f"{component}-{created}", "namespace": "serving"}
        | {"creationTimestamp": time, "labels": own | labels},
        "spec": {"nodeName": "b200-0"},
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
    }


def said(seen: Seen) -> dict[str, Words]:
    return {each.name: component_words(each, seen) for each in components(seen)}


def hashed(created: str, node: str, worker: str) -> dict[str, Any]:
    return pod(
        "decode",
        created,
        **{"nvidia.com/dynamo-worker-hash": worker, "pod-template-hash": f"{worker}{node}"},
    )


def test_the_nodes_of_a_worker_on_several_are_of_one_version() -> None:
    both = [hashed("17:00", "ldr", "a1"), hashed("17:00", "wkr", "a1")]
    seen = Seen(GRAPH, NOW, pods=both)
    assert said(seen)["Decode"] == (State.OK, "2 of 2 ready", "")


def test_pods_of_before_an_update_are_told_from_those_after_it() -> None:
    before = [hashed("16:00", "ldr", "a1"), hashed("16:00", "wkr", "a1")]
    after = [hashed("17:00", "ldr", "b2"), hashed("17:00", "wkr", "b2")]
    words = said(Seen(GRAPH, NOW, pods=[*before, *after]))["Decode"]
    assert words[:2] == (State.WORKING, "2 of 2 ready, and 2 pods of before still there")


def test_pods_that_cannot_be_made_are_explained_by_whoever_makes_them() -> None:
    event = {"involvedObject": {"name": "chat-0-decode"}, "reason": "FailedCreate"}
    message = {"message": "exceeded quota: team"}
    state, text, do = said(Seen(GRAPH, NOW, events=[{**event, **message}]))["Decode"]
    assert (state, text) == (State.WRONG, "0 of 2 ready: pods are refused: exceeded quota: team")
    assert do == "kubectl get events -n serving --field-selector reason=FailedCreate"
    assert said(Seen(GRAPH, NOW))["Decode"].state is State.WORKING


def test_a_frontend_that_is_scaled_to_none_needs_somebody() -> None:
    none = [{**each, "replicas": 0} for each in GRAPH["spec"]["components"]]
    words = said(Seen({**GRAPH, "spec": {"components": none}}, NOW))
    assert words["frontend"].state is State.WRONG
    assert words["Decode"].state is State.OK


def test_an_operator_that_has_not_seen_the_last_change_or_has_failed_is_named() -> None:
    late = graph_words(Seen({**GRAPH, "status": {"observedGeneration": 1}}, NOW))
    assert late
    assert "has not taken up the last change" in late.text
    ready = {"type": "Ready", "status": "False", "message": "no such claim"}
    status = {"observedGeneration": 2, "state": "failed", "conditions": [ready]}
    failed = graph_words(Seen({**GRAPH, "status": status}, NOW))
    assert failed
    assert failed[:2] == (State.WRONG, "the Dynamo operator has failed: no such claim")
