"""``gptoss bench report`` as it is typed."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from gptoss.cli import main
from tests.benchmarking.folders_of_runs import DATA, PLAN, SERVING, run_folder, write_json

if TYPE_CHECKING:
    from pathlib import Path

WIDTH = 100


def report(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["bench", "report", *map(str, words)])


def as_json(*words: str | Path) -> dict[str, Any]:
    result = report(*words, "--format", "json")
    assert result.exit_code == 0, result.output
    content: dict[str, Any] = json.loads(result.stdout)
    return content


def test_failed_requests_stand_before_every_number() -> None:
    text = report(DATA / "0.13.0" / "errors").stdout
    assert text.startswith("Problems\n  errors, concurrency 4: 28 of 40 requests failed (70%)")
    assert text.index("28 of 40") < text.index("tok/s")
    assert "24 x 503: Model `openai/gpt-oss-120b` is not ready" in text


def test_text_fits_a_hundred_columns(tmp_path: Path) -> None:
    long = {f"worker.a_rather_long_setting.of_number_{i}": "v" * 40 for i in range(3)}
    run_folder(tmp_path / "before-the-change", settings=long)
    run_folder(tmp_path / "after-the-change-of-a-name", kind="runs")
    result = report(*tmp_path.iterdir(), "--baseline", DATA / "0.12.0" / "runs")
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= WIDTH


def test_a_run_held_against_itself_does_not_differ(tmp_path: Path) -> None:
    folder = run_folder(tmp_path / "run")
    again = run_folder(tmp_path / "again")
    content = as_json(folder, "--baseline", again)
    changes = [c for p in content["comparisons"][0]["points"] for c in p["changes"]]
    assert {change["percent"] for change in changes} <= {0, None}
    assert {change["verdict"] for change in changes} == {"same"}
    assert content["differences"] == []


def test_a_difference_within_the_spread_is_no_verdict(tmp_path: Path) -> None:
    base = run_folder(tmp_path / "base", kind="runs", steps=None)
    run = run_folder(tmp_path / "run", kind="runs", version="0.12.0", steps=None)
    changes = as_json(run, "--baseline", base)["comparisons"][0]["points"][0]["changes"]
    spreads = [change for change in changes if change["spreadPercent"] is not None]
    assert {"tokensPerSecondPerGpu", "ttftP50Ms"} <= {change["metric"] for change in spreads}
    for change in spreads:
        assert (change["verdict"] == "same") == (abs(change["percent"]) <= change["spreadPercent"])


def test_what_differs_in_force_is_said(tmp_path: Path) -> None:
    run_folder(tmp_path / "a")
    settings = {**PLAN["settings"], "decode.max_batch_size": 1024}
    run_folder(tmp_path / "b", settings=settings, release="1.6.1")
    differences = {d["path"]: d["values"] for d in as_json(tmp_path)["differences"]}
    assert differences == {
        "release": {"a": "1.3.1", "b": "1.6.1"},
        "decode.max_batch_size": {"a": "512", "b": "1024"},
    }


@pytest.mark.parametrize("given", ["both", "baseline"])
def test_runs_of_other_traffic_are_called_not_comparable_in_one_line(
    given: str,
) -> None:
    first, second = DATA / "0.13.0" / "single", DATA / "0.13.0" / "interval"
    words = (second, "--baseline", first) if given == "baseline" else (first, second)
    said = " ".join(report(*words).stdout.split())
    assert "interval: not comparable with " in said
    assert "ISL 130, there 64; OSL 1000, there 20; temperature unset, there 0" in said
    assert said.count("not comparable") == 1


def test_runs_of_the_same_traffic_are_comparable_whatever_serves_it(tmp_path: Path) -> None:
    run_folder(tmp_path / "a")
    run_folder(tmp_path / "b", release="1.6.1", gpus={"aggregated": 8})
    assert "not comparable" not in report(tmp_path).stdout


def test_another_stream_interval_makes_first_tokens_not_comparable(tmp_path: Path) -> None:
    run_folder(tmp_path / "a")
    run_folder(tmp_path / "b", stream_interval={"prefill": 1, "decode": 1})
    said = " ".join(report(tmp_path).stdout.split())
    assert "b: not comparable with a: stream_interval 1, there 20" in said


def test_the_table_has_what_benchmark_serving_prints(tmp_path: Path) -> None:
    write_json(tmp_path / "result.json", SERVING)
    said = report(tmp_path).stdout
    for head in ("req/s", "tok/s", "total tok/s", "tok/s/user", "tok/s/request"):
        assert head in said
    for wait in ("TTFT", "ITL (TPOT)", "ICL", "E2EL"):
        assert all(f"{wait} {each}" in said for each in ("mean", "p50", "p99"))
    assert max(map(len, said.splitlines())) <= 100
    [point] = as_json(tmp_path)["runs"][0]["points"]
    assert (point["e2elMeanMs"], point["iclP99Ms"]) == (5000.0, 260.0)
    assert (point["totalTokensPerSecond"], point["tokensPerSecondPerRequest"]) == (2940.0, 90.0)


def test_the_bias_of_the_stream_interval_is_said_where_it_applies(tmp_path: Path) -> None:
    with_interval = run_folder(tmp_path / "a")
    said = " ".join(report(with_interval).stdout.split())
    assert "TTFT contains about 20 x ITL" in said
    assert "ITL says nothing" in said
    longer = run_folder(tmp_path / "b", stream_interval={"decode": 4, "prefill": 20})
    said = " ".join(report(longer).stdout.split())
    assert (
        "TTFT contains about 4 x ITL (6.48 ms at concurrency 4), and ITL is about 20% short" in said
    )
    plans: list[dict[str, Any]] = [
        {"stream_interval": {"decode": 1}},
        {"model": "other/model"},
        {"stream_interval": None},
    ]
    for number, plan in enumerate(plans):
        without = run_folder(tmp_path / f"without-{number}", **plan)
        assert "x ITL" not in report(without).stdout


def test_a_prediction_is_compared_and_says_how_far_to_believe_it(tmp_path: Path) -> None:
    told = {"source": "a model", "confidence": "extrapolated", "points": [
        {"concurrency": 4, "tokensPerSecondPerGpu": 100.0, "ttftMs": 50.0}]}  # fmt: skip
    text = report(run_folder(tmp_path / "run", prediction=told)).stdout
    assert "against what a model predicted (extrapolated)" in text
    assert "predicted" not in report(run_folder(tmp_path / "none")).stdout


def test_csv_has_one_line_a_point(tmp_path: Path) -> None:
    output = tmp_path / "report.csv"
    base = DATA / "0.12.0" / "sweep"
    assert report(DATA / "0.13.0" / "sweep", "--baseline", base, "--output", output).output == ""
    rows = list(csv.DictReader(output.read_text("utf-8").splitlines()))
    assert [(r["run"], r["role"], r["concurrency"]) for r in rows] == [
        ("0.13.0/sweep", "run", "2"),
        ("0.13.0/sweep", "run", "4"),
        ("0.12.0/sweep", "baseline", "2"),
        ("0.12.0/sweep", "baseline", "4"),
    ]


def test_gpus_are_given_where_no_plan_says_them(tmp_path: Path) -> None:
    path = write_json(tmp_path / "result.json", SERVING)
    assert as_json(path)["runs"][0]["points"][0]["tokensPerSecondPerGpu"] is None
    assert "give --gpus" in report(path).stdout
    given = as_json(path, "--gpus", "prefill=4,decode=4")["runs"][0]["points"][0]
    assert given["tokensPerSecondPerGpu"] * 2 == given["tokensPerSecondPerDecodeGpu"] == 245


@pytest.mark.parametrize(
    "words",
    [
        ["nowhere"],
        [str(DATA / "0.13.0" / "single"), "--gpus", "many"],
        [str(DATA / "0.13.0" / "single"), "--output", "report.docx"],
        [str(DATA / "0.13.0" / "single"), str(DATA / "0.13.0" / "single")],
    ],
)
def test_what_cannot_be_done_is_one_message_and_exit_code_2(words: list[str]) -> None:
    result = report(*words)
    assert result.exit_code == 2
    assert result.stderr.startswith("gptoss: ")
    assert result.stderr.count("\n") == 1


def test_a_report_that_fails_leaves_the_file_before_it(tmp_path: Path) -> None:
    output = tmp_path / "report.json"
    output.write_text("before", encoding="utf-8")
    assert report("nowhere", "--output", output).exit_code == 2
    assert output.read_text("utf-8") == "before"


def test_a_baseline_in_the_folder_of_runs_is_no_run_beside_itself(tmp_path: Path) -> None:
    for name in ("before", "after"):
        run_folder(tmp_path / name)
    content = as_json(tmp_path, "--baseline", tmp_path / "before")
    assert [run["name"] for run in content["runs"]] == ["after"]
    alone = report(tmp_path / "before", "--baseline", tmp_path / "before")
    assert (alone.exit_code, "give a run to hold against it" in alone.stderr) == (2, True)


def test_help_has_an_example() -> None:
    assert "gptoss bench report results" in report("--help").stdout


def test_a_run_without_gpus_never_passes_for_a_measurement(tmp_path: Path) -> None:
    real = run_folder(tmp_path / "real")
    played = run_folder(tmp_path / "played", simulated=True, scale=0.01)
    text = " ".join(report(played).stdout.split())
    assert "simulated engine · scale 0.01" in text
    assert "say nothing of GPUs" in text
    assert "simulated" not in report(real).stdout
    compared = " ".join(report(played, "--baseline", real).stdout.split())
    assert "played: not comparable with real: engine simulated, there real" in compared


def test_a_price_gives_what_tokens_cost_in_every_form_and_the_break_even(tmp_path: Path) -> None:
    base = run_folder(tmp_path / "base")
    run = run_folder(tmp_path / "run")
    words = (run, "--baseline", base, "--price", "gb200=10")
    text = report(*words).stdout
    assert "Cost (gb200 $10.00 an hour" in text
    assert "break-even: run costs no more than base at any load" in text
    assert max(map(len, text.splitlines())) <= WIDTH
    assert "## Cost" in report(*words, "--format", "markdown").stdout
    assert "$/1M output" in report(*words, "--format", "html").stdout
    (point, *_) = as_json(*words)["runs"][0]["points"]
    output = point["tokensPerSecond"]
    expected = 50 * 1_000_000 / 3600 / output
    assert point["cost"]["dollars_per_million_output_tokens"] == pytest.approx(expected, rel=1e-3)
    assert point["cost"]["dollars_per_hour"] == 50


def test_a_gpu_without_a_price_is_named_and_no_price_says_nothing(tmp_path: Path) -> None:
    run = run_folder(tmp_path / "run")
    assert "give --price gb200=DOLLARS" in report(run, "--price", "b200=5").stdout
    assert "Cost" not in report(run).stdout
    assert "cost" not in as_json(run)["runs"][0]["points"][0]
