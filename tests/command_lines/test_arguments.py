"""Promises of gptoss.command_lines.arguments: who asks for a flag gets what the program would."""

from __future__ import annotations

import pytest

from gptoss.facts.programs import AIPERF, FRONTEND, WORKER, newest
from tests.command_lines.words import arguments_of, known

MODE = "--router-mode"
FRONT = known(FRONTEND, "1.2.1")


def test_a_flag_beats_its_variable_and_the_variable_beats_the_default() -> None:
    variables = {"DYN_ROUTER_MODE": "kv"}
    given = arguments_of(FRONT, MODE, "random", variables=variables)[MODE]
    by_variable = arguments_of(FRONT, variables=variables)[MODE]
    default = arguments_of(FRONT)[MODE]
    assert [one.value for one in (given, by_variable, default)] == ["random", "kv", "round-robin"]
    assert [one.place.file if one.place else "" for one in (given, by_variable, default)] == [
        "flags",
        "env",
        "",
    ]
    assert [one.spelling for one in (given, by_variable)] == [MODE, "DYN_ROUTER_MODE"]
    assert default.located is None


def test_a_variable_whose_value_is_elsewhere_is_neither_known_nor_the_default() -> None:
    found = arguments_of(FRONT, variables={"DYN_ROUTER_MODE": None})[MODE]
    assert found.value is None
    assert found.place is not None
    assert found.located is None


def test_a_release_that_reads_no_variable_takes_nothing_from_one() -> None:
    old = known(WORKER, "0.8.1")
    found = arguments_of(old, variables={"DYN_TRTLLM_EXTRA_ENGINE_ARGS": "/engine.yaml"})
    assert found["--extra-engine-args"].located is None


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (("--router-kv-events",), True),
        (("--no-router-kv-events",), False),
        (("--no-kv-events",), False),
        (("--no-router-kv-ev",), False),
        (("--no-kv-events", "--kv-events"), True),
        ((), True),
    ],
)
def test_a_switch_is_as_the_last_of_its_forms_says(words: tuple[str, ...], value: bool) -> None:
    assert arguments_of(FRONT, *words)["--router-kv-events"].value is value


def test_the_last_value_counts_and_stands_at_its_own_flag() -> None:
    found = arguments_of(known(WORKER, "1.2.1"), "--max-batch", "4", "--max-batch-size=8")
    size = found["--max-batch-size"]
    assert (size.value, size.place and size.place.line) == (8, 6)


@pytest.mark.parametrize("text", ["None", ""])
def test_a_number_may_be_none_where_the_program_takes_that(text: str) -> None:
    found = arguments_of(FRONT, f"--active-decode-blocks-threshold={text}")
    assert found["--active-decode-blocks-threshold"].value is None


def test_a_flag_that_the_program_does_not_have_is_set_to_nothing_and_is_written() -> None:
    found = arguments_of(FRONT, "--no-such-flag", "x", "--other=y")
    assert found["--no-such-flag"].place is None
    assert {name: v.value for name, v in found.in_force().items() if v.is_written} == {
        "--no-such-flag": "x",
        "--other": "y",
    }


@pytest.mark.parametrize(
    ("words", "flag", "value"),
    [
        (
            ("--extra-inputs", "a:1", "b:2", "--extra-inputs", "c:3"),
            "--extra-inputs",
            "a:1 b:2 c:3",
        ),
        (("--random_seed", "5"), "--random-seed", "5"),
        (("--isl", "128"), "--synthetic-input-tokens-mean", "128"),
        (("--streaming=false",), "--streaming", "false"),
    ],
)
def test_aiperf_s_spellings_are_one_flag(words: tuple[str, ...], flag: str, value: str) -> None:
    assert arguments_of(newest(AIPERF), *words)[flag].text == value


def test_aiperf_takes_no_abbreviation_and_its_switches_may_have_a_value() -> None:
    found = arguments_of(
        newest(AIPERF), "--concurr", "4", "--streaming=no", "--no_set_consistent_seed"
    )
    assert found["--concurrency"].place is None
    assert found["--streaming"].value is False
    assert found["--set-consistent-seed"].value is False
