"""The rules about flags refuse a command line when, and only when, the real parser does."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gptoss.facts import programs
from tests.oracles.client import DYNAMO_RELEASES, ROOT, Oracle, Program
from tests.oracles.judging import errors, findings

if TYPE_CHECKING:
    from collections.abc import Callable

    from gptoss.facts.programs import Flag

PROGRAMS: tuple[Program, ...] = ("worker", "frontend")
MODULES = {"worker": "dynamo.trtllm", "frontend": "dynamo.frontend"}
releases = pytest.mark.parametrize("release", DYNAMO_RELEASES)
each_program = pytest.mark.parametrize("program", PROGRAMS)

# What depends on the container's files, or on several flags together in ways that are not modelled.
NOT_GENERATED = {
    "--admission-control",
    "--custom-jinja-template",
    "--dyn-chat-processor",
    "--enable-multimodal",
    "--endpoint",
    "--model-path",
    "--modality",
    "--router-prefill-load-model",
    "--serve-indexer",
    "--tokenizer",
}
WORDS = ["", "x", "a b", "x=y", "-1", "-.5", "-x", "3", "0.5", "1_000", " 7", "nan", "None", "--"]


def flags_of(release: str, program: str) -> list[Flag]:
    found = programs.program(MODULES[program], release)
    assert found
    return [f for f in found.flags.values() if f.type not in ("folder", "other", "exit")]


def right_value(flag: Flag) -> st.SearchStrategy[str]:
    if flag.choices:
        return st.sampled_from(flag.choices)
    low, high = int(flag.minimum or 0), int(flag.maximum or 9000)
    if flag.type.startswith("int"):
        return st.integers(low, high).map(str)
    if flag.type.startswith("float"):
        return st.floats(low, min(high, 1)).map(str)
    return st.sampled_from(["/models/snapshot", "openai/gpt-oss-120b", "text"])


def spelled(flag: Flag) -> st.SearchStrategy[str]:
    """A flag as written: mostly right, some with a slip of the pen or cut short."""
    right = st.sampled_from(flag.spellings)
    slips: list[Callable[[str], str]] = [
        lambda word: word.replace("-", "_"),
        lambda word: word[:-1],
        lambda word: word[: len(word) // 2 + 2],
        lambda word: word[1:],
        lambda word: word + "s",
        str.upper,
    ]
    return st.one_of(
        right, right, right, st.builds(lambda w, f: f(w), right, st.sampled_from(slips))
    )


@st.composite
def command_lines(draw: st.DrawFn, release: str, program: str) -> list[str]:
    flags = [f for f in flags_of(release, program) if f.name not in NOT_GENERATED]
    others = programs.program(MODULES[program], programs.releases(MODULES[program])[-1])
    assert others
    foreign = [f for f in others.flags.values() if f.type not in ("folder", "other", "exit")]
    words: list[str] = []
    for _ in range(draw(st.integers(1, 4))):
        flag = draw(st.sampled_from(flags if draw(st.integers(0, 7)) else foreign))
        if flag.name in NOT_GENERATED:
            continue
        name = draw(spelled(flag))
        if name in NOT_GENERATED:
            continue
        value = draw(right_value(flag) if draw(st.integers(0, 3)) else st.sampled_from(WORDS))
        forms = [[name, value], [f"{name}={value}"]] if flag.takes_value else [[name]]
        if value == "--":
            forms, value = [[name, value]], "x"
        odd = [[name], [name, value], [name, value, value], [f"{name}={value}"], [value]]
        words += draw(st.sampled_from(forms if draw(st.integers(0, 4)) else odd))
    return words


@releases
@each_program
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_parser_and_rules_agree_on_generated_command_lines(
    dynamo_oracles: dict[str, Oracle], release: str, program: Program, data: st.DataObject
) -> None:
    argv = data.draw(command_lines(release, program))

    verdict = dynamo_oracles[release].ask(program, argv, abbreviations=True)
    refused = errors(findings(release, program, argv))

    assert verdict.ok is not bool(refused), (argv, verdict.error, refused)


@releases
@each_program
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_parser_and_rules_agree_on_generated_environments(
    dynamo_oracles: dict[str, Oracle], release: str, program: Program, data: st.DataObject
) -> None:
    flags = [
        f
        for f in flags_of(release, program)
        if f.env and f.name not in NOT_GENERATED | {"--connector"}
    ]
    env, argv = {}, []
    for flag in data.draw(st.lists(st.sampled_from(flags), min_size=1, max_size=3)):
        wrong = st.sampled_from(["", "x", "-1", "3", "0.5", "None", "true"])
        value = data.draw(st.one_of(right_value(flag), wrong))
        env[str(flag.env)] = value
        if flag.takes_value and data.draw(st.integers(0, 3)) == 0:
            argv += [flag.name, data.draw(right_value(flag))]

    verdict = dynamo_oracles[release].ask(program, argv, env)
    refused = errors(findings(release, program, argv, env))

    assert verdict.ok is not bool(refused), (argv, env, verdict.error, refused)


@releases
@each_program
def test_committed_flags_are_those_of_the_real_parser(release: str, program: str) -> None:
    python = ROOT / ".tools" / "oracles" / f"dynamo-{release}" / "bin" / "python"
    command = [str(python), "-m", "setup.read_flags", MODULES[program]]
    answer = subprocess.run(command, check=True, cwd=ROOT / "tools", stdout=subprocess.PIPE)
    committed = ROOT / "schema" / "cli" / f"{MODULES[program]}-{release}.json"

    known = json.loads(committed.read_text())
    for flag in known["flags"].values():
        flag.pop("engine", None)  # what the engine makes of a flag is none of the parser's business
    assert json.loads(answer.stdout).items() <= known.items()
