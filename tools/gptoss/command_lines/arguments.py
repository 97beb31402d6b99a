"""What a program makes of its words and variables: what each flag is set to, and by whom."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gptoss.text.places import Located

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gptoss.facts.programs import Flag, Program
    from gptoss.text.command import Command, Variable
    from gptoss.text.places import Place

# Words that a shell would have filled in; what they become is not known.
UNRESOLVED = ("$", "`")
LIST = re.compile(r"\$\{(?:@|\w+\[[@*]\])\}")
NEGATIVE_NUMBER = re.compile(r"-\d+|-\d*\.\d+")
SWITCHED_ON = ("true", "1", "yes", "on")
NO_NUMBER = ("", "None")


class Kind(Enum):
    """What is wrong with a word."""

    UNKNOWN = auto()
    AMBIGUOUS = auto()
    NO_VALUE = auto()
    STRAY = auto()
    REPEATED = auto()
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
        value: What may be the value of a flag that the program does not have.
    """

    kind: Kind
    at: Located[str]
    flag: Flag | None = None
    told: str = ""
    value: str | None = None

    @property
    def name(self) -> str:
        """The word without a value in it."""
        return self.at.value.partition("=")[0]

    @classmethod
    def unknown(cls, at: Located[str], follower: Located[str] | None) -> Fault:
        """A flag that the program does not have, and the word after it if that is no flag."""
        _, equals, attached = at.value.partition("=")
        value = attached if equals else follower.value if follower else None
        return cls(Kind.UNKNOWN, at, value=value)


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
    def whole(self) -> str:
        """The flag's own spelling that is written: in full, its beginning, or with underscores."""
        known, hyphened = self.flag.spellings, self.spelling.replace("_", "-")
        for written in (self.spelling, hyphened):
            if written in known:
                return written
        return next((word for word in known if word.startswith(self.spelling)), self.flag.name)

    @property
    def abbreviated(self) -> bool:
        """Whether only the beginning of its name is written."""
        return self.whole != self.spelling and self.whole.startswith(self.spelling)

    @property
    def value(self) -> Any:
        """The value that it gives by itself, as the flag's type."""
        words = [value.value for value in self.values]
        if self.flag.takes_value:
            return typed(self.flag, words)
        told_off = bool(words) and words[-1].lower() not in SWITCHED_ON
        return self.flag.switches_off(self.whole) is told_off


@dataclass(frozen=True, slots=True)
class InForce:
    """What a flag is set to.

    Attributes:
        value: The value as the flag's type; None when the program has no default, and when what
            sets it is not known.
        place: Where it is set; None when it is the default.
        flag: What is known about the flag; None for one that the program does not have.
        text: The value as it is written, '' for a switch; None when it is not.
        given: Where the command line gives it; nothing when it does not.
    """

    value: Any = None
    place: Place | None = None
    flag: Flag | None = None
    text: str | None = None
    given: tuple[Given, ...] = ()

    @property
    def located(self) -> Located[str] | None:
        """The value as it is written and where it is set; None for a default."""
        if self.place is None or self.text is None:
            return None
        return Located(self.text, self.place)

    @property
    def spelling(self) -> str:
        """What sets it, as it is written there: the flag or its variable."""
        if self.given or not self.flag:
            return self.given[-1].spelling if self.given else ""
        return self.flag.env or self.flag.name

    @property
    def words(self) -> tuple[str, ...]:
        """The words of its value on the command line."""
        return tuple(value.value for one in self.given for value in one.values)

    @property
    def is_written(self) -> bool:
        """Whether the command line gives it."""
        return bool(self.given) or (self.flag is None and self.place is not None)


@dataclass(frozen=True)
class Arguments:
    """A command line and an environment as the program reads them.

    Attributes:
        program: The program with its flags.
        command: The command that starts it.
        environment: Its variables.
        given: The flags of the command line, in order.
        faults: The words that the parser refuses.
        dotted: Its dotted flags, each with its value.
        words: What belongs to no flag, for a program that takes such words.
        rest: Words that no flag takes and that only the shell fills in: any flags, or none.
    """

    program: Program
    command: Command
    environment: Mapping[str, Variable]
    given: list[Given] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    dotted: list[tuple[Located[str], Located[str]]] = field(default_factory=list)
    words: list[Located[str]] = field(default_factory=list)
    rest: list[Located[str]] = field(default_factory=list)

    @cached_property
    def complete(self) -> bool:
        """Whether every flag is there: no word may stand for any number of words."""
        return not self.rest and not any(LIST.search(word.value) for word in self.command.words)

    def __getitem__(self, spelling: str) -> InForce:
        """What a flag is set to, under its newest name too; nothing where the program has none."""
        flag = self.program.flag(spelling)
        return self._of(flag) if flag else InForce()

    def last(self, name: str) -> Given | None:
        """The flag that counts when it is given more than once, or None."""
        return next((given for given in reversed(self.given) if given.flag.name == name), None)

    def in_force(self) -> dict[str, InForce]:
        """Every flag of the program by name, and those that are given and that it does not have."""
        flags = self.program.flags.items()
        found = {name: self._of(flag) for name, flag in flags if flag.type != "exit"}
        for fault in self.faults:
            if fault.kind is Kind.UNKNOWN:
                value = True if fault.value is None else fault.value
                found[fault.name] = InForce(value, fault.at.place, None, fault.value or "")
        return found

    def written(self) -> Iterator[tuple[Located[str], str, str | None]]:
        """Every flag of the command line: its word, its whole name and its value, None without.

        Those that the program does not have come last.
        """
        for given in self.given:
            words = [value.value for value in given.values]
            yield given.at, given.whole, " ".join(words) if words else None
        for name, value in self.dotted:
            yield name, name.value, value.value
        for fault in self.faults:
            if fault.kind is Kind.UNKNOWN:
                yield fault.at, fault.name, fault.value

    def variable(self, flag: Flag) -> Variable | None:
        """The variable that gives a flag's default, where it is set."""
        return self.environment.get(flag.env) if flag.env else None

    def _of(self, flag: Flag) -> InForce:
        given = tuple(one for one in self.given if one.flag is flag)
        if given:
            counted = given if self.program.collects(flag) else given[-1:]
            words = [value.value for one in counted for value in one.values]
            value = typed(flag, words) if flag.takes_value else given[-1].value
            return InForce(value, given[-1].at.place, flag, " ".join(words), counted)
        variable = self.variable(flag)
        if not self.complete:
            return InForce(None, (self.rest or self.command.words)[0].place, flag)
        if variable is None:
            return InForce(flag.default, None, flag)
        if variable.value is None:
            return InForce(None, variable.place, flag)
        words = variable.value.split() if flag.nargs else [variable.value]
        return InForce(typed(flag, words), variable.place, flag, variable.value)


def unresolved(word: str) -> bool:
    """Whether a word holds something that only the shell or the cluster fills in."""
    return any(mark in word for mark in UNRESOLVED)


def typed(flag: Flag, words: Sequence[str]) -> Any:
    """Words as a flag's type; what does not convert stays text."""
    if flag.nargs is not None:
        return list(words)
    text = " ".join(words)
    if "or None" in flag.type and text in NO_NUMBER:
        return None
    return converted(text, flag.kind)


def converted(text: str, kind: type) -> Any:
    """A text as a type; what does not convert stays text."""
    if kind is bool:
        return text.lower() in SWITCHED_ON
    try:
        return kind(text)
    except ValueError:
        return text
