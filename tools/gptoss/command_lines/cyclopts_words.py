"""Reads the command line of ``aiperf profile`` as aiperf's own parser (cyclopts) reads it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from gptoss.command_lines.argparse_words import Given, unresolved
from gptoss.facts import programs
from gptoss.rules.release.parsed import nearest
from gptoss.text.places import Located

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.deployment.model import Deployment
    from gptoss.facts.programs import Flag, Program

NUMBER = re.compile(r"[+-]?(\d[\d_]*\.?\d*|\.\d+|inf|nan)([eE][+-]?\d+)?", re.IGNORECASE)
BOOLEANS = ("yes", "y", "1", "true", "t", "no", "n", "0", "false", "f")


@dataclass(slots=True)
class BenchArguments:
    """The command line of the benchmark.

    Attributes:
        program: aiperf's flags.
        given: The flags that are given.
        unknown: Words that look like flags and are none, each with the nearest flag.
        misused: Other words that aiperf stops at, each with what is wrong.
    """

    program: Program
    given: list[Given] = field(default_factory=list)
    unknown: list[tuple[Located[str], str | None]] = field(default_factory=list)
    misused: list[tuple[Located[str], str]] = field(default_factory=list)


def bench_arguments(deployment: Deployment) -> BenchArguments | None:
    """The benchmark's command line, where it runs ``aiperf profile``."""
    benchmark = deployment.benchmark
    command = benchmark.command if benchmark else None
    return _arguments(command.words) if command else None


@lru_cache(maxsize=1)  # several rules ask for the same command line in turn
def _arguments(words: tuple[Located[str], ...]) -> BenchArguments | None:
    program = programs.program(programs.AIPERF, programs.releases(programs.AIPERF)[-1])
    start = next((n for n, word in enumerate(words, 1) if word.value == "profile"), None)
    return _read(program, words[start:]) if program and start is not None else None


def _read(program: Program, words: Sequence[Located[str]]) -> BenchArguments:
    """Reads the words that follow ``aiperf profile``."""
    arguments = BenchArguments(program)
    position, after_unknown = 0, False
    while position < len(words):
        word = words[position]
        position += 1
        if word.value == "--":
            arguments.misused += [(rest, "belongs to no flag") for rest in words[position:][:1]]
            break
        if not is_option(word.value):
            if not after_unknown and not unresolved(word.value):
                arguments.misused.append((word, "belongs to no flag"))
            continue
        flag, attached = _flag(program, word.value)
        after_unknown = flag is None
        if flag is None:
            name = word.value.partition("=")[0]
            if not unresolved(name):
                arguments.unknown.append((word, nearest(name, tuple(program.spellings))))
            continue
        position = _take(arguments, flag, attached, words, position)
    return arguments


def is_option(word: str) -> bool:
    """Whether aiperf takes a word for a flag."""
    return word.startswith("-") and len(word) > 1 and not NUMBER.fullmatch(word)


def _flag(program: Program, word: str) -> tuple[Flag | None, str | None]:
    """The flag that a word names, with the value in the same word."""
    name, equals, value = word.partition("=")
    spelling = name if name in program.spellings else f"--{name[2:].replace('_', '-')}"
    if spelling in program.spellings:
        return program.spellings[spelling], value if equals else None
    if not word.startswith("--") and word[:2] in program.spellings:
        return program.spellings[word[:2]], word[2:]
    return None, None


def _take(
    arguments: BenchArguments,
    flag: Flag,
    attached: str | None,
    words: Sequence[Located[str]],
    position: int,
) -> int:
    """Takes a flag with its values; gives the position after them."""
    word = words[position - 1]
    start = position
    most = {None: 1, "append": 1}.get(flag.nargs, len(words))
    if flag.type == "other":
        most = len(words)
    if attached is None and flag.takes_value:
        while position < len(words) and position - start < most:
            if is_option(words[position].value):
                break
            position += 1
    values = tuple(words[start:position])
    if attached is not None:
        values = (Located(attached, word.place),)
    spelling = word.value.partition("=")[0]
    if flag.takes_value and flag.nargs != "*" and not values:
        arguments.misused.append((word, "needs a value and has none"))
    elif not flag.takes_value and attached is not None and attached.lower() not in BOOLEANS:
        arguments.misused.append((word, "takes true or false"))
    if not flag.nargs and any(given.flag is flag for given in arguments.given):
        arguments.misused.append((word, "is given twice"))
    arguments.given.append(Given(flag, spelling, word, values if flag.takes_value else ()))
    return position
