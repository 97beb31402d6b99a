"""Steps of a benchmark: the command lines that one Job runs one after the other."""

from __future__ import annotations

import runpy
from functools import cache
from typing import TYPE_CHECKING

from gptoss.facts import folders
from gptoss.sources.parts.load_generators import AIPERF, Measurement, measurement
from gptoss.text.command import Command
from gptoss.text.errors import InputError
from gptoss.text.places import Located

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

SWEEP, ROUNDS = "--sweep", "--rounds"
SCRIPT = "benchmark.py"


def measurements(commands: Iterable[Command]) -> tuple[Measurement, ...]:
    """What commands measure, in the order in which it runs.

    Steps are what the chart's benchmark.py makes of ``--sweep``, the commands of a script that has
    several, and each number of aiperf's own ``--concurrency 1,4,16``.

    Raises:
        InputError: ``--sweep`` or ``--rounds`` of the chart's script is no number.
    """
    return tuple(step for command in commands for step in _steps(command))


def _steps(command: Command) -> Iterator[Measurement]:
    found = measurement(command)
    if found is None:
        return
    for words in _swept(command, found):
        listed = words.flag("--concurrency")
        for concurrency in listed.value.split(",") if listed else ():
            yield Measurement(found.tool, _with(words, concurrency), found.lost)
        if listed is None:
            yield Measurement(found.tool, words, found.lost)


def _swept(command: Command, found: Measurement) -> Iterator[Command]:
    """The command lines that the chart's script makes of its words; else the one command line."""
    names = [word.value.rpartition("/")[2] for word in command.words]
    start = names.index(SCRIPT) + 1 if SCRIPT in names else len(names)
    words = command.words[start:]
    if found.tool.value != AIPERF or [word.value for word in words[0:4:2]] != [SWEEP, ROUNDS]:
        yield found.command
        return
    try:
        lines = _script()([word.value for word in words])
    except ValueError:
        raise InputError(
            f"{SCRIPT} takes numbers, as in {SWEEP} 32,64,128 {ROUNDS} 5", words[0].place
        ) from None
    places = [word.place for word in words[4:]]
    for line in lines:
        added = [words[1].place] * (len(line) - len(places))
        yield Command(tuple(map(Located, line, [*places, *added])))


def _with(command: Command, concurrency: str) -> Command:
    """The command line with one concurrency."""
    words = list(command.words)
    for position, word in enumerate(words[:-1]):
        if word.value == "--concurrency":
            words[position + 1] = Located(concurrency, words[position + 1].place)
    return Command(tuple(words))


@cache
def _script() -> Callable[[list[str]], list[list[str]]]:
    """The chart's own computation of a sweep, so that there is one."""
    steps: Callable[[list[str]], list[list[str]]]
    steps = runpy.run_path(str(folders.chart() / "files" / SCRIPT))["steps"]
    return steps
