"""The flags of a program that are in force: given, else by variable, else the default."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gptoss.command_lines import argparse_words
from gptoss.command_lines.argparse_words import Kind
from gptoss.command_lines.click_words import arguments_of
from gptoss.facts.programs import SERVE, converted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.command_lines.argparse_words import Arguments, Given
    from gptoss.deployment.pods import Variable
    from gptoss.facts.programs import Flag, Program
    from gptoss.text.command import Command
    from gptoss.text.places import Place


@dataclass(frozen=True, slots=True)
class InForce:
    """A flag's value in force.

    Attributes:
        value: The value; None when the program has no default of its own.
        place: Where it is given; None when it is the default.
        flag: What is known about the flag; None for one that the program does not have.
        words: The value as it is written on the command line; nothing when it is not.
    """

    value: Any
    place: Place | None
    flag: Flag | None
    words: tuple[str, ...] = ()


def flags_in_force(
    program: Program | None, command: Command, environment: Mapping[str, Variable]
) -> dict[str, InForce]:
    """Every flag of a program by name, and those that are given and that it does not have.

    Args:
        program: The program at the release; None when it is not known, so that only what is given
            is in force.
        command: The command that runs it.
        environment: The container's variables.
    """
    given = {
        name.value: InForce(value.value if value else True, name.place, None)
        for name, value in command.flags()
    }
    if program is None:
        return given
    read = _read(program, command)
    found: dict[str, InForce] = {}
    for name, flag in program.flags.items():
        if flag.type != "exit":
            found[name] = _in_force(flag, [g for g in read.given if g.flag is flag], environment)
    for fault in read.faults:
        if fault.kind is Kind.UNKNOWN:
            name = fault.at.value.partition("=")[0]
            found[name] = given.get(name, InForce(True, fault.at.place, None))
    return found


def _read(program: Program, command: Command) -> Arguments:
    """What the program's own parser makes of the command."""
    if program.name == SERVE:
        return arguments_of(program, command)
    names = [word.value.rpartition("/")[2] for word in command.words]
    start = names.index(program.name) + 1 if program.name in names else 1
    return argparse_words.read(program, command.words[start:])


def _in_force(flag: Flag, given: list[Given], environment: Mapping[str, Variable]) -> InForce:
    if given:
        last = given[-1]
        if not flag.takes_value:
            return InForce(not last.spelling.startswith("--no-"), last.at.place, flag)
        counted = given if flag.nargs == "append" else given[-1:]
        words = [value.value for one in counted for value in one.values]
        return InForce(_typed(flag, words), last.at.place, flag, tuple(words))
    variable = environment.get(flag.env) if flag.env else None
    if variable is not None and variable.value is not None:
        return InForce(_typed(flag, [variable.value]), variable.place, flag)
    return InForce(flag.default, None, flag)


def _typed(flag: Flag, words: list[str]) -> Any:
    """Words as the flag's type; what does not convert stays text."""
    if flag.nargs == "append":
        return sorted(words)
    if flag.nargs is not None:
        return words
    return converted(" ".join(words), flag.kind)
