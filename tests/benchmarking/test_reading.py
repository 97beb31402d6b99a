"""Every artifact that is promised to be read is read, and every other is refused by name."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from gptoss.benchmarking.gpus import Gpus
from gptoss.benchmarking.metrics import METRICS
from gptoss.benchmarking.run_folders import read_runs
from gptoss.benchmarking.timeline import RECORDS, timeline
from gptoss.text.errors import InputError
from tests.benchmarking.folders_of_runs import DATA, SERVING, VERSIONS, run_folder, write_json

if TYPE_CHECKING:
    from pathlib import Path

SUMMARY = "profile_export_aiperf.json"
# Left out of what was kept of aiperf's files.
TRIMMED = {"tokensPerSecondPerRequest", "iclMeanMs", "iclP50Ms", "iclP90Ms", "iclP99Ms"}
NOT_GIVEN = {"goodput", "tokensPerSecondPerGpu", "tokensPerSecondPerDecodeGpu", *TRIMMED}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_single_run_is_one_point_with_every_number(version: str) -> None:
    [run] = read_runs(DATA / version / "single", Gpus(prefill=1, decode=4))
    [point] = run.points
    assert point.tool == f"aiperf {version}"
    assert run.model == "openai/gpt-oss-120b"
    assert {metric.key for metric in METRICS if metric.of(point) is None} <= TRIMMED
    assert (point.concurrency, point.requests, point.errors) == (4, 24, 0)
    assert (point.isl_client, point.isl_server, point.osl) == (64, 72, 20)
    assert point.tokens_per_second == pytest.approx((point.tokens_per_second_per_gpu or 0) * 5)
    per_decode_gpu = point.tokens_per_second_per_decode_gpu
    assert point.tokens_per_second == pytest.approx((per_decode_gpu or 0) * 4)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_sweep_is_a_point_for_each_concurrency(version: str) -> None:
    [run] = read_runs(DATA / version / "sweep")
    assert [(p.concurrency, p.requests) for p in run.points] == [(2, 12), (4, 12)]
    for point in run.points:
        missing = {metric.key for metric in METRICS if metric.of(point) is None}
        assert missing <= NOT_GIVEN


@pytest.mark.parametrize("version", VERSIONS)
def test_profile_runs_are_one_point_of_their_means(version: str) -> None:
    [run] = read_runs(DATA / version / "runs")
    [point] = run.points
    rates = [trial.tokens_per_second for trial in point.trials]
    assert len(rates) == 2
    assert None not in rates
    assert point.tokens_per_second == pytest.approx(sum(rates) / 2)  # type: ignore[arg-type]
    assert point.requests == 24


@pytest.mark.parametrize("version", VERSIONS)
def test_failed_requests_are_a_problem_with_their_causes(version: str) -> None:
    [point] = read_runs(DATA / version / "errors")[0].points
    assert point.errors
    assert point.sent == 40
    assert sum(point.causes.values()) == point.errors
    assert point.problems[0].startswith(f"{point.errors} of 40 requests failed")
    assert any(cause.startswith("503: ") for cause in point.causes)


def test_the_warm_up_of_a_run_is_no_result() -> None:
    folder = DATA / "0.13.0" / "single"
    assert len(list(folder.rglob(SUMMARY))) == 3
    assert len(read_runs(folder)[0].points) == 1


def test_rates_that_leave_out_the_time_of_failures_are_called_too_high(tmp_path: Path) -> None:
    content = json.loads((DATA / "0.11.0" / "errors" / SUMMARY).read_text("utf-8"))
    content["end_time"] = content["start_time"].replace("T00:41:41", "T00:42:41")
    write_json(tmp_path / SUMMARY, content)
    [point] = read_runs(tmp_path)[0].points
    assert "rates are too high" in point.problems[-1]


def test_gpus_of_the_plan_win_over_those_given(tmp_path: Path) -> None:
    [run] = read_runs(run_folder(tmp_path / "run"), Gpus(aggregated=99))
    assert run.gpus == Gpus(prefill=1, decode=4)
    [without] = read_runs(run_folder(tmp_path / "other", gpus=None), Gpus(aggregated=99))
    assert without.gpus == Gpus(aggregated=99)


def test_a_step_that_left_nothing_stands_in_the_report_as_a_problem(tmp_path: Path) -> None:
    folder = run_folder(tmp_path / "run")
    (folder / "concurrency_4" / SUMMARY).unlink()
    (folder / "outcome.json").unlink()
    [run] = read_runs(folder)
    last = run.points[-1]
    assert (last.concurrency, last.tokens_per_second) == (4, None)
    assert "nothing was measured" in last.problems[0]


def test_a_step_in_which_all_failed_has_the_causes_that_the_run_noted(tmp_path: Path) -> None:
    folder = run_folder(tmp_path / "run")
    (folder / "concurrency_4" / SUMMARY).unlink()
    step = {"concurrency": 4, "requests": 0, "errors": 12, "problems": [], "causes": [
        {"count": 12, "cause": "503 Service Unavailable"}]}  # fmt: skip
    write_json(folder / "outcome.json", {"version": 1, "steps": [step]})
    last = read_runs(folder)[0].points[-1]
    assert last.causes == {"503 Service Unavailable": 12}
    assert last.problems == ("12 of 12 requests failed (100%)",)


@pytest.mark.parametrize(("seconds", "is_problem"), [(60.0, True), (5.0, False)])
def test_few_requests_in_flight_are_a_problem_only_where_a_run_is_long_enough(
    tmp_path: Path, seconds: float, is_problem: bool
) -> None:
    content = json.loads((DATA / "0.13.0" / "single" / SUMMARY).read_text("utf-8"))
    content["benchmark_duration"]["avg"] = seconds
    content["effective_concurrency"]["avg"] = 1.0
    write_json(tmp_path / SUMMARY, content)
    [point] = read_runs(tmp_path)[0].points
    assert bool(point.problems) == is_problem
    assert bool(point.notes) != is_problem
    assert "1.0 requests were in flight on average, 4 were asked" in (
        *point.problems, *point.notes)[0]  # fmt: skip


def test_problems_that_the_run_noted_are_said_in_its_words(tmp_path: Path) -> None:
    folder = run_folder(tmp_path / "run")
    outcome = {"version": 1, "steps": [{"concurrency": 4, "problems": ["the moon was full"]}]}
    write_json(folder / "outcome.json", outcome)
    [run] = read_runs(folder)
    assert run.points[-1].problems == ("the moon was full",)


def test_a_folder_of_runs_is_each_of_them(tmp_path: Path) -> None:
    for name in ("a", "b"):
        run_folder(tmp_path / name)
    assert [run.name for run in read_runs(tmp_path)] == ["a", "b"]


def test_a_result_of_benchmark_serving_has_the_meanings_of_aiperf(tmp_path: Path) -> None:
    path = write_json(tmp_path / "result.json", SERVING)
    for given in (path, tmp_path):
        [point] = read_runs(given, Gpus(aggregated=8))[0].points
        assert (point.concurrency, point.requests, point.errors) == (16, 98, 2)
        assert (point.itl.mean, point.itl.p50, point.itl.p99) == (10.0, 9.5, 14.0), "its TPOT"
        assert (point.icl.mean, point.icl.p50, point.icl.p99) == (190.0, 185.0, 260.0), "its ITL"
        assert (point.ttft.mean, point.ttft.p50) == (110.0, 100.0)
        assert (point.e2el.mean, point.e2el.p99) == (5000.0, 7000.0)
        assert (point.requests_per_second, point.total_tokens_per_second) == (1.96, 2940.0)
        assert point.tokens_per_second_per_user == 100
        assert point.tokens_per_second_per_request == 90, "its user throughput"
        assert point.tokens_per_second_per_gpu == 122.5
        assert (point.isl_client, point.osl, point.goodput) == (1000, 500, 1.5)
        assert "2 of 100 requests failed" in point.problems[0]


def test_total_tokens_are_in_the_rate_of_prompts_and_answers(tmp_path: Path) -> None:
    """aiperf 0.13 says it; where a file does not, its totals tell the same."""
    content = json.loads((DATA / "0.13.0" / "interval" / SUMMARY).read_text(encoding="utf-8"))
    [said] = read_runs(DATA / "0.13.0" / "interval")[0].points
    del content["total_token_throughput"]
    (tmp_path / "run").mkdir()
    write_json(tmp_path / "run" / SUMMARY, content)
    [derived] = read_runs(tmp_path)[0].points
    assert said.total_tokens_per_second == pytest.approx(2642.78, abs=0.01)
    assert derived.total_tokens_per_second == pytest.approx(said.total_tokens_per_second)


def test_of_chunks_of_twenty_tokens_the_gap_is_twenty_times_that_of_tokens() -> None:
    [point] = read_runs(DATA / "0.13.0" / "interval")[0].points
    assert point.itl.mean
    assert point.icl.mean == pytest.approx(20 * point.itl.mean, rel=0.03)
    assert point.tokens_per_second_per_request is not None
    assert point.tokens_per_second_per_user is not None
    assert point.tokens_per_second_per_request < point.tokens_per_second_per_user
    assert point.ttft.mean
    assert point.e2el.mean == pytest.approx(point.ttft.mean + 999 * point.itl.mean, rel=0.001)


def test_details_of_benchmark_serving_give_what_the_summary_lacks(tmp_path: Path) -> None:
    lists = {
        "ttfts": [i / 1000 for i in range(1, 99)] + [0.0, 0.0],
        "e2els": [8.0] * 98 + [0.0, 0.0],
        "errors": [""] * 98 + ["Traceback\nConnectionError: refused"] * 2,
    }
    summary = {key: value for key, value in SERVING.items() if "e2el" not in key}
    write_json(tmp_path / "result.json", {**summary, **lists})
    [point] = read_runs(tmp_path)[0].points
    assert point.ttft.p90 == pytest.approx(88.3)
    assert point.e2el.p90 == 8000
    assert point.causes == {"ConnectionError: refused": 2}
    assert point.effective_concurrency == pytest.approx(8 * 98 / 50)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"records": {}}, "aiperf before 0.2 .* measure again with 0.10"),
        ({"aiperf_version": "0.9.0"}, "aiperf 0.9.0 .* measure again with 0.10"),
        ({"aiperf_version": None}, "aiperf_version is missing"),
        ([], "an object is expected"),
    ],
)
def test_what_is_not_read_is_refused_with_what_to_do(
    tmp_path: Path, content: object, message: str
) -> None:
    write_json(tmp_path / SUMMARY, content)
    with pytest.raises(InputError, match=message) as raised:
        read_runs(tmp_path)
    assert SUMMARY in str(raised.value)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (f"concurrency_2/{SUMMARY}", '{"aiperf_version": "0.13.0", "requ'),
        ("plan.json", '{"version": 1,'),
        ("plan.json", '{"version": 2}'),
        ("plan.json", '{"steps": [{"concurrency": "many"}]}'),
        ("plan.json", '{"gpus": {"decode": -4}}'),
        ("outcome.json", '{"steps": 3}'),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, file: str, text: str) -> None:
    folder = run_folder(tmp_path / "run")
    (folder / file).write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as raised:
        read_runs(folder)
    assert str(raised.value).startswith(str(folder / file))


@pytest.mark.parametrize("make", [False, True])
def test_a_folder_without_results_says_so(tmp_path: Path, make: bool) -> None:
    folder = tmp_path / "empty"
    if make:
        folder.mkdir()
    with pytest.raises(InputError, match=r"nothing to report|no such folder"):
        read_runs(folder)


def test_a_folder_that_a_program_named_is_called_by_target_and_time(tmp_path: Path) -> None:
    run_folder(tmp_path / "20261122T010643Z-7bef2497")
    assert [run.name for run in read_runs(tmp_path)] == ["disagg-gb200 2026-11-22 01:06:43"]


def test_the_timeline_has_every_request_and_shades_the_warm_up() -> None:
    found = timeline(DATA / "0.13.0" / "errors")
    assert found
    assert round(sum(found.failed) * found.width) == 28
    assert round(sum(found.answered) * found.width) == 12 + 4
    assert 0 < found.warmup < 1


def test_records_in_another_order_of_keys_are_read_the_same(tmp_path: Path) -> None:
    lines = (DATA / "0.13.0" / "errors" / RECORDS).read_text("utf-8").splitlines()
    turned = [json.dumps(dict(reversed(json.loads(line).items()))) for line in lines]
    (tmp_path / RECORDS).write_text("\n".join(turned) + "\n", encoding="utf-8")
    assert timeline(tmp_path) == timeline(DATA / "0.13.0" / "errors")


def test_a_record_that_was_cut_off_by_the_end_is_left_out_and_another_is_named(
    tmp_path: Path,
) -> None:
    text = (DATA / "0.13.0" / "single" / RECORDS).read_text("utf-8")
    path = tmp_path / RECORDS
    path.write_text(text + text[:60], encoding="utf-8")
    assert timeline(tmp_path) == timeline(DATA / "0.13.0" / "single")
    path.write_text(f"{text[:60]}\n{text}", encoding="utf-8")
    with pytest.raises(InputError, match=rf"{RECORDS}:1: this is no record"):
        timeline(tmp_path)
