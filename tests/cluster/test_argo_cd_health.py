"""When Argo CD calls a target Healthy, what it waits for, and what it leaves alone."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from testcluster.control_plane import BIN
from tests.cluster.argo_cd import (
    SHIPPED,
    ArgoCd,
    health,
    synced,
)
from tests.cluster.served import CLAIM, GRAPH, Served

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.cluster


def test_it_is_healthy_only_when_the_graph_is_and_a_commit_mends_it(argo: ArgoCd) -> None:
    served = Served(argo, "nowhere", "agg-gb200")
    nowhere = served.change(lambda v: v["hardware"].update(nodeSelector={"pool": "none"}))
    argo.application("nowhere", served.file)
    waiting = argo.watched.until("nowhere", synced(nowhere))
    assert health(waiting) == "Progressing", "its sync is over, and pods wait for a node"
    assert ready(served.object(GRAPH)) != "True"
    served.change()
    served.runs()
    assert ready(served.object(GRAPH)) == "True"
    served.remove()


def test_the_download_does_not_wait_for_a_claim_that_waits_for_it(argo: ArgoCd) -> None:
    name = "at-first-use"
    storage = [
        {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "metadata": {"name": name},
            "provisioner": "kubernetes.io/no-provisioner",
            "volumeBindingMode": "WaitForFirstConsumer",
        },
        {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": name},
            "spec": {
                "capacity": {"storage": "500Gi"},
                "accessModes": ["ReadWriteMany"],
                "storageClassName": name,
                "nfs": {"server": "nfs.example.com", "path": "/first"},
            },
        },
    ]
    things = json.dumps({"apiVersion": "v1", "kind": "List", "items": storage[:1]})
    argo.cluster.kubectl("apply", "--filename", "-", given=things)
    served = Served(argo, "first-use", "serve-h100-2")
    revision = served.change(lambda v: v.update(modelCache={"storageClassName": name}))
    argo.application("first-use", served.file)
    # Nothing to bind to yet: the sync is over all the same, and has made the Job.
    waiting = argo.watched.until("first-use", synced(revision))
    assert health(waiting) == "Progressing"
    assert served.object(f"pvc/{CLAIM}")["status"]["phase"] == "Pending"
    assert len(served.jobs("download")) == 1
    argo.cluster.kubectl("apply", "--filename", "-", given=json.dumps(storage[1]))
    served.runs()
    assert served.object(f"pvc/{CLAIM}")["status"]["phase"] == "Bound"
    served.remove()
    argo.cluster.kubectl("delete", f"storageclass/{name}", f"pv/{name}", "--wait=false")


def test_deleting_the_application_removes_all_but_the_claim(argo: ArgoCd) -> None:
    served = Served(argo, "gone", "serve-h100-2")
    served.change()
    argo.application("gone", served.file)
    served.runs()
    argo.delete("gone")
    kinds = "deployments,services,jobs,configmaps,persistentvolumeclaims,roles"
    left = argo.cluster.objects(kinds, *served.here)
    names = {thing["metadata"]["name"] for thing in left} - {"kube-root-ca.crt"}
    assert names == {CLAIM}
    argo.cluster.kubectl("delete", "namespace", *served.here[1:], "--wait=false")


@pytest.mark.parametrize(
    ("status", "wanted"),
    [
        (None, "Progressing"),
        ({}, "Progressing"),
        ({"state": "initializing"}, "Progressing"),
        ({"state": "pending", "observedGeneration": 3}, "Progressing"),
        ({"state": "successful", "observedGeneration": 3}, "Healthy"),
        ({"state": "successful"}, "Healthy"),
        ({"state": "successful", "observedGeneration": 2}, "Progressing"),
        ({"state": "failed", "observedGeneration": 3}, "Degraded"),
        ({"state": "failed", "observedGeneration": 2}, "Progressing"),
    ],
)
def test_argo_cd_takes_a_graph_for(
    status: dict[str, Any] | None, wanted: str, tmp_path: Path
) -> None:
    told = [
        {"type": "Ready", "status": "False", "reason": "why", "message": "what the operator says"}
    ]
    graph = {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoGraphDeployment",
        "metadata": {"name": "gpt-oss", "generation": 3},
    }
    if status is not None:
        graph["status"] = {**status, "conditions": told}
    (tmp_path / "graph.yaml").write_text(json.dumps(graph), encoding="utf-8")
    words = ["admin", "settings", "resource-overrides", "health", str(tmp_path / "graph.yaml")]
    done = subprocess.run(
        [BIN / "argocd", *words, "--argocd-cm-path", SHIPPED / "argocd-cm.yaml"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"STATUS: {wanted}\n" in done.stdout
    assert ("why: what the operator says\n" in done.stdout) == (status is not None)
    of_before = (status or {}).get("observedGeneration") == 2
    assert ("generation 2 is the last that was made" in done.stdout) == of_before


def ready(graph: dict[str, Any]) -> str:
    conditions = graph.get("status", {}).get("conditions", [])
    return "".join(c["status"] for c in conditions if c["type"] == "Ready")
