"""``gptoss plan`` as people use it."""

from __future__ import annotations

import json
import platform
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from click.testing import CliRunner, Result

from gptoss.cli import main
from gptoss.drawing.pareto_text import plain
from gptoss.live import environments
from gptoss.planning.prediction import Belief
from gptoss.planning.searching.neighbours import Kind, Neighbour
from gptoss.planning.telling.plan_report import could_do_of, speed_of
from gptoss.planning.telling.planned import Asked, planned
from gptoss.sources.load import load
from gptoss.sources.request import Request
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from gptoss.planning.steps.step_times import Times

ENGINE = """\
tensor_parallel_size: 1
moe_expert_parallel_size: 1
max_batch_size: 256
max_num_tokens: 8192
"""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["plan", *arguments], catch_exceptions=False)


def engine_file(folder: Path, name: str = "worker.yaml", text: str = ENGINE) -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def told(times: Times, *sources: str, **asked: Any) -> list[str]:
    """The lines about speed, without looking for what the GPUs could do."""
    deployments = load(Request(sources)).deployments
    text = speed_of([planned(each, Asked(**asked), times) for each in deployments])
    assert max(map(len, text.splitlines())) <= 100
    return text.splitlines()


def test_requests_that_the_engines_refuse_are_not_predicted(times: Times) -> None:
    (deployment,) = load(Request(("disagg-gb200",))).deployments
    found = planned(deployment, Asked((64,), 10_500, 1024), times)
    assert not found.predictions
    assert "10,500 tokens in and 1,024 out do not fit max_seq_len 11008 of decode" in found.why_not
    assert planned(deployment, Asked((64,), 9_900, 1024), times).predictions


def test_speed_of_a_target_says_what_holds_it_up_and_how_far_to_believe_that(times: Times) -> None:
    lines = told(times, "disagg-b200-node")
    assert "Speed: 256 clients, 32,000 tokens in, 256 out" in lines
    for label in ("tokens/s/GPU", "tokens/s/user", "TTFT", "bottleneck     prefill:", "believed"):
        assert any(line.startswith(f"  {label}") for line in lines), label


def test_a_sweep_has_a_line_a_step_and_says_of_each_how_far_to_believe_it(times: Times) -> None:
    lines = told(times, "serve-throughput-b200")
    (head,) = [number for number, line in enumerate(lines) if line.split()[:1] == ["clients"]]
    steps = lines[head + 1 : head + 10]
    assert [line.split()[0] for line in steps][-3:] == ["2,048", "4,096", "5,760"]
    beliefs = [belief.told for belief in Belief]
    assert all(line.endswith(tuple(beliefs)) for line in steps)


def test_several_deployments_stand_side_by_side_at_their_loads(times: Times) -> None:
    lines = told(times, "disagg-b200-node", "serve-latency-b200", clients=(16, 64))
    rows = [line.split()[:2] for line in lines if line[2:3] in ("1", "2")]
    assert [row for row in rows if row[1].isdecimal()] == [
        ["1", "16"],
        ["1", "64"],
        ["2", "16"],
        ["2", "64"],
    ]


def test_deployments_keep_their_numbers_where_one_cannot_be_predicted(
    times: Times, tmp_path: Path
) -> None:
    cut = engine_file(tmp_path, text=f"{ENGINE}pipeline_parallel_size: 2\n")
    lines = told(times, cut, "serve-latency-b200", clients=(16,), isl=1024, osl=1024)
    assert [line.split()[0] for line in lines if "serve-latency-b200" in line] == ["2"]
    assert ["2", "16"] in [line.split()[:2] for line in lines]


