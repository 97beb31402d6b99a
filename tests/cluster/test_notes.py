"""What Helm prints after an installation, typed line by line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from gptoss.sources.load import load
from gptoss.sources.request import Request
from tests.cluster.steps import follow
from tests.cluster.terminal import Terminal
from tests.cluster.visit import Visit

if TYPE_CHECKING:
    from pathlib import Path

    from testcluster.control_plane import Cluster
    from tests.chart.odd_server import Odd

pytestmark = pytest.mark.cluster

COMMAND = re.compile(r"^   (\S.*)$", re.MULTILINE)
JOBS = "benchmark.enabled=true,accuracy.enabled=true,accuracy.image=registry.internal/evals:0.0.9"


@pytest.mark.parametrize("target", ["disagg-gb200", "serve-h100-2"])
def test_every_command_of_the_notes_does_on_a_cluster_what_it_is_there_for(
    target: str, cluster: Cluster, server: Odd, tmp_path: Path
) -> None:
    namespace = f"notes-{target}"
    (deployment,) = load(Request((target,))).deployments
    terminal = Terminal(tmp_path, "helm4", cluster.kubeconfig, {})
    visit = Visit(cluster, terminal, namespace, deployment, server, [])
    options = f"-f values/{target}.yaml --set {JOBS} -n {namespace} --create-namespace"
    notes = terminal.type(f"helm install gpt-oss charts/gpt-oss {options}").partition("NOTES:")[2]
    try:
        for command in COMMAND.findall(notes):
            follow(visit, command)
    finally:
        terminal.close()
    assert {"watch", "wait for model", "ask", "follow log", "uninstall"} <= set(visit.taken)
    assert visit.names() == []
