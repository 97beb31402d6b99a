"""Reads a command line as Python's argparse reads it, and tells everything that it refuses.

argparse stops at its first error; this reads on, so that one look shows them all. What it takes
and refuses is that of ``argparse.ArgumentParser`` for a parser without positional arguments.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import pairwise
from typing import TYPE_CHECKING

from gptoss.text.command import NEGATIVE_NUMBER
from gptoss.text.places import Located

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gptoss.facts.programs import Flag, Program

# Words that a shell would have filled in; what they become is not known.
UNRESOLVED = ("$", "`")


class Kind(Enum):
    """What is wrong with a word."""

    UNKNOWN = auto()
    AMBIGUOUS = auto()
    NO_VALUE = auto()
    STRAY = auto()
    DOTTED = auto()
    MISPLACED = auto()


@dataclass(frozen=True, slots=True)
class Fault:
    """A word that the parser refuses.

    Attributes:
        kind: What is wrong with it.
        at: The word.
        flag: The flag it belongs to, if it belongs to one.
        told: What is wrong, where the kind does not say it all.
    """

    kind: Kind
    at: Located[str]
    flag: Flag | None = None
    told: str = ""


@dataclass(frozen=True, slots=True)
class Given:
    """A flag that the command line gives.

    Attributes:
        flag: The flag.
        spelling: How it is written; an abbreviation has the letters that are written.
        at: The word.
        values: Its values.
    """

    flag: Flag
    spelling: str
    at: Located[str]
    values: tuple[Located[str], ...] = ()

    @property
    def abbreviated(self) -> bool:
        """Whether only the beginning of its name is written."""
        return self.spelling not in self.flag.spellings


@dataclass(slots=True)
class Arguments:
    """A command line as the program's parser reads it.

    Attributes:
        given: Its flags in order.
        faults: The words that the parser refuses.
        dotted: Its dotted flags, each with its value.
        words: What belongs to no flag, for a program that takes such words.
    """

    given: list[Given] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    dotted: list[tuple[Located[str], Located[str]]] = field(default_factory=list)
    words: list[Located[str]] = field(default_factory=list)

    def last(self, name: str) -> Given | None:
        """The flag that counts when it is given more than once, or None."""
        return next((given for given in reversed(self.given) if given.flag.name == name), None)

    def value(self, name: str) -> Located[str] | None:
        """The value that counts of a flag that takes one, at the flag's place; None without it."""
        given = self.last(name)
        return Located(given.values[-1].value, given.at.place) if given and given.values else None


def read(program: Program, words: Sequence[Located[str]]) -> Arguments:
    """Reads the words that follow the program's name."""
    reader = _Reader(program, words)
    reader.read()
    return reader.arguments


def unresolved(word: str) -> bool:
    """Whether a word holds something that only the shell or the cluster fills in."""
    return any(mark in word for mark in UNRESOLVED)


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
    def __init__(self, program: Program, words: Sequence[Located[str]]) -> None:
        self.arguments = Arguments()
        self._program = program
        self._words = words
        self._options = dict(self._classified())
        # What no flag of the parser takes, in order: dotted flags and what is wrong.
        self._rest: list[Located[str]] = []

    def read(self) -> None:
        position = 0
        while position < len(self._words):
            word = self._words[position]
            option = self._options.get(position)
            position += 1
            if option is None or not option.flags:
                self._rest.append(word)
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
        position = 0
        while position < len(self._rest):
            word = self._rest[position]
            position += 1
            if not self._program.dotted or not word.value.startswith(self._program.dotted):
                self._unknown(word)
                continue
            if not all(word.value.removeprefix(self._program.dotted).split(".")):
                self._fault(Kind.DOTTED, word, told="a part of its path is empty")
                continue
            follower = self._rest[position] if position < len(self._rest) else None
            if follower is None or follower.value.startswith("--"):
                self._fault(Kind.DOTTED, word, told="it has no value")
                continue
            self.arguments.dotted.append((word, follower))
            position += 1

    def _unknown(self, word: Located[str]) -> None:
        if unresolved(word.value):
            return
        is_flag = word.value.startswith("-") and len(word.value) > 2 and " " not in word.value
        if is_flag and not NEGATIVE_NUMBER.fullmatch(word.value):
            self._fault(Kind.UNKNOWN, word)
        elif not self._is_value_of_unknown(word):
            self._fault(Kind.STRAY, word)

    def _is_value_of_unknown(self, word: Located[str]) -> bool:
        """Whether the word before is a flag that the parser does not know."""
        last = self.arguments.faults[-1] if self.arguments.faults else None
        if last is None or last.kind is not Kind.UNKNOWN or "=" in last.at.value:
            return False
        before = next((a for a, b in pairwise(self._words) if b is word), None)
        return before is last.at

    def _fault(
        self, kind: Kind, word: Located[str], flag: Flag | None = None, told: str = ""
    ) -> None:
        self.arguments.faults.append(Fault(kind, word, flag, told))
