"""The cluster that everything here is tried on: nodes, storage, and users of few rights."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from gptoss.facts.world import Facts
from testcluster.control_plane import Cluster
from testcluster.machines import node_names
from testcluster.programs import PATIENCE
from tests.cluster.accounts import account

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.cluster

SPACE = "lab"
WAIT = ("wait", f"--timeout={PATIENCE}s", "--namespace", SPACE)


@pytest.fixture(scope="module")
def space(cluster: Cluster) -> Iterator[Cluster]:
    cluster.kubectl("create", "namespace", SPACE)
    cluster.kubectl(*WAIT, "--for=create", "serviceaccount/default")
    yield cluster
    cluster.kubectl("delete", "namespace", SPACE, "--wait=false")


def claim(storage_class: str, mode: str = "ReadWriteMany") -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": f"{storage_class}-{mode.lower()}"},
        "spec": {
            "storageClassName": storage_class,
            "accessModes": [mode],
            "resources": {"requests": {"storage": "300Gi"}},
        },
    }


def user_of(name: str) -> dict[str, Any]:
    """A pod that mounts a claim."""
    source = {"name": "data", "persistentVolumeClaim": {"claimName": name}}
    main = {"name": "main", "image": "registry.example.com/user:1"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"uses-{name}"},
        "spec": {"containers": [main], "volumes": [source]},
    }


def make(cluster: Cluster, *things: dict[str, Any]) -> None:
    given = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(things)})
    cluster.kubectl("create", "--namespace", SPACE, "--filename", "-", given=given)


def test_nodes_are_ready_and_say_what_they_have_as_real_ones_do(cluster: Cluster) -> None:
    nodes = {node["metadata"]["name"]: node for node in cluster.objects("nodes")}
    for key, gpu in Facts().gpus.items():
        for name in node_names(key):
            node = nodes.pop(name)
            labels = node["metadata"]["labels"]
            assert Facts().gpu_of(labels["nvidia.com/gpu.product"]) == gpu
            assert int(labels["nvidia.com/gpu.memory"]) == pytest.approx(gpu.memory_gib * 1024)
            assert labels["kubernetes.io/arch"] == gpu.architecture
            assert int(node["status"]["allocatable"]["nvidia.com/gpu"]) == gpu.per_node
            keys = {taint["key"] for taint in node["spec"]["taints"]}
            arm = gpu.architecture == "arm64"
            assert keys == {"nvidia.com/gpu", *(["kubernetes.io/arch"] if arm else [])}
    assert sorted(nodes) == sorted(node_names("cpu"))
    assert not any("taints" in node["spec"] for node in nodes.values())


def test_a_claim_is_bound_at_once_or_at_first_use_as_its_class_says(space: Cluster) -> None:
    names = {kind: f"{kind}-readwritemany" for kind in ("shared", "first-use")}
    make(space, *map(claim, names))
    space.kubectl(*WAIT, "--for=jsonpath={.status.phase}=Bound", f"pvc/{names['shared']}")
    late = space.kubectl("get", "pvc", "--namespace", SPACE, names["first-use"])
    assert "Pending" in late
    make(space, user_of(names["first-use"]))
    space.kubectl(*WAIT, "--for=jsonpath={.status.phase}=Running", "pod", "--all")
    space.kubectl(*WAIT, "--for=jsonpath={.status.phase}=Bound", f"pvc/{names['first-use']}")


def test_a_claim_grows_where_its_class_allows_it(space: Cluster) -> None:
    name = "shared-readwriteonce"
    make(space, claim("shared", "ReadWriteOnce"), claim("rigid"))
    for bound in (name, "rigid-readwritemany"):
        space.kubectl(*WAIT, "--for=jsonpath={.status.phase}=Bound", f"pvc/{bound}")
    larger = json.dumps({"spec": {"resources": {"requests": {"storage": "1Ti"}}}})
    space.kubectl("patch", "pvc", name, "--namespace", SPACE, "--patch", larger)
    space.kubectl(*WAIT, "--for=jsonpath={.status.capacity.storage}=1Ti", f"pvc/{name}")
    refused = space.run(
        "patch", "pvc", "rigid-readwritemany", "--namespace", SPACE, "--patch", larger
    )
    assert "must support resize" in refused.stderr


def test_a_class_of_disks_says_on_a_shared_claim_why_it_gets_no_volume(space: Cluster) -> None:
    name = "disk-readwritemany"
    make(space, claim("disk"), user_of(name))
    space.kubectl(*WAIT, "--for=jsonpath={.reason}=ProvisioningFailed", f"event/{name}.refused")
    event = space.kubectl("describe", "pvc", "--namespace", SPACE, name)
    assert "class disk has volumes of ReadWriteOnce alone" in event


def test_a_volume_goes_with_its_claim(space: Cluster) -> None:
    make(space, {**claim("shared"), "metadata": {"name": "short"}})
    bound = "--for=jsonpath={.status.phase}=Bound"
    space.kubectl(*WAIT, bound, "pvc/short")
    volume = ("get", "pvc", "short", "--namespace", SPACE, "-o", "jsonpath={.spec.volumeName}")
    name = space.kubectl(*volume)
    space.kubectl("delete", "pvc", "short", "--namespace", SPACE)
    space.kubectl("wait", f"--timeout={PATIENCE}s", "--for=delete", f"pv/{name}")


def test_an_account_may_do_what_its_rules_say_and_nothing_else(
    space: Cluster, tmp_path: Path
) -> None:
    rule = {"apiGroups": [""], "resources": ["nodes"], "verbs": ["list"]}
    reader = Cluster(account(space, SPACE, [rule], tmp_path))
    assert reader.objects("nodes")
    refused = reader.run("get", "pods").stderr
    assert "forbidden" in refused
    assert f'in the namespace "{SPACE}"' in refused
