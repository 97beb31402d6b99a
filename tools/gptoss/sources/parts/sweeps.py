"""Steps of a benchmark: the command lines that one Job runs one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.command_lines.dialects import read_command
from gptoss.facts import folders
from gptoss.facts.programs import AIPERF, newest
from gptoss.sources.parts.load_generators import Measurement, measurement
from gptoss.text.budget import Kind, spend
from gptoss.text.command import Command
from gptoss.text.errors import InputError
from gptoss.text.places import Located

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gptoss.command_lines.arguments import Arguments
    from gptoss.text.command import Variable
    from gptoss.text.places import Place

CONCURRENCY = "--concurrency"
SWEEP, ROUNDS = "--sweep", "--rounds"
SCRIPT = "benchmark.py"


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a load generator.

    Attributes:
        tool: ``aiperf``, ``genai-perf`` or ``benchmark_serving``, and where it stands.
        arguments: What ``aiperf profile`` makes of its command line, told in aiperf's words.
        lost: Flags that aiperf has no equal of.
    """

    tool: Located[str]
    arguments: Arguments
    lost: tuple[Located[str], ...]


MAX_RUNS = 1000


def runs(commands: Iterable[Command], environment: Mapping[str, Variable]) -> tuple[Run, ...]:
    """What commands measure, in the order in which it runs.

    Runs are what the chart's benchmark.py makes of ``--sweep``, the commands of a script that has
    several, and each number of aiperf's own ``--concurrency 1,4,16``.

    Raises:
        InputError: ``--sweep`` or ``--rounds`` of the chart's script is no number, or they are more
            than 1,000.
    """
    found: list[Run] = []
    for command in commands:
        for run in _runs(command, environment):
            if len(found) == MAX_RUNS:
                raise _too_many(command.place)
            found.append(run)
    return tuple(found)


def _numbers(listed: str, command: Command) -> list[str]:
    """The elements of a list, for each of which a command is to be run; counted before it is."""
    numbers = listed.split(",")
    if len(numbers) > MAX_RUNS:
        raise _too_many(command.place)
    spend(Kind.WORDS, len(numbers) * len(command.words), command.place)
    return numbers


def _too_many(place: Place) -> InputError:
    return InputError(f"benchmarks of more than {MAX_RUNS:,} runs", place)


def _runs(command: Command, environment: Mapping[str, Variable]) -> Iterator[Run]:
    found = measurement(command)
    if found is None:
        return
    for words in _swept(command, found):
        arguments = read_command(newest(AIPERF), words, environment)
        for one in _one_by_one(arguments):
            yield Run(found.tool, one, found.lost)


def _one_by_one(arguments: Arguments) -> Iterator[Arguments]:
    """The command line once for each concurrency that it lists."""
    given = arguments.last(CONCURRENCY)
    listed = given.values[0].value if given and given.values else ""
    if given is None or "," not in listed:
        yield arguments
        return
    words = arguments.command.words
    at = next(n for n, word in enumerate(words) if word is given.at)
    for concurrency in _numbers(listed, arguments.command):
        pair = (Located(CONCURRENCY, given.at.place), Located(concurrency, given.values[0].place))
        rest = words[at + (1 if "=" in given.at.value else 2) :]
        command = Command((*words[:at], *pair, *rest))
        yield read_command(arguments.program, command, arguments.environment)


def _swept(command: Command, found: Measurement) -> Iterator[Command]:
    """The command lines that the chart's script makes of its words; else the one command line."""
    values = [word.value for word in command.words]
    names = [value.rpartition("/")[2] for value in values]
    start = names.index(SCRIPT) + 1 if SCRIPT in names else len(names)
    # Most benchmarks have no sweep, and the script is loaded only for one.
    if found.tool.value != AIPERF or SWEEP not in values[start:]:
        yield found.command
        return
    script = folders.chart_module(SCRIPT)
    own, of_aiperf = script.split(values[start:])
    if SWEEP not in own:
        yield found.command
        return
    sweep = command.words[values.index(SWEEP, start) + 1]
    _numbers(own[SWEEP], command)
    try:
        lines = script.steps(values[start:])
    except ValueError:
        raise InputError(
            f"{SCRIPT} takes numbers, as in {SWEEP} 32,64,128 {ROUNDS} 5", sweep.place
        ) from None
    places = [word.place for word in command.words[len(values) - len(of_aiperf) :]]
    for line in lines:
        added = [sweep.place] * (len(line) - len(places))
        yield Command(tuple(map(Located, line, [*places, *added])))
