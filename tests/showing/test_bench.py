"""What ``gptoss bench`` says of a sweep, and of other load generators."""

from __future__ import annotations

import json
import runpy
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from gptoss.cli import main
from tests.chart.rendering import CHART, objects, one

if TYPE_CHECKING:
    from click.testing import Result

STEPS = runpy.run_path(str(CHART / "files" / "benchmark.py"))["steps"]


def bench(*arguments: str) -> Result:
    result = CliRunner().invoke(main, ["bench", *arguments])
    assert result.exit_code == 0, result.output
    return result


@pytest.mark.parametrize("target", ["serve-latency-b200", "serve-throughput-b200"])
def test_bench_gives_every_step_that_the_job_makes_of_its_sweep(target: str) -> None:
    plan = json.loads(bench(target, "--format", "json").stdout)
    job = one("Job", objects(target, "benchmark.enabled=true"), "benchmark")
    container = job["spec"]["template"]["spec"]["containers"][0]
    assert [step["argv"] for step in plan["steps"]] == STEPS(container["args"])
    for step in plan["steps"]:
        argv = step["argv"]
        assert argv[argv.index("--concurrency") + 1] == str(step["concurrency"])
        assert argv[argv.index("--request-count") + 1] == str(step["requests"])
        assert step["requests"] == 5 * step["concurrency"]
    assert plan["steps"][-1]["concurrency"] == plan["capacity"]
    assert (plan["concurrency"], plan["requests"], plan["argv"]) == (None, None, None)


def test_a_fixed_concurrency_is_the_one_step() -> None:
    plan = json.loads(bench("agg-gb200", "--format", "json").stdout)
    (step,) = plan["steps"]
    assert step == {key: plan[key] for key in ("concurrency", "requests", "argv")}


def test_steps_above_the_capacity_are_marked() -> None:
    lines = bench("agg-gb200", "--set", "workload.sweep.to=4096").stdout.splitlines()
    marked = [line.split()[:3] for line in lines if "above capacity" in line]
    assert marked == [["8", "4,096", "20,480"]]
    assert [line for line in lines if line.split()[:3] == ["1", "32", "160"]]


def explained(*arguments: str) -> dict[str, tuple[str, str]]:
    """What ``bench --explain`` says, by what makes it so."""
    plan = json.loads(bench(*arguments, "--explain", "--format", "json").stdout)
    return {p["because"]: (p["here"], p["production"]) for p in plan["production"]}


def test_explain_says_what_the_benchmark_is_not() -> None:
    assert set(explained("disagg-gb200")) == {
        "--concurrency",
        "--synthetic-input-tokens-mean 8192",
        "--synthetic-input-tokens-stddev 0",
        "--output-tokens-stddev 0",
        "--extra-inputs min_tokens:1024 ignore_eos:true",
        "no reasoning_effort",
        "no temperature and no top_p",
        "--use-server-token-count",
        "--url http://gpt-oss-frontend:8000",
        "stream_interval 20 in the engine YAML",
    }


@pytest.mark.parametrize(
    ("setting", "gone"),
    [
        ("workload.inputTokensStddev=100", "--synthetic-input-tokens-stddev 0"),
        ("workload.outputTokensStddev=100", "--output-tokens-stddev 0"),
        ("benchmark.extraArgs={--request-rate=5}", "--concurrency"),
        ("benchmark.extraArgs={--system-prompt,hello}", "--synthetic-input-tokens-mean 8192"),
        ("benchmark.extraArgs={--extra-inputs,reasoning_effort:low}", "no reasoning_effort"),
        (
            "benchmark.extraArgs={--extra-inputs,temperature:1,top_p:1}",
            "no temperature and no top_p",
        ),
        (
            "workers.decode.engine.stream_interval=1,workers.prefill.engine.stream_interval=1",
            "stream_interval 20 in the engine YAML",
        ),
    ],
)
def test_a_flag_that_makes_it_otherwise_takes_its_line_away(setting: str, gone: str) -> None:
    assert gone in explained("disagg-gb200")
    assert gone not in explained("disagg-gb200", "--set", setting)


@pytest.mark.parametrize(
    ("target", "because", "here"),
    [
        ("agg-gb200", "no temperature and no top_p", "takes the likeliest token"),
        ("serve-h100-2", "no temperature and no top_p", "takes 1.0 for them"),
        ("serve-latency-b200", "--extra-inputs temperature:0", "takes the likeliest token"),
        ("agg-gb200", "no reasoning_effort", "takes medium"),
        ("serve-h100-2", "no reasoning_effort", "takes low"),
    ],
)
def test_explain_says_what_the_server_takes_for_what_is_left_out(
    target: str, because: str, here: str
) -> None:
    assert here in explained(target)[because][0]


def test_explain_in_words_fits_a_hundred_columns() -> None:
    text = bench("disagg-gb200", "--explain").stdout
    assert "a closed loop" in text
    assert max(map(len, text.splitlines())) <= 100
