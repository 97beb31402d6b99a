"""Flags of ``dynamo.trtllm`` and the variables that give their defaults."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.facts import programs
from gptoss.facts.programs import WORKER
from gptoss.text.places import Located

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.deployment.pods import Variable
    from gptoss.facts.programs import Program
    from gptoss.text.command import Command


def worker_program(release: str) -> Program:
    """The command line of ``dynamo.trtllm`` at a release; its flags tell what they set.

    Raises:
        LookupError: Nothing is known about the release.
    """
    found = programs.program(WORKER, release)
    if found is None:
        raise LookupError(f"nothing is known about {WORKER} {release}")
    return found


def variable_of(flag: str) -> str:
    """The variable of a flag of ``dynamo.trtllm``'s own group."""
    return "DYN_TRTLLM_" + flag.removeprefix("--").upper().replace("-", "_")


def given(
    command: Command, environment: Mapping[str, Variable], *flags: str
) -> Located[str] | None:
    """The value of a flag, or else of the variable that gives its default.

    Args:
        command: The ``dynamo.trtllm`` command.
        environment: The container's variables.
        flags: The flag, then its other spellings.
    """
    if (value := command.flag(*flags)) is not None:
        return value
    variable = environment.get(variable_of(flags[0]))
    if variable is None or variable.value is None:
        return None
    return Located(variable.value, variable.place)
