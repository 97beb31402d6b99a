"""The chart is read by a Helm that was not told which Kubernetes there is."""

from pathlib import Path

from gptoss.facts import folders
from gptoss.sources.chart.helm import ChartSource, find_helm, render


def test_a_helm_that_takes_an_unknown_cluster_for_1_20_renders_the_chart(tmp_path: Path) -> None:
    helm = tmp_path / "helm"
    helm.write_text(f'#!/bin/sh\nshift\nexec "{find_helm()}" template --kube-version 1.20.0 "$@"\n')
    helm.chmod(0o755)
    target = ChartSource("agg-gb200", (folders.values_files()["agg-gb200"],))
    assert "kind: DynamoGraphDeployment" in render(target, str(helm)).output
