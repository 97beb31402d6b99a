"""chart-testing installs, tests and removes the chart, as it is called in many pipelines."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from testcluster.control_plane import BIN
from testcluster.programs import PATIENCE
from tests.chart.rendering import CHART, ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from testcluster.control_plane import Cluster

pytestmark = pytest.mark.cluster


@pytest.mark.parametrize(("target", "helm"), [("serve-h100-2", "helm3"), ("agg-gb200", "helm4")])
def test_ct_install_runs(target: str, helm: str, cluster: Cluster, tmp_path: Path) -> None:
    """With one of the files that ct finds in the chart, for all of them take a while."""
    chart, programs = tmp_path / "charts" / "gpt-oss", tmp_path / "bin"
    shutil.copytree(CHART, chart, ignore=lambda folder, names: _others(folder, names, target))
    programs.mkdir()
    (programs / "helm").symlink_to(BIN / helm)
    (programs / "kubectl").symlink_to(BIN / "kubectl")
    done = subprocess.run(
        [BIN / "ct", "install", "--config", "tools/setup/ct.yaml", "--charts", str(chart)],
        cwd=ROOT,
        env={
            **os.environ,
            "PATH": f"{programs}:{os.environ['PATH']}",
            "KUBECONFIG": str(cluster.kubeconfig),
            "KUBECACHEDIR": str(tmp_path / "cache"),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=2 * PATIENCE,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{target}-values.yaml" in done.stdout
    assert "Phase:          Succeeded" in done.stdout
    assert "All charts installed successfully" in done.stdout


def _others(folder: str, names: list[str], target: str) -> list[str]:
    """What of the chart is not copied: values of other targets."""
    if folder != str(CHART / "ci"):
        return []
    return [name for name in names if name != f"{target}-values.yaml"]
