"""The one door to command lines: what a program makes of the words that start it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.command_lines.argparse_words import read_argparse
from gptoss.command_lines.arguments import Arguments
from gptoss.command_lines.click_words import read_click
from gptoss.command_lines.cyclopts_words import read_cyclopts
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gptoss.facts.programs import Parser, Program
    from gptoss.text.command import Command, Variable
    from gptoss.text.places import Located

MAX_WORDS = 2000
DIALECTS: dict[Parser, Callable[[Arguments, Sequence[Located[str]]], None]] = {
    "argparse": read_argparse,
    "click": read_click,
    "cyclopts": read_cyclopts,
}


def read_command(
    program: Program, command: Command, environment: Mapping[str, Variable]
) -> Arguments:
    """What a program makes of a command and an environment, by its own parser's rules.

    Its words follow its name, or the first word where a wrapper has another name.

    Raises:
        InputError: It has more than 2,000 words. Each may be a finding of its own, and the programs
            have about 150 flags.
    """
    if len(command.words) > MAX_WORDS:
        message = f"a command of {program.name} with more than {MAX_WORDS:,} words"
        raise InputError(message, command.words[MAX_WORDS].place)
    names = [word.value.rpartition("/")[2] for word in command.words]
    start = names.index(program.name) + 1 if program.name in names else 1
    arguments = Arguments(program, command, environment)
    DIALECTS[program.parser](arguments, command.words[start:])
    return arguments
