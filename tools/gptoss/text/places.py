"""Where a value stands in a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

from gptoss.text.one_line import one_line

T = TypeVar("T")


class Place(NamedTuple):
    """A position in a text that a person can open.

    Attributes:
        file: Path as the person gave it, or a name such as ``<stdin>`` or ``--set``.
        line: Line number, from 1.
        column: Column number in characters, from 1.
    """

    file: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        in_file = not self.file.startswith("--")
        file = one_line(self.file)  # an argument may set a secret
        return f"{file}:{self.line}:{self.column}" if in_file else file

    def moved(self, *, lines: int = 0, columns: int = 0) -> Place:
        """The place that many lines and columns further on."""
        return Place(self.file, self.line + lines, self.column + columns)


@dataclass(frozen=True, slots=True)
class Located(Generic[T]):
    """A value and the place of the line that sets it."""

    value: T
    place: Place


class HasPlace(Protocol):
    """Anything that stands somewhere: a setting, a located value, a worker, a pod."""

    @property
    def place(self) -> Place:
        """Where it stands."""


def place_of(at: HasPlace | Place) -> Place:
    """The place of something that stands somewhere."""
    return at if isinstance(at, Place) else at.place
