"""Does the program take the values of the variables that give its flags' defaults?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gptoss.command_lines.arguments import unresolved
from gptoss.rules.release.parsed import (
    READINGS,
    Reading,
    choice_hint,
    is_choice,
    mistyped,
    out_of_bounds,
)
from gptoss.rules.rule import DYNAMO, Need, Said, Severity, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.facts.programs import Flag
    from gptoss.text.command import Variable

BOOLEANS = ("true", "1", "yes", "on", "false", "0", "no", "off", "")


@rule(
    "R015",
    "variable-refused",
    Severity.ERROR,
    of=READINGS,
    runtimes=DYNAMO,
    needs=(Need.RELEASE,),
)
def variable_refused(reading: Reading) -> Iterator[Said]:
    """A variable gives a flag's default, and the program stops at its value.

    The message in the log is Python's own and names neither the variable nor the flag. A number is
    read even where the flag is given too.
    """
    for flag, variable, value in _variables(reading):
        if flag.env_checked and (wanted := _wanted(reading, flag, value)):
            yield Said(
                variable,
                f"{variable.name} takes {wanted}, not {value!r}",
                "correct it, or remove the variable",
            )


def _wanted(reading: Reading, flag: Flag, value: str) -> str | None:
    """What the program expects of a variable instead of its value; None for a right one."""
    plain = replace(flag, type=flag.type.partition(" or ")[0]) if flag.env_plain else flag
    if wanted := mistyped(plain, value):
        return wanted
    if reading.arguments.last(flag.name):
        return None
    if not _are_choices(flag, value):
        return f"one of {', '.join(flag.choices)}"
    return out_of_bounds(flag, value)


def _are_choices(flag: Flag, value: str) -> bool:
    return all(is_choice(flag, word) for word in (value.split() if flag.nargs else [value]))


def _variables(reading: Reading) -> Iterator[tuple[Flag, Variable, str]]:
    """The variables that give defaults, with their values where they are known."""
    for flag in reading.program.flags.values():
        variable = reading.arguments.variable(flag)
        if variable and variable.value is not None and not unresolved(variable.value):
            yield flag, variable, variable.value


@rule(
    "R016",
    "variable-not-a-choice",
    Severity.WARNING,
    of=READINGS,
    runtimes=DYNAMO,
    needs=(Need.RELEASE,),
)
def variable_not_a_choice(reading: Reading) -> Iterator[Said]:
    """A variable has a value that its flag would refuse, and nothing says so at the start.

    Choices are compared for flags only. An unknown router mode becomes round-robin; others fail
    later, when the program first uses them.
    """
    for flag, variable, value in _variables(reading):
        if flag.env_checked or reading.arguments.last(flag.name) or _are_choices(flag, value):
            continue
        if flag.name == "--router-mode":
            told = "the frontend then routes round-robin without a word"
        else:
            told = "nothing says so until it is used"
        yield Said(
            variable,
            f"{flag.name} does not take {variable.name}={value}, and {told}",
            choice_hint(flag, value),
        )


@rule(
    "R017",
    "variable-not-a-boolean",
    Severity.WARNING,
    of=READINGS,
    runtimes=DYNAMO,
    needs=(Need.RELEASE,),
)
def variable_not_a_boolean(reading: Reading) -> Iterator[Said]:
    """The variable of a switch holds neither a yes nor a no.

    Only true, 1, yes and on switch it on; any other text switches it off, "enabled" among them.
    """
    for flag, variable, value in _variables(reading):
        known = value.strip().lower() in BOOLEANS
        if flag.type == "bool" and not known and not reading.arguments.last(flag.name):
            yield Said(
                variable,
                f"{variable.name}={value} is read as false",
                "write true or false",
            )
