"""Where weights may lie, before the API server, its admission, and the scheduler."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from testcluster.machines import node_names
from tests.chart.rendering import dumped, objects, one, pods, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from testcluster.control_plane import Cluster

pytestmark = pytest.mark.cluster

TARGET, NODES = "agg-gb200", set(node_names("gb200"))
JOBS = ("benchmark.enabled=true", "prefetch.releases={1.6.1}")
CLAIM = ("modelCache.existingClaim=weights", "modelCache.subPath=a/b")
IMAGE = ("modelCache.image=registry.example.com/gpt-oss-120b:1", "modelCache.path=.")
STORAGE = ("modelCache.download.source=s3://a/b", "modelCache.download.client.existingSecret=s3")
DISK = ("modelCache.hostPath=/mnt/nvme",)
RESTRICTED = "restricted"


@pytest.fixture(scope="module")
def restricted(cluster: Cluster) -> Iterator[str]:
    """A namespace of the strictest Pod Security Standard."""
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": RESTRICTED}}
    space["metadata"] |= {"labels": labels}  # type: ignore[operator]
    cluster.kubectl("create", "--filename", "-", given=json.dumps(space))
    cluster.kubectl("wait", "--for=create", "serviceaccount/default", "-n", RESTRICTED)
    yield RESTRICTED
    cluster.kubectl("delete", "namespace", RESTRICTED, "--wait=false")


@pytest.mark.parametrize("settings", [CLAIM, IMAGE, STORAGE], ids=["claim", "image", "storage"])
def test_every_pod_is_admitted_where_pods_are_restricted(
    settings: tuple[str, ...], cluster: Cluster, restricted: str
) -> None:
    cluster.accepts(text(TARGET, *JOBS, *settings))
    made = [*pods(objects(TARGET, *JOBS, *settings)).values()]
    for pod in made:
        pod["metadata"]["namespace"] = restricted
        pod["spec"].pop("serviceAccountName", None)  # it is in the namespace of the release
    flags = ("--dry-run=server", "--validate=strict", "--filename", "-")
    cluster.kubectl("create", *flags, given=dumped(made))


def test_disks_of_nodes_are_for_privileged_namespaces(cluster: Cluster, restricted: str) -> None:
    cluster.accepts(text(TARGET, *JOBS, *DISK))
    worker = pods(objects(TARGET, *DISK))["worker"]
    flags = ("--dry-run=server", "-n", restricted, "--filename", "-")
    done = cluster.run("create", *flags, given=json.dumps(worker))
    assert "hostPath" in done.stderr
    assert "violates PodSecurity" in done.stderr


@pytest.mark.parametrize(("part", "settings"), [("prefetch", JOBS), ("download", DISK)])
def test_every_node_of_the_gpu_is_prepared_and_no_other(
    part: str, settings: tuple[str, ...], cluster: Cluster
) -> None:
    found = one("DaemonSet", objects(TARGET, *settings), f"-{part}")
    cluster.kubectl("apply", "--filename", "-", given=json.dumps(found))
    try:
        name = found["metadata"]["name"]
        cluster.kubectl("rollout", "status", f"daemonset/{name}", "--timeout=60s")
        made = cluster.objects("pods", "-l", f"app.kubernetes.io/component={part}")
        assert {pod["spec"]["nodeName"] for pod in made} == NODES
    finally:
        cluster.kubectl("delete", "daemonset", found["metadata"]["name"])
