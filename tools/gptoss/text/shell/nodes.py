"""Commands of a shell script."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gptoss.text.shell.parts import Redirection, Word


@dataclass(frozen=True, slots=True)
class Array:
    """``name=(words)`` or ``name+=(words)``."""

    name: str
    appends: bool
    words: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Simple:
    """A simple command: assignments, name and arguments."""

    words: tuple[Word, ...]
    redirections: tuple[Redirection, ...] = ()
    arrays: tuple[Array, ...] = ()


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Commands between ``|``, with ``!`` before them."""

    commands: tuple[Command, ...]
    negated: bool


@dataclass(frozen=True, slots=True)
class Chain:
    """Pipelines joined by ``&&`` and ``||``; each with what stands before it."""

    links: tuple[tuple[str, Pipeline], ...]
    background: bool


Body = tuple[Chain, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """``{ commands; }``, or ``( commands )``."""

    body: Body
    subshell: bool
    redirections: tuple[Redirection, ...] = ()


@dataclass(frozen=True, slots=True)
class If:
    """Conditions with what runs when they hold, and what runs when none does."""

    branches: tuple[tuple[Body, Body], ...]
    otherwise: Body


@dataclass(frozen=True, slots=True)
class While:
    """``while``; ``until`` when negated."""

    condition: Body
    body: Body
    negated: bool


@dataclass(frozen=True, slots=True)
class For:
    """``for name in words``; None stands for the positional parameters."""

    name: str
    words: tuple[Word, ...] | None
    body: Body


@dataclass(frozen=True, slots=True)
class Count:
    """``for ((start; condition; step))``."""

    header: str
    body: Body


@dataclass(frozen=True, slots=True)
class Case:
    """A word, and the patterns of each branch with what it runs."""

    word: Word
    branches: tuple[tuple[tuple[Word, ...], Body], ...]
    falls_through: bool


@dataclass(frozen=True, slots=True)
class Function:
    """A function's definition."""

    name: str
    body: Body


Command = Simple | Group | If | While | For | Count | Case | Function
