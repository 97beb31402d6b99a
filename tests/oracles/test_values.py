"""A flag is set to what the real program takes from the same words and variables."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from gptoss.facts.programs import AIPERF, FRONTEND, WORKER
from gptoss.facts.world import Facts
from gptoss.precedence.dynamo import engine_settings
from gptoss.showing.show import as_json
from tests.command_lines.words import arguments_of, known
from tests.oracles.client import AIPERF_VERSION, DYNAMO_RELEASES, Oracle, Program
from tests.oracles.judging import HERE, deployment
from tests.oracles.test_agreement import NOT_GENERATED, right_value
from tests.oracles.test_bench_agreement import BASE, flags
from tests.oracles.test_bench_agreement import right_value as right_bench_value

if TYPE_CHECKING:
    from gptoss.facts.programs import Flag

FACTS = Facts()
MODULES: dict[Program, str] = {"worker": WORKER, "frontend": FRONTEND}
# What Dynamo makes something else of once it is parsed.
MADE_OVER = {"connector", "endpoint", "disaggregation_mode", "admission_control"}
releases = pytest.mark.parametrize("release", DYNAMO_RELEASES)
shared_oracle = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def shown(release: str, argv: list[str]) -> dict[str, Any]:
    """Every engine setting that ``show`` prints of a worker with these words, and who sets it."""
    arguments = arguments_of(known(WORKER, release), *argv)
    engine = engine_settings(
        arguments, None, HERE, FACTS, lambda _, place: place, FACTS.releases[release]
    )
    (worker,) = deployment(release).workers
    own = replace(
        deployment(release), workers=(replace(worker, arguments=arguments, engine=engine),)
    )
    (printed,) = json.loads(as_json([own]))["workers"]
    return {s["key"]: (s["value"], s["set_by"]["layer"]) for s in printed["settings"]}


def set_values(name: str, release: str, argv: list[str], **variables: str) -> dict[str, Any]:
    """What each flag that is set is set to, by its name in the program's configuration."""
    found = arguments_of(known(name, release), *argv, variables=variables).in_force()
    return {f[2:].replace("-", "_"): value.value for f, value in found.items() if value.place}


@releases
def test_every_beginning_that_the_parser_takes_shows_what_the_whole_name_does(
    dynamo_oracles: dict[str, Oracle], release: str
) -> None:
    oracle, taken = dynamo_oracles[release], 0
    for flag in known(WORKER, release).flags.values():
        value = [flag.choices[0] if flag.choices else "3"] if flag.takes_value else []
        for whole in flag.spellings if flag.engine else ():
            expected = shown(release, [whole, *value])
            for length in range(3, len(whole)):
                argv = [whole[:length], *value]
                if oracle.ask("worker", argv, abbreviations=True).ok:
                    assert shown(release, argv) == expected, argv
                    taken += 1
    assert taken > 100


def spelled(flag: Flag) -> st.SearchStrategy[str]:
    """A spelling of a flag, or the beginning of one."""
    whole = st.sampled_from(flag.spellings)
    cut = whole.flatmap(
        lambda word: st.integers(min(3, len(word)), len(word)).map(lambda length: word[:length])
    )
    return st.one_of(whole, cut)


@st.composite
def command_lines(draw: st.DrawFn, name: str, release: str) -> tuple[list[str], dict[str, str]]:
    """Words and variables, of which the same flag may have several."""
    all_flags = known(name, release).flags.values()
    usual = [f for f in all_flags if f.type not in ("folder", "other", "exit")]
    usual = [f for f in usual if f.name not in NOT_GENERATED]
    words, variables = [], {}
    for flag in draw(st.lists(st.sampled_from(usual), min_size=1, max_size=3)):
        for _ in range(draw(st.integers(0, 2))):
            spelling = draw(spelled(flag))
            values = [draw(right_value(flag)) for _ in range(draw(st.integers(1, 2)))]
            values = values if flag.nargs else values[:1]
            attached = len(values) == 1 and draw(st.booleans())
            if not flag.takes_value:
                words.append(spelling)
            else:
                words += [f"{spelling}={values[0]}"] if attached else [spelling, *values]
        if flag.env and draw(st.booleans()):
            switch = st.sampled_from(["true", "1", "Yes", "on", "false", "0", "no", "other"])
            variables[flag.env] = draw(right_value(flag) if flag.takes_value else switch)
    return words, variables


@releases
@pytest.mark.parametrize("program", MODULES)
@settings(max_examples=60, parent=shared_oracle)
@given(data=st.data())
def test_every_flag_is_set_to_what_the_program_takes(
    dynamo_oracles: dict[str, Oracle], release: str, program: Program, data: st.DataObject
) -> None:
    argv, variables = data.draw(command_lines(MODULES[program], release))
    verdict = dynamo_oracles[release].ask(program, argv, variables, abbreviations=True)
    assume(verdict.ok)

    ours = set_values(MODULES[program], release, argv, **variables)

    for name in ours.keys() & verdict.config.keys() - MADE_OVER:
        assert ours[name] == verdict.config[name], (name, argv, variables)


@st.composite
def spellings_of_aiperf(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """A command line of aiperf in some spelling and in the usual one."""
    odd, usual = [*BASE], [*BASE]
    for flag in draw(st.lists(st.sampled_from(flags()), min_size=1, max_size=3, unique=True)):
        spelling = draw(st.sampled_from(flag.spellings))
        name = spelling if flag.switches_off(spelling) else flag.name
        if draw(st.booleans()) and spelling.startswith("--"):
            spelling = f"--{spelling[2:].replace('-', '_')}"
        if not flag.takes_value:
            switched = draw(st.sampled_from(["", "=true", "=Yes", "=1"]))
            odd.append(f"{spelling}{switched}")
            usual.append(name)
            continue
        value = draw(right_bench_value(flag))
        odd += draw(st.sampled_from([[spelling, value], [f"{spelling}={value}"]]))
        usual += [name, value]
    return odd, usual


@settings(max_examples=10, parent=shared_oracle)
@given(lines=spellings_of_aiperf())
def test_what_is_the_same_to_aiperf_is_the_same_here(
    aiperf_oracle: Oracle, lines: tuple[list[str], list[str]]
) -> None:
    odd, usual = (aiperf_oracle.ask("aiperf", line) for line in lines)
    assume(odd.ok and usual.ok)
    assert odd.config == usual.config
    ours = [set_values(AIPERF, AIPERF_VERSION, line) for line in lines]
    assert ours[0] == ours[1]
