"""A program that a container starts, in words, and the variables that it is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gptoss.text.places import Located, Place


@dataclass(frozen=True)
class Command:
    """A program that a container starts.

    Attributes:
        words: The program and its arguments, variables and quotes resolved.
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


@dataclass(frozen=True, slots=True)
class Variable:
    """An environment variable of a container.

    Attributes:
        name: Its name.
        value: Its literal value; None when it comes from elsewhere.
        secret: Name of the Secret it comes from, if it does.
        place: Where it is set.
    """

    name: str
    value: str | None
    secret: str | None
    place: Place
