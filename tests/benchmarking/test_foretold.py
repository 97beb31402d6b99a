"""Measured beside predicted: from the settings that a run has kept, as `gptoss plan` says it."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from gptoss.benchmarking.foretold import deployment_of, foretold
from gptoss.benchmarking.plans import Plan
from gptoss.benchmarking.run_report import Report, read_report
from gptoss.benchmarking.writing_reports import rendered
from gptoss.cli import main
from gptoss.planning.systems import system_of
from gptoss.rendering.beside import scripts_of
from gptoss.rendering.target import read_target
from gptoss.sources.load import load
from gptoss.sources.request import Request
from tests.benchmarking.folders_of_runs import run_folder


@cache
def kept(target: str) -> dict[str, Any]:
    """What a run of a target keeps of it."""
    told: dict[str, Any] = json.loads(scripts_of(read_target(Request((target,))))["target.json"])
    return told


def report(*words: str) -> Result:
    return CliRunner().invoke(main, ["bench", "report", *words], catch_exceptions=False)


def run_of(folder: Path, target: str = "disagg-b200", **plan: Any) -> str:
    return str(run_folder(folder / "run", **{**kept(target), **plan}))


@pytest.mark.parametrize("target", ["disagg-gb200", "agg-gb200", "serve-throughput-b200"])
def test_the_settings_of_a_run_are_read_as_its_target_is(target: str) -> None:
    (deployment,) = load(Request((target,))).deployments
    read = system_of(deployment_of(Plan.model_validate(kept(target))))
    planned = system_of(deployment)
    assert (read.decode, read.prefill) == (planned.decode, planned.prefill)
    assert read.trtllm == planned.trtllm


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A run with its prediction."""
    run = run_of(tmp_path_factory.mktemp("runs"))
    return foretold(read_report([Path(run)]), fetch=True)


def test_a_run_stands_beside_what_plan_says_of_its_target(held: Report) -> None:
    prediction = json.loads(rendered(held, "json"))["runs"][0]["prediction"]
    words = ["plan", "disagg-b200", "--clients", "2", "--clients", "4", "--format", "json"]
    planned = json.loads(CliRunner().invoke(main, words).stdout)["speed"]
    assert prediction["source"] == "gptoss plan"
    names = {
        "tokensPerSecondPerGpu": "tokens_per_second_per_gpu",
        "ttftP50Ms": "ttft_ms",
        "itlP50Ms": "itl_ms",
    }
    for point, said in zip(prediction["points"], planned, strict=True):
        base = {change["metric"]: change["base"] for change in point["changes"]}
        for metric, name in names.items():
            assert base[metric] == pytest.approx(said[name], rel=1e-3)


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_every_form_says_how_far_to_believe_it_and_who_holds_it_up(held: Report, form: str) -> None:
    told = rendered(held, form)
    assert "gptoss plan" in told
    assert "bottleneck: " in told
    assert any(word in told for word in ("within the grid", "measured nearby", "extrapolated"))


@pytest.mark.parametrize(
    "plan",
    [
        {"simulated": True},
        {"settings": {"decode.max_batch_size": 512}},
        {"gpu": None},
        {"gpu": "b999"},
        {"release": "0.0.1"},
    ],
    ids=lambda plan: next(iter(plan)),
)
def test_a_run_that_cannot_be_predicted_is_reported_alone_and_said_to_be_so(
    tmp_path: Path, plan: dict[str, Any]
) -> None:
    run = run_of(tmp_path, **plan)
    result = report(run, "--predicted")
    assert result.exit_code == 0, result.output
    assert "predicted" not in result.stdout
    assert "run: nothing is predicted, for its engine was simulated" in result.stderr
    assert report(run).stderr == ""


def test_what_was_predicted_before_a_run_is_not_predicted_again(tmp_path: Path) -> None:
    points = [{"concurrency": 2, "ttftMs": 50.0}]
    prediction = {"source": "somebody", "confidence": "measured nearby", "points": points}
    told = report(run_of(tmp_path, prediction=prediction)).stdout
    assert "against what somebody predicted (measured nearby)" in told
    assert "gptoss plan" not in told


def test_the_data_are_never_fetched_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "empty"))
    result = report(run_of(tmp_path))
    assert result.exit_code == 0, result.output
    assert "predicted" not in result.stdout
    assert not (tmp_path / "empty").exists()
