"""A program that a container starts, in words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from gptoss.text.places import Located, Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    Flag = tuple[Located[str], Located[str] | None]

NEGATIVE_NUMBER = re.compile(r"-\d+|-\d*\.\d+")


@dataclass(frozen=True)
class Command:
    """A program that a container starts.

    Attributes:
        words: The program and its arguments, variables and quotes resolved.
        place: Where the first word stands.
    """

    words: tuple[Located[str], ...]

    @property
    def place(self) -> Place:
        """Where the program's name stands."""
        return self.words[0].place

    @property
    def line(self) -> str:
        """The words as one line."""
        return " ".join(word.value for word in self.words)

    def flag(self, *names: str) -> Located[str] | None:
        """The last value given to a flag under any of its names; '' for a flag without value."""
        found = None
        for name, value in self.flags():
            if name.value in names:
                found = value or Located("", name.place)
        return found

    def flags(self) -> tuple[Flag, ...]:
        """Every flag with its value, as written; the value stands at the flag's place.

        ``--a=b`` and ``--a b`` are the same; a word after a flag is its value unless it is a flag
        too.
        """
        return self._flags

    @cached_property
    def _flags(self) -> tuple[Flag, ...]:
        return tuple(_flags_among(self.words))


def _flags_among(words: tuple[Located[str], ...]) -> Iterator[Flag]:
    for position, word in enumerate(words):
        if not _is_flag(word.value):
            continue
        name, equals, value = word.value.partition("=")
        located = Located(name, word.place)
        if equals:
            yield located, Located(value, word.place)
            continue
        follower = words[position + 1] if position + 1 < len(words) else None
        if follower is None or follower.value == "--" or _is_flag(follower.value):
            yield located, None
        else:
            yield located, Located(follower.value, word.place)


def _is_flag(word: str) -> bool:
    """Whether argparse takes a word for a flag: negative numbers and texts with spaces are none."""
    if not word.startswith("-"):
        return False
    name = word.partition("=")[0]
    is_value = word in ("-", "-m", "--") or " " in name or NEGATIVE_NUMBER.fullmatch(word)
    return not is_value
