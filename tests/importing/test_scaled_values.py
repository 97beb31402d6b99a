"""Autoscalers and budgets among manifests become values that make the same again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gptoss.facts.world import Facts
from gptoss.importing.context import Outcome
from gptoss.importing.convert import Imported, convert
from gptoss.importing.document import plain
from gptoss.sources.load import load
from gptoss.sources.request import Request
from tests.chart.rendering import dumped, objects, with_values

if TYPE_CHECKING:
    from pathlib import Path

KINDS = ("ScaledObject", "HorizontalPodAutoscaler", "PodDisruptionBudget")


def imported(folder: Path, given: list[dict[str, Any]]) -> Imported:
    file = folder / "manifests.yaml"
    file.write_text(dumped(given), encoding="utf-8")
    (deployment,) = load(Request((str(file),))).deployments
    return convert(deployment, Facts())


def scaling(found: list[dict[str, Any]]) -> dict[str, Any]:
    return {f"{o['kind']} {o['metadata']['name']}": o["spec"] for o in found if o["kind"] in KINDS}


@pytest.mark.parametrize("target", ["everything", "everything-serve"])
def test_what_the_chart_makes_is_carried_over_but_for_what_it_has_no_target_for(
    target: str, tmp_path: Path
) -> None:
    before = objects(target)
    result = imported(tmp_path, before)
    left = [n.message for n in result.notes if n.kind is Outcome.LEFT_OUT]
    foreign = {"everything": "cron", "everything-serve": "cpu"}[target]
    assert [told for told in left if "the chart has no such target" in told] == [
        told for told in left if f": {foreign}: " in told
    ]
    wanted, made = scaling(before), scaling(with_values(plain(result.values)))
    assert made.keys() == wanted.keys()
    for name, spec in made.items():
        theirs = wanted[name]
        for key in ("minReplicas", "maxReplicas", "minReplicaCount", "maxReplicaCount"):
            assert spec.get(key) == theirs.get(key), name
        for key in ("minAvailable", "maxUnavailable", "scaleTargetRef"):
            assert spec.get(key) == theirs.get(key), name
        for ours in spec.get("triggers", []):
            same = [t for t in theirs["triggers"] if t["type"] == ours["type"]]
            assert {k: v for k, v in ours.items() if k != "authenticationRef"} in [
                {k: v for k, v in each.items() if k != "authenticationRef"} for each in same
            ]
        assert all(metric in theirs["metrics"] for metric in spec.get("metrics", []))


def test_an_autoscaler_of_which_nothing_can_be_carried_is_told_and_left_out(
    tmp_path: Path,
) -> None:
    given = objects("agg-gb200")
    given.append(
        {
            "apiVersion": "keda.sh/v1alpha1",
            "kind": "ScaledObject",
            "metadata": {"name": "nightly"},
            "spec": {
                "scaleTargetRef": {
                    "apiVersion": "nvidia.com/v1alpha1",
                    "kind": "DynamoGraphDeploymentScalingAdapter",
                    "name": "gpt-oss-worker",
                },
                "triggers": [{"type": "cron", "metadata": {"desiredReplicas": "2"}}],
            },
        }
    )
    result = imported(tmp_path, given)
    assert "autoscaling" not in plain(result.values)["workers"]["worker"]
    (note,) = [n for n in result.notes if "nightly" in n.message]
    assert note.kind is Outcome.LEFT_OUT
