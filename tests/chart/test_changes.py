"""The chart refuses a change that cannot be made in place, when it is told what is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.chart.rendering import CHART, run

if TYPE_CHECKING:
    from pathlib import Path

DISAGGREGATED, AGGREGATED = "target: disagg-gb200\n", "target: agg-gb200\n"
SERVER = "target: serve-h100-2\n"
# As helm prints them.
HEAD = "USER-SUPPLIED VALUES:\n"


def rendered(folder: Path, before: str, after: str, helm: str = "helm4") -> str:
    """Why Helm refuses values in place of others; '' when it does not."""
    installed, mine = folder / "installed.yaml", folder / "mine.yaml"
    installed.write_text(HEAD + before)
    mine.write_text(after)
    told = ("-f", str(mine), "--set-file", f"installed={installed}")
    done = run(helm, "template", "gpt-oss", str(CHART), *told)
    return done.stderr if done.returncode else ""


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (AGGREGATED, DISAGGREGATED, "workers: worker are installed, and the operator refuses"),
        (SERVER, AGGREGATED, "runtime.kind: trtllm-serve is installed"),
        (AGGREGATED, f"{AGGREGATED}runtime: {{release: 1.5.1}}", "runtime.apiVersion: v1alpha1 is"),
        (
            AGGREGATED,
            f"{AGGREGATED}workers: {{worker: {{nodes: 2}}}}",
            "workers.worker.nodes: it is installed on 1 nodes",
        ),
        (SERVER, f"{SERVER}nameOverride: chat", "nameOverride: gpt-oss is installed"),
        (
            AGGREGATED,
            f"{AGGREGATED}modelCache: {{storageClassName: fast}}",
            "modelCache.storageClassName: the claim is installed with null",
        ),
        (
            f"{AGGREGATED}modelCache: {{size: 0.2Ti}}",
            f"{AGGREGATED}modelCache: {{size: 150Gi}}",
            "modelCache.size: the claim is installed with 0.2Ti",
        ),
        ("frontend: {replicas: 2}", AGGREGATED, "installed: it chooses no target"),
        ("a: [", AGGREGATED, "installed: it is no YAML"),
    ],
)
def test_a_change_that_is_refused_later_is_refused_now(
    before: str, after: str, said: str, tmp_path: Path
) -> None:
    assert said in rendered(tmp_path, before, after)


def test_a_change_that_can_be_made_is_rendered_by_both_helms(tmp_path: Path) -> None:
    before = f"{AGGREGATED}modelCache: {{size: 150Gi}}\ninstalled: 'target: disagg-gb200'"
    after = f"{AGGREGATED}modelCache: {{size: 0.2Ti}}\nworkers: {{worker: {{replicas: 3}}}}"
    for helm in ("helm3", "helm4"):
        assert rendered(tmp_path, before, after, helm) == ""
