"""The pods that the stand-in makes of a graph."""

from __future__ import annotations

from typing import Any

import pytest

from testcluster.operator.conversion import BETA
from testcluster.operator.pods import template
from testcluster.operator.workloads import deployments, shared, strategy

Part = dict[str, Any]


def graph(component: Part, **spec: Any) -> Part:
    metadata = {"name": "graph", "namespace": "space", "uid": "0"}
    return {"apiVersion": BETA, "metadata": metadata, "spec": {"components": [component], **spec}}


def component(kind: str, image: str = "runtime:1.3.1", **main: Any) -> Part:
    container = {"name": "main", "image": image, **main}
    pod = {"metadata": {}, "spec": {"containers": [container]}}
    return {"name": kind, "type": kind, "podTemplate": pod}


def pod(given: Part, **spec: Any) -> Part:
    return template(graph(given, **spec), given, "name", "")


def main_of(given: Part, **spec: Any) -> Part:
    found: Part = pod(given, **spec)["spec"]["containers"][-1]
    return found


def environment(given: Part, **spec: Any) -> Part:
    return {one["name"]: one.get("value") for one in main_of(given, **spec)["env"]}


def test_what_a_component_does_not_say_comes_with_its_type() -> None:
    frontend, worker, other = (main_of(component(k)) for k in ("frontend", "decode", "main"))
    assert (frontend["command"], frontend["args"]) == (["python3"], ["-m", "dynamo.frontend"])
    assert frontend["readinessProbe"]["httpGet"] == {"path": "/health", "port": "http"}
    assert [port["containerPort"] for port in worker["ports"]] == [9090, 19090]
    assert worker["startupProbe"]["failureThreshold"] == 720
    assert not {"ports", "livenessProbe", "readinessProbe", "startupProbe"} & set(other)


@pytest.mark.parametrize(
    ("image", "failures", "checked"),
    [("runtime:1.4.2", 1, "false"), ("runtime:1.5.0", 3, "true"), ("runtime:mine", 1, "false")],
)
def test_runtimes_from_1_5_may_be_late_and_check_themselves(
    image: str, failures: int, checked: str
) -> None:
    worker = component("worker", image)
    assert main_of(worker)["livenessProbe"]["failureThreshold"] == failures
    assert environment(worker)["DYN_HEALTH_CHECK_ENABLED"] == checked


def test_a_probe_of_the_graph_replaces_the_default_whole() -> None:
    probe = {"httpGet": {"path": "/live", "port": 9090}}
    assert main_of(component("worker", livenessProbe=probe))["livenessProbe"] == probe


def test_the_nearer_environment_wins_and_is_sorted_by_name() -> None:
    near = [{"name": "B", "value": "near"}, {"name": "DYN_SYSTEM_PORT", "value": "1"}]
    far = [{"name": "B", "value": "far"}, {"name": "A", "value": "far"}]
    found = environment(component("worker", env=near), env=far)
    assert (found["A"], found["B"], found["DYN_SYSTEM_PORT"]) == ("far", "near", "1")
    assert (found["DYN_COMPONENT"], found["DYN_NAMESPACE"]) == ("worker", "space-graph")
    assert list(found) == sorted(found)


@pytest.mark.parametrize(("said", "size"), [(None, "8Gi"), ("80Gi", "80Gi"), ("0", None)])
def test_shared_memory_is_a_volume_of_the_size_that_is_said(
    said: str | None, size: str | None
) -> None:
    given = component("worker") | ({"sharedMemorySize": said} if said else {})
    spec = pod(given)["spec"]
    assert [one["emptyDir"]["sizeLimit"] for one in spec["volumes"]] == ([size] if size else [])
    mounts = [mount["mountPath"] for mount in spec["containers"][0]["volumeMounts"]]
    assert mounts == (["/dev/shm"] if size else [])  # noqa: S108 (a mount)


def test_a_pod_of_its_own_making_keeps_what_it_says() -> None:
    given = component("worker")
    own = {"serviceAccountName": "mine", "securityContext": {"runAsUser": 1}}
    given["podTemplate"]["spec"] |= {**own, "terminationGracePeriodSeconds": 360}
    given["podTemplate"]["spec"]["containers"].append({"name": "proxy"})
    labels = {"mine": "kept", "nvidia.com/dynamo-component": "wrong"}
    given["podTemplate"]["metadata"] = {"labels": labels}
    found = pod(given)
    assert own.items() <= found["spec"].items()
    assert [container["name"] for container in found["spec"]["containers"]] == ["proxy", "main"]
    assert found["metadata"]["labels"]["mine"] == "kept"
    assert found["metadata"]["labels"]["nvidia.com/dynamo-component"] == "worker"


def test_other_pods_get_the_graphs_account_and_group_of_files() -> None:
    given = component("worker")
    spec = pod(given)["spec"]
    assert spec["securityContext"] == {"fsGroup": 1000}
    names = [thing["metadata"]["name"] for thing in shared(graph(given))]
    assert spec["serviceAccountName"] in names


def test_annotations_choose_how_pods_are_replaced() -> None:
    given = component("worker")
    prefix = "nvidia.com/deployment-"
    surge = {f"{prefix}rolling-update-max-surge": "0"}
    update = strategy(graph(given, annotations=surge), given)["rollingUpdate"]
    assert update == {"maxSurge": 0, "maxUnavailable": "25%"}
    given["podTemplate"]["metadata"]["annotations"] = {f"{prefix}strategy": "Recreate"}
    assert strategy(graph(given, annotations=surge), given) == {"type": "Recreate"}


def test_workers_are_named_with_their_hash_and_others_without() -> None:
    names = []
    for kind in ("frontend", "worker"):
        given = component(kind)
        (made,) = deployments(graph(given), given, 1)
        names.append(made["metadata"]["name"])
    assert names[0] == "graph-frontend"
    assert names[1].startswith("graph-worker-")
