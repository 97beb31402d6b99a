"""Variables that what stands before a program gives it: ``env``, ``mpirun``, ``srun``."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from gptoss.text.command import Variable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gptoss.text.command import Command
    from gptoss.text.places import Located, Place

MPI = ("mpirun", "mpiexec", "orterun")
# Of Open MPI: NAME=VALUE, or NAME for the value that it has outside.
FORWARD = "-x"
SLURM, EXPORT = "srun", "--export="


def handed_on(command: Command, environment: Mapping[str, Variable]) -> dict[str, Variable]:
    """The variables that a launcher adds to those of its own environment.

    A variable that is forwarded by its name has the value that it has there, which may not be
    known.
    """
    found: dict[str, Variable] = {}
    for text, place in _assignments(command.words):
        name, equals, value = text.partition("=")
        if equals:
            found[name] = Variable(name, value, None, place)
        elif name not in environment:
            found[name] = Variable(name, None, None, place)
    return found


def _assignments(words: tuple[Located[str], ...]) -> Iterator[tuple[str, Place]]:
    launcher = words[0].value.rpartition("/")[2]
    if launcher == "env":
        for word in words[1:]:
            if word.value.startswith("-") or "=" not in word.value:
                return
            yield word.value, word.place
    if launcher in MPI:
        for flag, word in pairwise(words):
            if flag.value == FORWARD:
                yield word.value, word.place
    if launcher == SLURM:
        for word in words[1:]:
            if word.value.startswith(EXPORT):
                named = word.value.removeprefix(EXPORT).split(",")
                yield from ((text, word.place) for text in named if text not in ("ALL", "NONE"))
