"""From a question to a values file that can be installed."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import pytest
import yaml
from click.testing import CliRunner

from gptoss.cli import main
from gptoss.facts.world import Facts
from gptoss.planning.calibrating.calibration import Calibration
from gptoss.planning.calibrating.correction import Correction, Estimate
from gptoss.planning.calibrating.kept_calibration import file_of, keep
from gptoss.planning.layouts import KvType
from gptoss.planning.searching.kv_rooms import room_for
from gptoss.planning.searching.search import search
from gptoss.planning.searching.space import Serving, longest_sequence
from gptoss.planning.searching.tuning import is_sure, tuned
from gptoss.planning.systems import loads_of, system_of
from gptoss.planning.tuned.tune_question import Wanted, question_of
from gptoss.planning.tuned.tune_report import tune_data, tune_lines
from gptoss.planning.tuned.tune_run import answer_to, findings_of
from gptoss.planning.tuned.tuned_values import told, tuned_values
from gptoss.sources.load import load
from gptoss.sources.request import Request
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

    from gptoss.planning.searching.tuning import Tuned
    from gptoss.planning.steps.step_times import Times
    from gptoss.planning.tuned.tune_question import Question

    Answered = Callable[[str], tuple[Tuned, Question]]

FACTS = Facts()
LONG = Wanted(isl=8192, osl=1024, ttft=2000, itl=20, kv=KvType.FP8)
CASES = {
    "split": (Request(gpu="gb200", gpus=2), replace(LONG, serving=Serving.DISAGGREGATED)),
    "replicas": (Request(gpu="b200", gpus=2), Wanted(isl=1024, osl=1024, clients=256)),
    "hopper": (Request(gpu="h200", gpus=2), Wanted(isl=2000, osl=500, clients=64)),
}


@pytest.fixture(scope="module")
def answered(times: Times) -> Callable[[str], tuple[Tuned, Question]]:
    """Return what was chosen in a case, each searched once."""

    @cache
    def found(case: str) -> tuple[Tuned, Question]:
        question = question_of(*CASES[case], FACTS)
        return tuned(question.wish, FACTS.models[question.model], times), question

    return found


@pytest.mark.parametrize("case", CASES)
def test_the_file_is_clean_and_is_what_was_predicted(
    answered: Answered, tmp_path: Path, case: str
) -> None:
    chosen, question = answered(case)
    text = tuned_values(chosen, question, "values.yaml", None)
    assert findings_of(text, "values.yaml") == ((), False)
    path = tmp_path / "values.yaml"
    path.write_text(text)
    (deployment,) = load(Request((str(path),))).deployments
    choice = chosen.choice
    assert replace(system_of(deployment), name="") == replace(choice.system, name="")
    assert loads_of(deployment) == (choice.load,)
    head = " ".join(line.strip("# ") for line in text.splitlines() if line.startswith("#"))
    assert told(choice) in head
    assert question.command in head
    assert choice.judged.belief.told in head
    assert all(reason in head for reason in choice.judged.reasons)


def test_the_report_shows_the_front_the_choice_and_why(answered: Answered) -> None:
    chosen, _ = answered("split")
    lines = list(tune_lines(chosen, {}))
    assert max(map(len, lines)) <= 100
    text = "\n".join(lines)
    assert "exhaustive: all" in text
    assert f"Choice: {chosen.choice.system.name}" in text
    assert "times as slow as predicted" in text
    (row,) = (line for line in lines if line.startswith(">"))
    assert chosen.choice.judged.belief.told in row
    priced = list(tune_lines(chosen, {"gb200": 10.0}))
    assert max(map(len, priced)) <= 100
    assert any("$/1M output" in line for line in priced)
    assert any("per million output tokens" in line for line in priced)
    data = json.loads(json.dumps(tune_data(chosen, {})))
    assert data["choice"]["ttft_ms"] <= 2000
    assert data["with_margin"]["ttft_ms"] <= 2000
    assert data["choice"]["tokens_per_second_per_user"] >= 50
    assert (
        data["with_margin"]["tokens_per_second_per_gpu"]
        <= data["choice"]["tokens_per_second_per_gpu"]
    )
    assert [one["tokens_per_second_per_user"] for one in data["front"]] == sorted(
        (one["tokens_per_second_per_user"] for one in data["front"]), reverse=True
    )


def test_the_same_question_gives_the_same_file(answered: Answered, times: Times) -> None:
    chosen, question = answered("replicas")
    again = tuned(question.wish, FACTS.models[question.model], times)
    first, second = (tuned_values(one, question, "a.yaml", None) for one in (chosen, again))
    assert first == second


def test_a_source_gives_gpus_traffic_and_what_is_not_tuned() -> None:
    target = ("disagg-gb200",)
    settings = ("modelCache.existingClaim=weights", "workload.goodput.time_to_first_token=2000")
    question = question_of(Request(target, settings=settings), Wanted(), FACTS)
    wish = question.wish
    assert (wish.gpu.key, wish.gpus, wish.isl, wish.osl) == ("gb200", 5, 8192, 1024)
    assert (wish.kv, wish.clients) == (KvType.FP8, None)
    assert question.before is not None
    assert question.before[1].clients == 1280
    assert question.base["modelCache"]["existingClaim"] == "weights"
    assert question.base["workload"] == {"goodput": {"time_to_first_token": 2000}}
    assert not {"workers", "description"} & set(question.base)
    moved = question_of(Request(target, gpu="b200", gpus=8), Wanted(isl=2000), FACTS).wish
    assert (moved.gpu.key, moved.gpus, moved.isl, moved.osl) == ("b200", 8, 2000, 1024)
    assert moved.kv is KvType.FP8


def test_limits_are_asked_again_as_exactly_as_they_were_given() -> None:
    request = Request(gpu="gb200", gpus=1)
    for itl, typed in ((1000 / 30, "--speed 30"), (20.0, "--itl 20ms"), (1500.0, "--itl 1.5s")):
        question = question_of(request, Wanted(isl=1000, osl=100, itl=itl), FACTS)
        assert typed in question.command


def test_no_longer_sequence_is_served_than_the_model_can() -> None:
    request = Request(gpu="gb200", gpus=1)
    asked = question_of(request, Wanted(isl=120_000, osl=2_000), FACTS)
    assert asked.wish.longest == longest_sequence(asked.wish) == 131_072
    with pytest.raises(InputError, match="with the chat template, is longer than the 131,072"):
        question_of(request, Wanted(isl=129_000, osl=2_000), FACTS)


def test_gpus_that_a_choice_leaves_unused_are_counted(times: Times) -> None:
    question = question_of(Request(gpu="gb200", gpus=3), LONG, FACTS)
    every = search(question.wish, room_for(question.wish, FACTS.models[question.model]), times)
    assert {one.system.gpus for one in every.predicted} == {3}
    assert {one.system.unused for one in every.predicted} == {0, 1}


@pytest.mark.parametrize(("kv", "least"), [(None, 1.1), (KvType.FP8, 1.2)])
def test_what_four_gb200_gain_for_short_prompts_is_inside_the_error(
    times: Times, kv: KvType | None, least: float
) -> None:
    wanted = Wanted(kv=kv, serving=Serving.AGGREGATED)
    chosen = answer_to(question_of(Request(("agg-gb200",)), wanted, FACTS), FACTS, times)
    assert chosen.before is not None
    assert chosen.choice.per_gpu >= least * chosen.before.per_gpu
    assert not is_sure(chosen.choice, chosen.before)
    text = " ".join(" ".join(tune_lines(chosen, {})).split())
    assert "times agg-gb200, at 3,600 clients" in text
    assert "inside the error of the predictions: measure both" in text


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["tune", *arguments], catch_exceptions=False)


def test_requests_that_the_source_has_no_room_for_are_tuned_for(times: Times) -> None:
    wanted = Wanted(isl=24_000, osl=64, clients=1, serving=Serving.AGGREGATED)
    question = question_of(Request(("disagg-gb200",)), wanted, FACTS)
    found = answer_to(question, FACTS, times)
    assert found.choice.load.isl == 24_000
    assert found.before is None


def test_the_command_writes_the_file_and_says_why(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    words = "--gpu gb200 --gpus 1 --isl 8192 --osl 1024 --speed 60 --kv fp8 --output"
    done = run(*words.split(), str(file))
    assert done.exit_code == 0, done.output
    assert "Choice: 1 x TP1" in done.stdout
    assert "gptoss tune --gpu gb200 --gpus 1" in file.read_text()
    assert yaml.safe_load(file.read_text())["workers"]["worker"]["role"] == "aggregated"


def test_a_calibration_kept_beside_a_source_is_what_it_is_tuned_by(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    words = "--gpu gb200 --gpus 1 --isl 8192 --osl 1024 --clients 16 --kv fp8"
    assert run(*words.split(), "--output", str(file)).exit_code == 0
    (deployment,) = load(Request((str(file),))).deployments
    as_json = ("--clients", "16", "--format", "json")
    plain = json.loads(run(str(file), *as_json).stdout)
    twice = Correction(Estimate(2.0, 0.1), Estimate(2.0, 0.1), Estimate(0.0, 0.1))
    made = Calibration(twice, 1, (0.5, 0.5), (0.0, 0.0))
    keep(made, system_of(deployment), (), file_of(str(file)))
    slower = json.loads(run(str(file), *as_json).stdout)
    assert plain["calibration"] is None
    assert slower["calibration"] == str(tmp_path / "mine.calibration.json")
    assert "# Calibrated by mine.calibration.json." in slower["values"]
    assert slower["choice"]["itl_ms"] > 1.5 * plain["choice"]["itl_ms"]
    moved = json.loads(run(str(file), "--gpu", "b200", *as_json).stdout)
    assert moved["calibration"] is None


@pytest.mark.parametrize(
    ("words", "told_of"),
    [
        ("--gpu gb200 --isl 8192", "wants --gpus, --osl too"),
        ("--gpu gb200 --gpus 2 --isl 8 --osl 8 --itl 2ms --speed 5", "--itl and --speed say the"),
        ("--gpu gb200 --gpus 2 --isl 8 --osl 8 --ttft soon", "--ttft soon: give a time"),
        ("--gpu h200 --gpus 2 --isl 8 --osl 8 --kv fp8", "no FP8 KV cache on NVIDIA H200"),
        ("disagg-gb200 --gpu h200 --gpus 8", "SOURCE has one; give --kv auto"),
        ("--gpu b300 --gpus 2 --isl 8 --osl 8", "b300"),
        ("--gpu gb200 --gpus 2 --isl 8 --osl 8 --speed inf", "--speed inf: give tokens a second"),
        ("--gpu gb200 --gpus 2 --isl 8 --osl 8 --speed nan", "--speed nan: give tokens a second"),
        ("--gpu gb200 --gpus 2 --isl 131000 --osl 100", "longer than the 131,072 of openai"),
        ("disagg-gb200 --isl 131000 --osl 100", "longer than the 131,072 of openai"),
        ("--gpu gb200 --gpus 1000000 --isl 8 --osl 8", "more than the 1,024 that tune searches"),
        ("agg-gb200 disagg-gb200", "tune takes one deployment, and these are 2"),
    ],
)
def test_a_question_that_has_no_answer_is_one_message(words: str, told_of: str) -> None:
    done = run(*words.split())
    assert done.exit_code == 2
    assert told_of in done.stderr
    assert done.stdout == ""


def test_limits_that_nothing_keeps_are_said_with_what_comes_nearest(times: Times) -> None:
    question = question_of(Request(gpu="gb200", gpus=1), replace(LONG, itl=0.1, clients=8), FACTS)
    with pytest.raises(InputError, match=r"keeps the limits .* lowest TTFT .* relax a limit"):
        tuned(question.wish, FACTS.models[question.model], times)
    tiny = question_of(Request(gpu="h100", gpus=1), Wanted(isl=128, osl=128), FACTS)
    with pytest.raises(InputError, match="no data of TP1"):
        tuned(tiny.wish, FACTS.models[tiny.model], times)
