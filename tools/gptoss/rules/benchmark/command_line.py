"""Does aiperf take every word of the benchmark's command line?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.command_lines.arguments import Kind, unresolved
from gptoss.rules.readings import quoted
from gptoss.rules.release.parsed import is_choice, mistyped, nearest, out_of_bounds
from gptoss.rules.rule import Said, Severity, rule
from gptoss.rules.subjects import BENCHMARK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.jobs import Benchmark
    from gptoss.facts.programs import Flag

SOURCE = "command line of aiperf 0.13.0; no flag was removed from 0.1.1 to 0.13.0"
PAIRS = ("--extra-inputs", "--header")
WHOLE = re.compile(r"\s*[+-]?\d+\.0*\s*")


@rule(
    "B020",
    "benchmark-flag-unknown",
    Severity.ERROR,
    of=BENCHMARK,
)
def benchmark_flag_unknown(benchmark: Benchmark) -> Iterator[Said]:
    """The benchmark gives aiperf a flag that it does not have.

    aiperf stops at it, after the deployment was started and waited for. It takes no abbreviations,
    and a switch has a ``--no-`` form only where its help shows one.
    """
    arguments = benchmark.arguments
    for fault in arguments.faults if arguments else ():
        if arguments and fault.kind is Kind.UNKNOWN:
            close = nearest(fault.name, tuple(arguments.program.spellings))
            hint = f"did you mean {close}?" if close else "remove it"
            yield Said(fault.at, f"{fault.name} is no flag of aiperf profile", hint)


@rule(
    "B021",
    "benchmark-flag-misused",
    Severity.ERROR,
    of=BENCHMARK,
)
def benchmark_flag_misused(benchmark: Benchmark) -> Iterator[Said]:
    """A flag of the benchmark has no value, is given twice, or a word belongs to no flag.

    aiperf stops at it. Only ``--extra-inputs``, ``--header``, ``--url`` and a few others take
    several values.
    """
    arguments = benchmark.arguments
    for fault in arguments.faults if arguments else ():
        if fault.kind is not Kind.UNKNOWN:
            yield Said(
                fault.at,
                f"{fault.at.value} {fault.told}, and aiperf profile stops at it",
                "give every flag once, with one value, and a switch with none",
            )


@rule(
    "B022",
    "benchmark-value-refused",
    Severity.ERROR,
    of=BENCHMARK,
)
def benchmark_value_refused(benchmark: Benchmark) -> Iterator[Said]:
    """A flag of the benchmark has a value that aiperf refuses.

    It is no number where one is wanted, too small or too large, or not among the words it takes.
    """
    arguments = benchmark.arguments
    for given in arguments.given if arguments else ():
        for value in given.values:
            if unresolved(value.value):
                continue
            wanted = refused(given.flag, value.value)
            if wanted:
                yield Said(
                    given.at,
                    f"{given.spelling} takes {wanted}, not {value.value!r}",
                    _hint(given.flag, value.value),
                )


def refused(flag: Flag, text: str) -> str | None:
    """What aiperf expects of a flag instead of a value; None for a right one."""
    if not is_choice(flag, text):
        return (
            f"one of {len(flag.choices)} words" if len(flag.choices) > 9 else quoted(flag.choices)
        )
    if flag.name in PAIRS and ":" not in text and not text.startswith("{"):
        return "key:value"
    if flag.type == "int" and WHOLE.fullmatch(text):
        text = text.partition(".")[0]
    return mistyped(flag, text) or out_of_bounds(flag, text)


def _hint(flag: Flag, text: str) -> str:
    close = nearest(text.lower(), flag.choices) if flag.choices else None
    return f"did you mean {close}?" if close else "write one that it takes"
