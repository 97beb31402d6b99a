"""Does the program take the values of flags and variables?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.facts import programs
from gptoss.rules.fixes import set_flag
from gptoss.rules.release.parsed import (
    READINGS,
    Reading,
    choice_hint,
    is_choice,
    judged,
    mistyped,
    out_of_bounds,
    span,
)
from gptoss.rules.rule import Need, Said, Severity, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.command_lines.arguments import Given
    from gptoss.deployment.model import Deployment
    from gptoss.facts.programs import Flag
    from gptoss.facts.world import Model
    from gptoss.rules.fixes import Fix
    from gptoss.text.places import Located

MODE = "--disaggregation-mode"
# R002 and R003 tell the spellings of aggregated serving.
AGGREGATED_MODES = ("agg", "pd", "prefill_and_decode")


def _final(reading: Reading, given: Given) -> bool:
    return reading.arguments.last(given.flag.name) is given


def _refused_choices(reading: Reading) -> Iterator[tuple[Given, Located[str]]]:
    """Values of the command line that are not among those that their flag takes."""
    for given in reading.arguments.given:
        for value in judged(given, final=_final(reading, given)):
            told_elsewhere = given.flag.name == MODE and value.value in AGGREGATED_MODES
            if not is_choice(given.flag, value.value) and not told_elsewhere:
                yield given, value


def _releases_that_take(reading: Reading, flag: Flag, value: str) -> tuple[str, ...]:
    found = []
    for release in programs.releases_with(reading.program.name, flag.name):
        program = programs.program(reading.program.name, release)
        if program and value in program.spellings[flag.name].choices:
            found.append(release)
    return tuple(found)


@rule(
    "R005",
    "value-of-another-release",
    Severity.ERROR,
    of=READINGS,
    needs=(Need.RELEASE,),
)
def value_of_another_release(reading: Reading) -> Iterator[Said]:
    """A flag has a value that another release takes and this one does not.

    The program stops at it.
    """
    yield from other_releases_values(reading)


def other_releases_values(reading: Reading) -> Iterator[Said]:
    """Values that a flag takes in another version only."""
    for given, value in _refused_choices(reading):
        releases = _releases_that_take(reading, given.flag, value.value)
        if releases:
            yield Said(
                given.at,
                f"{given.spelling} {value.value} "
                f"{span(reading.program, releases)}; release {reading.program.release} stops "
                "at it",
                f"use one of {', '.join(given.flag.choices)}",
            )


@rule(
    "R013",
    "value-not-a-choice",
    Severity.ERROR,
    of=READINGS,
    fixable=True,
    needs=(Need.RELEASE,),
)
def value_not_a_choice(reading: Reading, deployment: Deployment) -> Iterator[Said]:
    """A flag has a value that no release takes.

    The program stops at it and names the values it takes.
    """
    yield from refused_values(reading, deployment.model)


def refused_values(reading: Reading, model: Model | None) -> Iterator[Said]:
    """Values that a flag takes in no version."""
    for given, value in _refused_choices(reading):
        if not _releases_that_take(reading, given.flag, value.value):
            yield Said(
                given.at,
                f"{given.spelling} does not take {value.value!r}",
                choice_hint(given.flag, value.value),
                fix=_right_parser(model, given),
            )


def _right_parser(model: Model | None, given: Given) -> Fix | None:
    """The parser that understands the model, for the flags that name one."""
    right = {
        "--dyn-reasoning-parser": model.reasoning_parser if model else None,
        "--dyn-tool-call-parser": model.tool_call_parser if model else None,
    }.get(given.flag.name)
    return set_flag(given.at.place, given.spelling, right) if right else None


@rule(
    "R014",
    "value-of-wrong-type",
    Severity.ERROR,
    of=READINGS,
    needs=(Need.RELEASE,),
)
def value_of_wrong_type(reading: Reading) -> Iterator[Said]:
    """A number is not written as one, or is outside what the program takes.

    The program stops at it.
    """
    yield from wrong_types(reading)


def wrong_types(reading: Reading) -> Iterator[Said]:
    """Numbers that are not written as such, or out of bounds."""
    for given in reading.arguments.given:
        final = _final(reading, given)
        for value in judged(given, final=final):
            wanted = mistyped(given.flag, value.value)
            wanted = wanted or (out_of_bounds(given.flag, value.value) if final else None)
            if wanted:
                yield Said(
                    given.at,
                    f"{given.spelling} takes {wanted}, not {value.value!r}",
                    f"write {wanted}",
                )
