"""Shells that are started with a script among their words: ``bash -c "..."``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gptoss.sources.parts.launchers import handed_on
from gptoss.text.budget import Kind, spend
from gptoss.text.command import Variable
from gptoss.text.places import Located
from gptoss.text.yaml_tree import Tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gptoss.text.shell.result import Step

SHELLS = ("sh", "bash", "dash", "ash", "zsh")
# Words from a shell up to its script.
MAX_OPTIONS = 20
# What starts a shell that is among its words.
LAUNCHERS = ("srun", "mpirun", "mpiexec", "nohup", "setsid", "exec", "sudo", "time", "timeout")


def opened(steps: Iterable[Step]) -> Iterator[Step]:
    """The steps, where those of a shell stand in place of the command that starts it."""
    for step in steps:
        words = step.command.words
        start = _shell(tuple(word.value for word in words))
        if start is None:
            yield step
        else:
            yield from _inside(step, words[start], [word.value for word in words[start + 1 :]])


def script_position(words: Sequence[str]) -> int | None:
    """Where the script of ``sh -c`` stands among the words; None when no shell is started."""
    if not words or words[0].rpartition("/")[2] not in SHELLS:
        return None
    position = 1
    while position < len(words):
        option = words[position]
        if not option.startswith(("-", "+")):
            return None
        position += 1
        if option.startswith("--"):
            continue
        position += "o" in option  # takes the name of an option
        if "c" in option:
            return position if position < len(words) else None
    return None


def _shell(words: Sequence[str]) -> int | None:
    """Where the script of a shell that a command starts stands among its words."""
    is_launched = words[0].rpartition("/")[2] in LAUNCHERS
    for start in range(len(words) if is_launched else 1):
        if words[start].rpartition("/")[2] in SHELLS:
            position = script_position(words[start : start + MAX_OPTIONS])
            if position is not None:
                return start + position
    return None


def _inside(step: Step, script: Located[str], arguments: Sequence[str]) -> Iterator[Step]:
    from gptoss.text.shell.evaluation import read_script  # most commands start no shell

    outside = {
        name: Variable(name, located.value, None, located.place)
        for name, located in step.environment.items()
    }
    given = {
        name: Located(variable.value, variable.place)
        for name, variable in handed_on(step.command, outside).items()
    }
    environment = {**step.environment, **given}
    values = {name: located.value for name, located in environment.items()}
    for inner in read_script(Tree(script.value, script.place), values, arguments).steps:
        spend(Kind.VARIABLES, len(environment) + len(step.files), script.place)
        yield replace(
            inner,
            environment={**environment, **inner.environment},
            function=step.function,
            choices=step.choices,
            background=step.background or inner.background,
            counted=step.counted and inner.counted,
            files={**step.files, **inner.files},
        )
