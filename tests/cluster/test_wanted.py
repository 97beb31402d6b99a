"""What a source would install, and the pods that it brings."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from gptoss.cluster.pod_sets import GPU, pod_sets, requests
from gptoss.cluster.wanted import wanted
from gptoss.sources.request import Request
from gptoss.text.errors import InputError
from tests.chart.rendering import ROOT

if TYPE_CHECKING:
    from pathlib import Path


def pods_of(*sources: str, settings: tuple[str, ...] = ()) -> dict[str, tuple[int, int]]:
    """Of each set of pods how many there are, and the GPUs of one."""
    found = wanted(Request(sources, settings=settings), "serving")
    return {p.name: (p.count, int(requests(p.spec).get(GPU, 0))) for p in found.pods}


@pytest.mark.parametrize("release", ["1.3.1", "1.6.1"])
def test_a_target_brings_its_pods_in_both_versions_of_the_graph(release: str) -> None:
    found = pods_of("disagg-gb200", settings=(f"runtime.release={release}",))
    assert found == {"download": (1, 0), "frontend": (1, 0), "prefill": (1, 1), "decode": (1, 4)}


def test_a_target_is_what_helm_would_install_into_the_namespace() -> None:
    found = wanted(Request(("agg-gb200",), name="chat"), "serving")
    assert {thing["metadata"]["namespace"] for thing in found.objects} == {"serving"}
    assert found.makes("DynamoGraphDeployment", "chat")
    assert "Pod" not in {thing["kind"] for thing in found.objects}, "a pod of helm test"


def test_manifests_are_installed_where_they_say(tmp_path: Path) -> None:
    deploy = (ROOT / "examples" / "as-found" / "deploy.yaml").read_text("utf-8")
    documents = [document for document in yaml.safe_load_all(deploy) if document]
    for document in documents:
        document["metadata"]["namespace"] = "theirs"
    path = tmp_path / "deploy.yaml"
    path.write_text(yaml.safe_dump_all(documents), "utf-8")
    found = wanted(Request((str(path),)), "serving")
    assert (found.namespace, found.release) == ("theirs", "")
    assert len(found.objects) == len(documents)


def test_what_kubernetes_does_not_run_or_holds_several_is_refused(tmp_path: Path) -> None:
    engine = tmp_path / "decode.yaml"
    engine.write_text("tensor_parallel_size: 4\n", "utf-8")
    for sources in ((), ("agg-gb200", "disagg-gb200"), (str(engine),)):
        with pytest.raises(InputError):
            wanted(Request(sources), "serving")


def test_what_helm_refuses_is_told_with_its_place() -> None:
    with pytest.raises(InputError, match="gptoss check agg-gb200 says more"):
        wanted(Request(("agg-gb200",), settings=("workers.worker.colour=red",)), "serving")


def worker(**own: Any) -> dict[str, Any]:
    main = {"name": "main", "resources": {"limits": {GPU: "8"}}}
    return {"name": "worker", "podTemplate": {"spec": {"containers": [main]}}, **own}


def test_pods_of_several_nodes_are_counted_and_none_where_replicas_are_none() -> None:
    graph = {"kind": "DynamoGraphDeployment", "metadata": {"name": "a"}}
    for own, count in (({"replicas": 3, "multinode": {"nodeCount": 2}}, 6), ({"replicas": 0}, 0)):
        (found,) = pod_sets([{**graph, "spec": {"components": [worker(**own)]}}])
        assert found.count == count
        assert not found.everywhere


def test_a_pod_takes_what_runs_together_or_the_largest_that_runs_before() -> None:
    def container(cpu: str, **own: Any) -> dict[str, Any]:
        return {"name": "a", "resources": {"requests": {"cpu": cpu}}, **own}

    spec = {
        "initContainers": [container("1", restartPolicy="Always"), container("6")],
        "containers": [container("2"), container("500m")],
        "overhead": {"cpu": "1"},
    }
    assert requests(spec)["cpu"] == Fraction(8)
    spec["initContainers"] = []
    assert requests(spec)["cpu"] == Fraction(7, 2)
