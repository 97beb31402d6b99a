"""Reads a command line as Python's argparse reads it, and tells everything that it refuses.

argparse stops at its first error; this reads on, so that one look shows them all. What it takes
and refuses is that of ``argparse.ArgumentParser`` for a parser without positional arguments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.command_lines.arguments import NEGATIVE_NUMBER, Fault, Given, Kind, unresolved
from gptoss.text.budget import NESTING
from gptoss.text.errors import InputError
from gptoss.text.places import Located

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gptoss.command_lines.arguments import Arguments
    from gptoss.facts.programs import Flag


def read_argparse(arguments: Arguments, words: Sequence[Located[str]]) -> None:
    """Reads the words that follow the program's name into its arguments."""
    _Reader(arguments, words).read()


@dataclass(frozen=True, slots=True)
class _Option:
    """A word that argparse takes for an option.

    Attributes:
        flags: The flag; more than one where an abbreviation is ambiguous, none for an unknown one.
        spelling: The word without its value.
        attached: The value in the same word, if any.
    """

    flags: tuple[Flag, ...]
    spelling: str
    attached: str | None = None


class _Reader:
    def __init__(self, arguments: Arguments, words: Sequence[Located[str]]) -> None:
        self.arguments = arguments
        self._program = arguments.program
        self._words = words
        self._options = dict(self._classified())
        # Positions of what no flag of the parser takes: dotted flags and what is wrong.
        self._rest: list[int] = []

    def read(self) -> None:
        position = 0
        while position < len(self._words):
            word = self._words[position]
            option = self._options.get(position)
            position += 1
            if option is None or not option.flags:
                self._rest.append(position - 1)
            elif len(option.flags) > 1:
                listed = " and ".join(flag.name for flag in option.flags[:3])
                self._fault(Kind.AMBIGUOUS, word, told=f"it may mean {listed}")
            else:
                position = self._take(option, word, position)
        self._read_rest()

    def _classified(self) -> Iterator[tuple[int, _Option]]:
        """The words that are options, by position; those after ``--`` are none."""
        for position, word in enumerate(self._words):
            if word.value == "--":
                return
            option = self._option(word.value)
            if option:
                yield position, option

    def _option(self, word: str) -> _Option | None:
        known = self._program.spellings
        if not word.startswith("-") or len(word) == 1:
            return None
        if word in known:
            return _Option((known[word],), word)
        name, equals, value = word.partition("=")
        attached = value if equals else None
        if name in known and equals:
            return _Option((known[name],), name, attached)
        meant = self._meant(word, name)
        if meant:
            short = not word.startswith("--") and word[:2] in known
            if short:
                return _Option(tuple(meant.values()), word[:2], word[2:])
            return _Option(tuple(meant.values()), name, attached)
        if NEGATIVE_NUMBER.fullmatch(word) or " " in word:
            return None
        return _Option((), name, attached)

    def _meant(self, word: str, name: str) -> dict[str, Flag]:
        """The flags that a word may abbreviate, by spelling."""
        known = self._program.spellings
        if not word.startswith("--") and word[:2] in known:
            return {word[:2]: known[word[:2]]}
        beginning = name if word.startswith("--") else word
        return {whole: flag for whole, flag in known.items() if whole.startswith(beginning)}

    def _take(self, option: _Option, word: Located[str], position: int) -> int:
        """Takes a flag with its values; gives the position after them."""
        (flag,) = option.flags
        if option.attached is not None:
            values: tuple[Located[str], ...] = (Located(option.attached, word.place),)
            if not flag.takes_value:
                repeated = set(option.attached) == {option.spelling[-1]}
                if not (repeated and not word.value.startswith("--")):
                    told = f"{flag.name} takes no value"
                    self._fault(Kind.STRAY, word, flag, told)
                values = ()
            self.arguments.given.append(Given(flag, option.spelling, word, values))
            return position
        start, most = position, self._most(flag)
        while position < len(self._words) and position - start < most and self._is_value(position):
            position += 1
        values = tuple(self._words[start:position])
        if flag.takes_value and flag.nargs in (None, "+") and not values:
            self._fault(Kind.NO_VALUE, word, flag)
        else:
            self.arguments.given.append(Given(flag, option.spelling, word, values))
        return position

    def _most(self, flag: Flag) -> int:
        if not flag.takes_value:
            return 0
        return len(self._words) if flag.nargs in ("*", "+") else 1

    def _is_value(self, position: int) -> bool:
        """Whether a word can be a value: no option, and not the end of the options."""
        return position not in self._options and (
            self._words[position].value != "--" or self._after_end(position)
        )

    def _after_end(self, position: int) -> bool:
        return any(word.value == "--" for word in self._words[:position])

    def _read_rest(self) -> None:
        """Reads what no flag has taken: dotted flags with their values, the others are faults."""
        at = 0
        while at < len(self._rest):
            position = self._rest[at]
            word = self._words[position]
            at += 1
            if not self._program.dotted or not word.value.startswith(self._program.dotted):
                self._unknown(position)
                continue
            path = word.value.removeprefix(self._program.dotted).split(".")
            if len(path) > NESTING:
                raise InputError(f"a flag nested deeper than {NESTING} levels", word.place)
            if not all(path):
                self._fault(Kind.DOTTED, word, told="a part of its path is empty")
                continue
            follower = self._words[self._rest[at]] if at < len(self._rest) else None
            if follower is None or follower.value.startswith("--"):
                self._fault(Kind.DOTTED, word, told="it has no value")
                continue
            self.arguments.dotted.append((word, follower))
            at += 1

    def _unknown(self, position: int) -> None:
        word = self._words[position]
        if unresolved(word.value):
            self.arguments.rest.append(word)
            return
        if _is_flag(word.value):
            more = position + 1 < len(self._words) and self._is_value(position + 1)
            follower = self._words[position + 1] if more else None
            self.arguments.faults.append(Fault.unknown(word, follower))
        elif not self._is_value_of_unknown(position):
            self._fault(Kind.STRAY, word)

    def _is_value_of_unknown(self, position: int) -> bool:
        """Whether the word before is a flag that the parser does not know."""
        last = self.arguments.faults[-1] if self.arguments.faults else None
        if last is None or last.kind is not Kind.UNKNOWN or "=" in last.at.value:
            return False
        return self._words[position - 1] is last.at

    def _fault(
        self, kind: Kind, word: Located[str], flag: Flag | None = None, told: str = ""
    ) -> None:
        self.arguments.faults.append(Fault(kind, word, flag, told))


def _is_flag(word: str) -> bool:
    looks_so = word.startswith("-") and len(word) > 2 and " " not in word
    return looks_so and not NEGATIVE_NUMBER.fullmatch(word)