def test_a_plan_goes_from_memory_over_speed_to_what_the_gpu_could_do(tmp_path: Path) -> None:
    told = ("--gpu", "h200", "--clients", "512", "--isl", "1000", "--osl", "200")
    file = tmp_path / "plan.json"
    slow = engine_file(tmp_path, text=ENGINE.replace("256", "8"))
    result = run(slow, *told, "--output", str(file))
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    heads = (
        "Memory of worker",
        "Speed: 512 clients",
        "What 1 x h200 could do",
        "Better neighbours with 512",
    )
    found = [next(n for n, line in enumerate(lines) if line.startswith(head)) for head in heads]
    assert found == sorted(found)
    assert sum("●" in line for line in lines) == 2, "on the chart and in its legend"
    words = [line.split()[0] for line in lines[found[-1] + 1 :]]
    assert {"1", "brings", "costs"} <= set(words)
    assert max(map(len, lines)) <= 100
    data = json.loads(file.read_text())
    (speed,) = data["speed"]
    assert (speed["clients"], speed["isl"], speed["osl"]) == (512, 1000, 200)
    assert (speed["bottleneck"], bool(speed["believed"])) == ("batch limit", True)
    assert data["system"]["decode"]["gpus_per_replica"] == 1
    front = [point["speed"]["tokens_per_second_per_user"] for point in data["front"]]
    assert len(front) > 10
    assert front == sorted(front, reverse=True)
    best = max(point["speed"]["tokens_per_second_per_gpu"] for point in data["front"])
    assert best > speed["tokens_per_second_per_gpu"]


def test_a_source_without_a_load_is_told_how_to_say_it(tmp_path: Path) -> None:
    result = run(engine_file(tmp_path), "--gpu", "b200")
    assert result.exit_code == 2
    assert result.stderr.endswith("give --clients, --isl, --osl\n")


def test_a_machine_without_the_data_is_told_once_and_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "arm64")
    result = run(engine_file(tmp_path), engine_file(tmp_path, "other.yaml"), "--gpu", "b200")
    assert result.exit_code == 0
    assert result.stderr.count("Linux x86-64 and Python 3.11 to 3.13 only") == 1
    setup = CliRunner().invoke(main, ["setup", "plan"])
    assert (setup.exit_code, setup.stderr.count("Linux arm64")) == (2, 1)


def refused_file(folder: Path) -> str:
    (folder / "refused.yaml").write_text("hardware:\n  gpu: z9\n")
    return str(folder / "refused.yaml")


def test_what_would_not_install_is_one_message_and_no_empty_line(tmp_path: Path) -> None:
    result = run(refused_file(tmp_path))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "hardware.gpu: value must be one of" in result.stderr


def test_why_nothing_is_known_is_said_where_a_picture_cannot_be_made(tmp_path: Path) -> None:
    result = run(refused_file(tmp_path), "--output", str(tmp_path / "plan.svg"))
    assert result.exit_code == 2
    assert "hardware.gpu: value must be one of" in result.stderr
    assert not (tmp_path / "plan.svg").exists()


def test_what_would_not_install_is_an_error_without_the_data_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "arm64")
    result = run(refused_file(tmp_path))
    assert result.exit_code == 2
    assert "hardware.gpu: value must be one of" in result.stderr


def test_memory_is_told_in_every_form_where_the_data_cannot_be_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def offline() -> Path:
        raise InputError("there is no network")

    monkeypatch.setattr(environments, "planning", offline)
    file = tmp_path / "plan.json"
    told = (engine_file(tmp_path), "--gpu", "b200", "--format", "json", "--output", str(file))
    result = run(*told)
    assert (result.exit_code, result.stderr) == (2, "gptoss: there is no network\n")
    assert json.loads(result.stdout) == json.loads(file.read_text())
    data = json.loads(result.stdout)
    assert (len(data["memory"]), data["not_predicted"]) == (1, "there is no network")


def test_a_deployment_has_one_number_whether_it_is_predicted_or_not(
    times: Times, tmp_path: Path
) -> None:
    lines = told(times, engine_file(tmp_path), "disagg-b200-node", clients=(16,))
    assert lines[1].startswith("  1  ")
    assert lines[1].endswith(": not predicted")
    assert lines[2].startswith("  2  disagg-b200-node: ")
    assert any(line.split()[:2] == ["2", "16"] for line in lines)


def test_what_a_neighbour_brings_stays_within_a_hundred_columns(times: Times) -> None:
    (deployment,) = load(Request(("disagg-b200-node",))).deployments
    known = planned(deployment, Asked(), times)
    (here,) = known.predictions
    for words in range(8, 24):
        near = Neighbour(here, Kind.SERVING, ("other",), ("x" * words + " y" * 50,), ("speed",))
        every = [replace(known, front=(here,), neighbours=(near,))]
        assert max(map(len, could_do_of(every, plain).splitlines())) <= 100


def test_setup_plan_says_where_the_data_are() -> None:
    result = CliRunner().invoke(main, ["setup", "plan"])
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("aiconfigurator-core: /")
