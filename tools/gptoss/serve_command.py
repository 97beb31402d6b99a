"""The command line of ``trtllm-serve``, as its program reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss import click_arguments

if TYPE_CHECKING:
    from gptoss.arguments import Arguments
    from gptoss.cli_facts import Program
    from gptoss.pods import Command

SUB_COMMAND = "serve"


def arguments_of(program: Program, command: Command) -> Arguments:
    """What follows ``trtllm-serve [serve]``, read with the flags of a version.

    Args:
        program: The flags.
        command: The command from the program's name on.
    """
    named = len(command.words) > 1 and command.words[1].value == SUB_COMMAND
    return click_arguments.read(program, command.words[1 + named :], named=named)
