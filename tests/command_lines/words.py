"""Command lines for tests: what a program makes of words and variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.command_lines.dialects import read_command
from gptoss.facts.programs import AIPERF, SERVE, program
from gptoss.text.command import Command, Variable
from gptoss.text.places import Located, Place

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.command_lines.arguments import Arguments
    from gptoss.facts.programs import Program


def known(name: str, release: str) -> Program:
    """A program at a release that has facts."""
    found = program(name, release)
    assert found
    return found


def arguments_of(
    started: Program, *words: str, variables: Mapping[str, str | None] | None = None
) -> Arguments:
    """What a program makes of words, each on a line of its own, and of variables."""
    start = {SERVE: (SERVE,), AIPERF: (AIPERF, "profile")}
    line = (*start.get(started.name, ("python3", "-m", started.name)), *words)
    command = Command(tuple(Located(word, Place("flags", n)) for n, word in enumerate(line, 1)))
    environment = {
        name: Variable(name, value, None, Place("env", number))
        for number, (name, value) in enumerate((variables or {}).items(), 1)
    }
    return read_command(started, command, environment)
