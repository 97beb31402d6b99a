"""The pages of targets, as somebody follows them on a cluster, from the namespace to its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gptoss.sources.load import load
from gptoss.sources.request import Request
from tests.chart.rendering import ROOT
from tests.cluster.steps import follow
from tests.cluster.terminal import Terminal, commands, section
from tests.cluster.visit import Visit

if TYPE_CHECKING:
    from pathlib import Path

    from testcluster.control_plane import Cluster
    from tests.chart.odd_server import Odd

pytestmark = pytest.mark.cluster

TOKEN, EVALS_IMAGE = "hf_of_nobody", "registry.internal/evals:0.0.9"
# Each at least once; a page without one of them is not whole.
CYCLE = (
    "namespace", "secret", "install", "wait for download", "wait for model", "watch", "helm test",
    "forward", "ask", "log", "start Job", "follow log", "stop Job", "upgrade", "roll back",
    "uninstall", "delete", "delete namespace",
)  # fmt: skip


@pytest.mark.parametrize(
    ("target", "helm"),
    [
        ("agg-gb200", "helm4"),
        ("disagg-gb200", "helm3"),
        ("serve-h100-2", "helm4"),
    ],
)
def test_every_command_of_a_page_does_on_a_cluster_what_it_is_there_for(
    target: str, helm: str, cluster: Cluster, server: Odd, tmp_path: Path
) -> None:
    page = (ROOT / "docs" / "targets" / f"{target}.md").read_text(encoding="utf-8")
    namespace = f"{target}-{helm}"
    given = {"NAMESPACE": namespace, "HF_TOKEN": TOKEN, "EVALS_IMAGE": EVALS_IMAGE}
    terminal = Terminal(tmp_path, helm, cluster.kubeconfig, given)
    (deployment,) = load(Request((target,))).deployments
    asks = list(commands(section(page, "Ask it")))
    visit = Visit(cluster, terminal, namespace, deployment, server, asks)
    try:
        for heading in ("Before you start", "With Helm"):
            for command in commands(section(page, heading)):
                follow(visit, command)
    finally:
        terminal.close()
    assert set(CYCLE) <= set(visit.taken)
