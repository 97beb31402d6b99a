"""What a commit, a mistake and a hand do to a target that Argo CD serves."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.cluster.argo_cd import (
    ArgoCd,
    health,
)
from tests.cluster.served import GRAPH, Served, batched, measured

if TYPE_CHECKING:
    from collections.abc import Iterator


pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def graph(argo: ArgoCd) -> Iterator[Served]:
    """A target with prefill and decode, synced and Healthy."""
    served = Served(argo, "graph", "disagg-gb200")
    served.change()
    argo.application("graph", served.file)
    served.runs()
    yield served
    served.remove()


def test_a_commit_that_changes_the_engine_rolls_the_workers_alone(graph: Served) -> None:
    before = graph.pods()
    graph.change(lambda values: batched(values, 512))
    graph.runs()
    after = graph.pods()
    assert sorted(before.values()) == sorted(after.values()) == ["decode", "frontend", "prefill"]
    # The operator has one hash for all workers of a graph.
    assert {after[name] for name in set(before) & set(after)} == {"frontend"}


def test_a_refresh_finds_no_drift_and_changes_nothing(graph: Served) -> None:
    graph.runs()
    before = graph.object(GRAPH)["metadata"]["generation"], graph.pods()
    graph.argo.refresh(graph.name, how="hard")
    graph.runs()
    assert (graph.object(GRAPH)["metadata"]["generation"], graph.pods()) == before


def test_a_broken_values_file_is_an_error_that_names_the_key_and_leaves_what_runs(
    graph: Served,
) -> None:
    before = graph.object(GRAPH)["metadata"]["generation"], graph.pods()
    graph.change(lambda values: values["workers"]["decode"].update(engine={"max_batch_szie": 8}))
    graph.argo.refresh(graph.name)
    broken = graph.argo.watched.until(graph.name, lambda a: a["status"].get("conditions"))
    (condition,) = broken["status"]["conditions"]
    assert condition["type"] == "ComparisonError"
    assert "max_batch_szie" in condition["message"]
    assert health(broken) == "Healthy"
    assert (graph.object(GRAPH)["metadata"]["generation"], graph.pods()) == before
    graph.change()
    mended = graph.runs()
    assert not mended["status"].get("conditions")


def test_a_job_of_before_goes_and_does_not_leave_the_application_out_of_sync(
    graph: Served,
) -> None:
    graph.change(measured)
    graph.runs()
    (first,) = graph.jobs("benchmark")
    graph.change(lambda values: measured(values, per_gpu=8))
    graph.runs()
    (second,) = graph.jobs("benchmark")
    assert second != first

    (old,) = graph.jobs("download")
    graph.change(lambda values: values["model"].update(revision="0" * 40))
    graph.runs()
    (new,) = graph.jobs("download")
    assert new != old
    assert graph.jobs("benchmark") == [], "what Git no longer has is pruned"


def test_what_is_changed_or_deleted_by_hand_comes_back(graph: Served) -> None:
    graph.change()
    graph.runs()
    graph.argo.cluster.kubectl("delete", "configmap/gpt-oss-scripts", *graph.here)
    there = ("wait", "--for=create", "--timeout=60s", "configmap/gpt-oss-scripts")
    graph.argo.cluster.kubectl(*there, *graph.here)
    old = "dynamographdeployments.v1alpha1.nvidia.com/gpt-oss"
    replicas = "/spec/services/frontend/replicas"
    patch = json.dumps([{"op": "replace", "path": replicas, "value": 2}])
    graph.argo.cluster.kubectl("patch", old, *graph.here, "--type=json", f"--patch={patch}")
    back = "--for=jsonpath={.spec.services.frontend.replicas}=1"
    graph.argo.cluster.kubectl("wait", old, *graph.here, "--timeout=60s", back)
    graph.runs()
