"""The oldest Kubernetes that the chart is for, as ``make cluster KUBERNETES=oldest`` starts it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gptoss.text import plain_yaml
from testcluster.control_plane import Cluster
from testcluster.programs import PATIENCE
from tests.chart.rendering import CHART, ROOT, SHIPPED, dumped, objects, pods, run, text
from tests.cluster.terminal import warnings

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.cluster

JOBS = ("benchmark.enabled=true", "accuracy.enabled=true", "accuracy.image=r.example.com/evals:1")
# A graph and a server, of both architectures.
INSTALLED = {
    "helm4": ("agg-gb200", "condition=Ready", "dynamographdeployment/gpt-oss"),
    "helm3": ("serve-h100-2", "condition=Available", "deployment/gpt-oss-server"),
}


@contextmanager
def command(*words: str) -> Iterator[tuple[str, Cluster]]:
    """What the command says once its cluster runs, and that cluster; all is gone afterwards."""
    started = subprocess.Popen(
        [sys.executable, "-m", "testcluster", *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": "tools:."},
        stdout=subprocess.PIPE,
        text=True,
    )
    with started:
        assert started.stdout
        said = ""
        for line in started.stdout:
            said += line
            if "Ctrl-C" in line:
                break
        (path,) = re.findall(r"export KUBECONFIG=(\S+)", said)
        cluster = Cluster(Path(path))
        try:
            yield said, cluster
        finally:
            started.send_signal(signal.SIGTERM)
        assert started.wait(PATIENCE) == 0
        assert not cluster.kubeconfig.parent.exists()


def test_the_oldest_kubernetes_takes_every_target_and_runs_a_graph_and_a_server() -> None:
    chart = plain_yaml.load((CHART / "Chart.yaml").read_text(encoding="utf-8"))
    (oldest,) = re.findall(r"^>=(\d+\.\d+)\.", chart["kubeVersion"])
    with command("--kubernetes", "oldest") as (said, cluster):
        assert said.startswith(f"Kubernetes v{oldest}.")
        takes_every_target(cluster)
        for helm, (target, holds, what) in INSTALLED.items():
            runs(cluster, helm, target, holds, what)


def takes_every_target(cluster: Cluster) -> None:
    cluster.accepts("\n---\n".join(text(target, *JOBS) for target in SHIPPED))
    found = [thing for target in SHIPPED for thing in objects(target, *JOBS)]
    # A pod is refused without its account; a graph's definition does not look into its pods.
    accounts = [thing for thing in found if thing["kind"] == "ServiceAccount"]
    cluster.kubectl("apply", "-f", "-", given=dumped(accounts))
    every = [pod for target in SHIPPED for pod in pods(objects(target, *JOBS)).values()]
    cluster.accepts(dumped(every))


def runs(cluster: Cluster, helm: str, target: str, holds: str, what: str) -> None:
    space = f"oldest-{helm}"
    where = ("--kubeconfig", str(cluster.kubeconfig), "--namespace", space)
    values = ("--values", f"values/{target}.yaml", "--create-namespace")
    done = run(helm, "install", "gpt-oss", str(CHART), *where, *values)
    assert done.returncode == 0, done.stderr
    assert not warnings(done.stderr), done.stderr
    wait = ("wait", f"--timeout={PATIENCE}s", "--namespace", space)
    cluster.kubectl(*wait, "--for=condition=Complete", "job", "--all")
    cluster.kubectl(*wait, f"--for={holds}", what)
