"""Words of a shell script, and what stands between them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """Literal text."""

    value: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Parameter:
    """``$X`` or ``${X...}``; an empty name is a form that is not evaluated.

    Attributes:
        name: Variable, position or special parameter.
        operator: ``:-`` and its relatives, or ''.
        word: The word after the operator.
        quoted: Whether it stands in double quotes.
        source: How it is written.
    """

    name: str
    operator: str
    word: tuple[Part, ...]
    quoted: bool
    source: str


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """``$((expression))``."""

    expression: str
    quoted: bool
    source: str


@dataclass(frozen=True, slots=True)
class Substitution:
    """``$(command)`` or a command in backticks, as written."""

    quoted: bool
    source: str


Part = Text | Parameter | Arithmetic | Substitution


@dataclass(frozen=True, slots=True)
class Word:
    """A word and the offset where it begins."""

    parts: tuple[Part, ...]
    start: int

    @property
    def literal(self) -> str:
        """The text of a word without quotes and expansions, else ''."""
        if len(self.parts) == 1 and isinstance(self.parts[0], Text) and not self.parts[0].quoted:
            return self.parts[0].value
        return ""


@dataclass(frozen=True, slots=True)
class Operator:
    """What stands between commands; a newline too."""

    symbol: str


@dataclass(slots=True)
class Redirection:
    """A redirection; of a here-document also its text and the offset where that begins."""

    symbol: str
    target: Word
    text: str = ""
    start: int = 0

    @property
    def is_document(self) -> bool:
        """Whether it is a here-document."""
        return self.symbol in ("<<", "<<-")


Token = Word | Operator | Redirection
