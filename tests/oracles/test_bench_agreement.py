"""The rules about aiperf's command line refuse what aiperf's parser refuses, and nothing else."""

from __future__ import annotations

import json
import re
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gptoss.facts import programs
from tests.oracles.client import AIPERF_VERSION, ROOT
from tests.oracles.judging import bench_findings, errors

if TYPE_CHECKING:
    from gptoss.facts.programs import Flag
    from tests.oracles.client import Oracle

BASE = [
    "--model-names",
    "openai/gpt-oss-120b",
    "--url",
    "http://frontend:8000",
    "--request-count",
    "9",
]
# What aiperf's parser says of one flag alone; what its configuration says of several together, or
# of a text's form, is not modelled.
PARSER = re.compile(
    r"UnknownOptionError|MissingArgumentError|UnusedCliTokensError|RepeatArgumentError|"
    r"CoercionError|type=(int_parsing|float_parsing|enum|literal_error|greater_than|less_than)"
)
# aiperf's second look, at the configuration that all flags together make.
WHOLE_CONFIGURATION = "for AIPerfConfig"
# Values that name files or are several words, and flags that the base gives.
NOT_GENERATED = {
    *["--model-names", "--url", "--request-count", "--config", "--input-file", "--image-source"],
    *["--mlflow-tag", "--request-rate-series", "--system-prompt-file"],
}
WORDS = ["", "x", "a:b", "-1", "0", "-x", "3", "0.5", "1,4", "1e3", " 7", "None"]


def flags() -> list[Flag]:
    program = programs.program(programs.AIPERF, AIPERF_VERSION)
    assert program
    return [flag for flag in program.flags.values() if flag.name not in NOT_GENERATED]


def right_value(flag: Flag) -> st.SearchStrategy[str]:
    if flag.choices:
        return st.sampled_from(flag.choices)
    return st.sampled_from(["1", "2"] if flag.type != "str" else ["text", "a:1"])


@st.composite
def command_lines(draw: st.DrawFn) -> list[str]:
    words = list(BASE)
    for _ in range(draw(st.integers(1, 3))):
        flag = draw(st.sampled_from(flags()))
        name = draw(st.sampled_from([*flag.spellings, *flag.spellings, flag.name[:-1]]))
        value = draw(right_value(flag) if draw(st.integers(0, 3)) else st.sampled_from(WORDS))
        forms = [[name, value], [f"{name}={value}"]] if flag.takes_value else [[name]]
        odd = [[name], [name, value], [name, value, "1"], [f"{name}={value}"]]
        words += draw(st.sampled_from(forms if draw(st.integers(0, 4)) else odd))
    return words


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(argv=command_lines())
def test_parser_and_rules_agree_on_generated_command_lines(
    aiperf_oracle: Oracle, argv: list[str]
) -> None:
    verdict = aiperf_oracle.ask("aiperf", argv)
    refused = errors(bench_findings(argv))

    if refused:
        assert not verdict.ok, (argv, refused)
    elif not verdict.ok and WHOLE_CONFIGURATION not in verdict.error:
        assert not PARSER.search(verdict.error), (argv, verdict.error)


@pytest.mark.parametrize(
    "wrong",
    [
        ["--concurency", "4"],
        ["--concurr", "4"],
        ["--concurrency", "0"],
        ["--concurrency"],
        ["--ui", "fancy"],
        ["--endpoint-type", "chatt"],
        ["--warmup-request-count", "-1"],
        ["--streaming", "true"],
        ["--isl", "128", "--isl", "128"],
        ["--isl", "128", "--synthetic-input-tokens-mean", "128"],
        ["--random-seed", "abc"],
        ["--num-dataset-entries", "0"],
        ["--prompt-batch-size", "0"],
        ["--prompt-prefix-length", "0"],
        ["--prompt-prefix-pool-size", "0"],
        ["--no-streaming"],
        ["--extra-inputs", "novalue"],
    ],
)
def test_what_aiperf_refuses_is_an_error(aiperf_oracle: Oracle, wrong: list[str]) -> None:
    assert not aiperf_oracle.ask("aiperf", [*BASE, *wrong]).ok
    assert errors(bench_findings([*BASE, *wrong]))


@pytest.mark.parametrize(
    "right",
    [
        ["--concurrency", "1,4,16"],
        ["--concurrency=4"],
        ["--ui", "NONE"],
        ["--random_seed", "5"],
        ["--extra-inputs", "a:1", "b:2", "--streaming"],
        ["--header", "A:b", "-H", "C:d"],
        ["--streaming=false"],
    ],
)
def test_what_aiperf_takes_is_no_error(aiperf_oracle: Oracle, right: list[str]) -> None:
    verdict = aiperf_oracle.ask("aiperf", [*BASE, *right])

    assert verdict.ok, verdict.error
    assert not errors(bench_findings([*BASE, *right]))


def test_committed_flags_are_those_of_aiperf_itself() -> None:
    python = ROOT / ".tools" / "oracles" / f"aiperf-{AIPERF_VERSION}" / "bin" / "python"
    script = ROOT / "tools" / "setup" / "read_aiperf_flags.py"
    answer = subprocess.run([python, script], check=True, stdout=subprocess.PIPE)
    committed = ROOT / "schema" / "cli" / f"aiperf-{AIPERF_VERSION}.json"

    assert json.loads(answer.stdout).items() <= json.loads(committed.read_text()).items()
