"""The Jobs' wait for a rollout, at the API server itself, with the rights that the chart gives."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from testcluster.programs import PATIENCE
from tests.chart.rendering import CHART
from tests.cluster.releases import Release

if TYPE_CHECKING:
    from pathlib import Path

    from testcluster.control_plane import Cluster

pytestmark = pytest.mark.cluster

WAITING = "wait-for-rollout"


class Waiting:
    """A release on a cluster, and the files that its waiting container would have."""

    def __init__(self, cluster: Cluster, folder: Path, namespace: str) -> None:
        self.cluster, self.folder = cluster, folder
        self.release = Release(cluster, "helm4", namespace)
        self.here = self.release.here
        self.account = folder / "account"
        self.account.mkdir()
        (self.account / "namespace").write_text(namespace)
        shutil.copy(cluster.kubeconfig.parent / "cert.pem", self.account / "ca.crt")

    def upgrade(self, *settings: str) -> dict[str, Any]:
        """Installs or upgrades; the new benchmark Job."""
        flags = [word for each in ("benchmark.enabled=true", *settings) for word in ("--set", each)]
        self.release.types("upgrade", "--install", self.release.name, str(CHART), *flags)
        label = "app.kubernetes.io/component=benchmark"
        (job,) = self.cluster.objects("jobs", *self.here, "--selector", label)
        return job

    def wait(self, job: dict[str, Any], seconds: int) -> subprocess.CompletedProcess[str]:
        """What the Job's container that waits runs, with its account's token and its files."""
        spec = job["spec"]["template"]["spec"]
        token = self.cluster.kubectl("create", "token", spec["serviceAccountName"], *self.here)
        (self.account / "token").write_text(token)
        (container,) = [c for c in spec["initContainers"] if c["name"] == WAITING]
        (scripts,) = [v["configMap"]["name"] for v in spec["volumes"] if v["name"] == "scripts"]
        found = self.cluster.kubectl("get", "configmap", scripts, *self.here, "-o", "json")
        mounted = self.folder / "scripts"
        mounted.mkdir(exist_ok=True)
        for name, text in json.loads(found)["data"].items():
            (mounted / name).write_text(text)
        words = [
            word.replace("/etc/gpt-oss/scripts", str(mounted)) for word in container["command"]
        ]
        server = self.cluster.kubectl(
            "config", "view", "-o", "jsonpath={.clusters[0].cluster.server}"
        )
        host, _, port = server.removeprefix("https://").rpartition(":")
        there = {"KUBERNETES_SERVICE_HOST": host, "KUBERNETES_SERVICE_PORT": port}
        return subprocess.run(
            [sys.executable, *words[1:-1], str(seconds), "--account", str(self.account)],
            env={**os.environ, **there},
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE + seconds,
        )

    def stamps(self) -> list[str]:
        """What the pods that serve say they are."""
        pods = self.cluster.objects("pods", *self.here)
        told = [pod["metadata"].get("annotations", {}).get("gpt-oss/rollout") for pod in pods]
        return sorted(stamp for stamp in told if stamp)


@pytest.mark.parametrize("target", ["disagg-gb200", "serve-h100-2"])
def test_a_job_waits_until_no_pod_of_before_serves(
    target: str, cluster: Cluster, tmp_path: Path
) -> None:
    namespace = f"rollout-{target}"
    cluster.kubectl("create", "namespace", namespace)
    try:
        release = Waiting(cluster, tmp_path, namespace)
        chosen = f"target={target}"
        first = release.upgrade(chosen)
        done = release.wait(first, PATIENCE)
        assert done.returncode == 0, done.stderr
        before = release.stamps()
        assert len(before) == (1 if target.startswith("serve") else 3)

        second = release.upgrade(chosen, "quantization.override=W4A16_MXFP4")
        assert second["metadata"]["name"] != first["metadata"]["name"]
        done = release.wait(second, PATIENCE)
        assert done.returncode == 0, done.stderr
        after = release.stamps()
        assert len(after) == len(before)
        workers = [stamp for stamp in before if "/frontend/" not in stamp]
        assert not set(workers) & set(after), "a pod of before still serves"

        cluster.kubectl("delete", "rolebinding", "gpt-oss-rollout", *release.here)
        done = release.wait(second, 0)
        assert done.returncode == 1
        assert "HTTP 403: pods is forbidden" in done.stderr
    finally:
        cluster.kubectl("delete", "namespace", namespace)
