"""Charts from a registry, values from elsewhere, and what the project does not let through."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.argo_cd import (
    HERE,
    SHIPPED,
    VALUES,
    ArgoCd,
    commit,
    healthy,
)
from tests.cluster.served import Served

pytestmark = pytest.mark.cluster


def test_the_chart_comes_from_a_registry_and_values_from_another_repository(argo: ArgoCd) -> None:
    for name in ("repository", "application-oci", "application-values"):
        argo.apply((SHIPPED / f"{name}.yaml").read_text("utf-8"))
    for name in ("gpt-oss-oci", "gpt-oss-values"):
        argo.watched.until(name, healthy())
    values = Path(argo.places[VALUES].removeprefix("file://"))
    file = values / "serving" / "gpt-oss.yaml"
    measured = "benchmark: {enabled: true, podAnnotations: {simulated: done}}"
    file.write_text(f"target: serve-h100-2\n{measured}\n", encoding="utf-8")
    revision = commit(values)
    argo.refresh("gpt-oss-values")
    argo.watched.until("gpt-oss-values", lambda a: healthy()(a) and revision in revisions(a))
    label = "app.kubernetes.io/component=benchmark"
    (job,) = argo.cluster.objects("jobs", "--namespace=gpt-oss-values", "--selector", label)
    assert job["metadata"]["name"].startswith("gpt-oss-benchmark-")
    for name in ("gpt-oss-oci", "gpt-oss-values"):
        argo.delete(name)
        argo.cluster.kubectl("delete", "namespace", name, "--wait=false")


def test_the_project_lets_nothing_out_of_its_namespaces_and_kinds(argo: ArgoCd) -> None:
    served = Served(argo, "strict", "serve-h100-2")
    role: dict[str, Any] = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole"}
    role["metadata"] = {"name": "not-for-this-project"}
    served.change(lambda v: v.update(extraObjects=[role]))
    argo.application("strict", served.file)
    permitted = "ClusterRole is not permitted in project gpt-oss"
    argo.watched.until("strict", lambda a: permitted in json.dumps(a.get("status", {})))
    assert argo.cluster.run("get", "clusterrole/not-for-this-project").returncode != 0

    # Without its finalizer it can go from where it may not be.
    there: dict[str, Any] = {"spec": {"destination": {"namespace": "kube-system"}}}
    there["metadata"] = {"finalizers": []}
    argo.cluster.kubectl(
        "patch", "application/strict", *HERE, "--type=merge", f"--patch={json.dumps(there)}"
    )
    argo.watched.until(
        "strict", lambda a: "InvalidSpecError" in str(a.get("status", {}).get("conditions"))
    )
    argo.cluster.kubectl("delete", "application/strict", *HERE, "--wait=false")
    argo.cluster.kubectl(
        "delete", "namespace", *served.here[1:], "--ignore-not-found", "--wait=false"
    )


def revisions(application: dict[str, Any]) -> list[str]:
    return list(application["status"]["sync"].get("revisions", []))
