"""Assignments to variables, and what branches make of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from gptoss.text.shell.words import Text, Word

ASSIGNMENT = re.compile(r"(?s)([A-Za-z_]\w*)(\+?=)(.*)")


@dataclass(slots=True)
class Block:
    """An if, case or loop: the variables before it and at the end of each branch."""

    before: dict[str, str | None]
    is_case: bool = False
    is_exhaustive: bool = False
    ends: list[dict[str, str | None]] = field(default_factory=list)


def assigned(word: Word) -> re.Match[str] | None:
    """Name, operator and beginning of the value when a word is an assignment."""
    first = word.parts[0] if word.parts else None
    if isinstance(first, Text) and not first.quoted:
        return ASSIGNMENT.fullmatch(first.value)
    return None


def assigned_names(words: list[Word]) -> list[str]:
    """The names of variables that words assign to."""
    return [match.group(1) for word in words if (match := assigned(word))]


def array_start(word: Word) -> re.Match[str] | None:
    """The name and operator of an array when a word is the beginning of its assignment."""
    match = ASSIGNMENT.fullmatch(word.literal)
    return match if match and not match.group(3) else None


def common(ends: list[dict[str, str | None]]) -> dict[str, str | None]:
    """What is known whichever branch was taken."""
    known: dict[str, str | None] = {}
    for name in {name for end in ends for name in end}:
        values = {end.get(name) for end in ends}
        known[name] = values.pop() if len(values) == 1 else None
    return known
