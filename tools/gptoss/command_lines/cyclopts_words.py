"""Reads the command line of ``aiperf profile`` as aiperf's own parser (cyclopts) reads it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.command_lines.arguments import Fault, Given, Kind, unresolved
from gptoss.text.places import Located

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.command_lines.arguments import Arguments
    from gptoss.facts.programs import Flag, Program

SUB_COMMAND = "profile"
NUMBER = re.compile(r"[+-]?(\d[\d_]*\.?\d*|\.\d+|inf|nan)([eE][+-]?\d+)?", re.IGNORECASE)
YES = ("yes", "y", "1", "true", "t")
NO = ("no", "n", "0", "false", "f")


def read_cyclopts(arguments: Arguments, words: Sequence[Located[str]]) -> None:
    """Reads the words that follow ``aiperf`` into its arguments."""
    named = bool(words) and words[0].value == SUB_COMMAND
    _Reader(arguments, words[named:]).read()


class _Reader:
    def __init__(self, arguments: Arguments, words: Sequence[Located[str]]) -> None:
        self.arguments = arguments
        self._words = words

    def read(self) -> None:
        position, after_unknown = 0, False
        while position < len(self._words):
            word = self._words[position]
            position += 1
            if word.value == "--":
                for rest in self._words[position:][:1]:
                    self._fault(Kind.STRAY, rest, None, "belongs to no flag")
                break
            if not is_option(word.value):
                if not after_unknown and not unresolved(word.value):
                    self._fault(Kind.STRAY, word, None, "belongs to no flag")
                continue
            flag, attached = _flag(self.arguments.program, word.value)
            after_unknown = flag is None
            if flag:
                position = self._take(flag, attached, position)
            elif not unresolved(word.value.partition("=")[0]):
                follower = self._values(position, 1)
                self.arguments.faults.append(Fault.unknown(word, next(iter(follower), None)))

    def _take(self, flag: Flag, attached: str | None, position: int) -> int:
        """Takes a flag with its values; gives the position after them."""
        word = self._words[position - 1]
        one = flag.nargs in (None, "append") and flag.type != "other"
        values: tuple[Located[str], ...] = ()
        if attached is not None:
            values = (Located(_value(flag, attached), word.place),)
        else:
            most = 0 if not flag.takes_value else 1 if one else len(self._words)
            values = self._values(position, most)
            position += len(values)
        if flag.takes_value and flag.nargs != "*" and not values:
            self._fault(Kind.NO_VALUE, word, flag, "needs a value and has none")
        elif not flag.takes_value and attached is not None and attached.lower() not in YES + NO:
            self._fault(Kind.STRAY, word, flag, "takes true or false")
        if not flag.nargs and any(given.flag is flag for given in self.arguments.given):
            self._fault(Kind.REPEATED, word, flag, "is given twice")
        self.arguments.given.append(Given(flag, word.value.partition("=")[0], word, values))
        return position

    def _values(self, position: int, most: int) -> tuple[Located[str], ...]:
        """The words from a position on up to the next flag, so many at most."""
        end = position
        while end < len(self._words) and end - position < most:
            if is_option(self._words[end].value):
                break
            end += 1
        return tuple(self._words[position:end])

    def _fault(self, kind: Kind, word: Located[str], flag: Flag | None, told: str) -> None:
        self.arguments.faults.append(Fault(kind, word, flag, told))


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


def _value(flag: Flag, attached: str) -> str:
    """A value in the flag's own word; that of a switch in one spelling."""
    if flag.takes_value or attached.lower() not in YES + NO:
        return attached
    return "true" if attached.lower() in YES else "false"
