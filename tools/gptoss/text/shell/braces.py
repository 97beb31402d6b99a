"""Brace expansion: ``{a,b}`` and ``{1..4}``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.text.budget import Kind
from gptoss.text.shell.parts import Part, Text, Word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.text.budget import Budget

MAX_WORDS = 500
# Opening braces of a word that is expanded, and characters of what it becomes.
MAX_BRACES = 12
MAX_SIZE = 20_000
RANGE = re.compile(r"(-?\d{1,6}|[A-Za-z])\.\.(-?\d{1,6}|[A-Za-z])(?:\.\.(-?\d{1,6}))?")


def expanded(word: Word, budget: Budget) -> list[Word]:
    """The words that braces make of a word; the word itself where there are none, or too many.

    Args:
        word: The word.
        budget: What may be spent on it.

    Raises:
        InputError: They make more than that.
    """
    plain = [p.value for p in word.parts if isinstance(p, Text) and not p.quoted]
    braces = sum(text.count("{") for text in plain)
    if not braces:
        return [word]
    size = sum(map(len, plain)) + len(word.parts)
    if braces > MAX_BRACES or size > MAX_SIZE:
        return [word]
    found: list[Word] = []
    for parts in _alternatives(list(_pieces(word.parts))):
        budget.spend(Kind.EXPANDED, len(parts))
        size += len(parts)
        if len(found) == MAX_WORDS or size > MAX_SIZE:
            return [word]
        found.append(Word(tuple(_together(parts)), word.start))
    return found


def _pieces(parts: tuple[Part, ...]) -> Iterator[Part]:
    """The parts with each unquoted character apart."""
    for part in parts:
        if isinstance(part, Text) and not part.quoted:
            yield from (Text(character, quoted=False) for character in part.value)
        else:
            yield part


def _together(parts: list[Part]) -> Iterator[Part]:
    plain = ""
    for part in parts:
        if isinstance(part, Text) and not part.quoted:
            plain += part.value
            continue
        if plain:
            yield Text(plain, quoted=False)
        plain = ""
        yield part
    if plain:
        yield Text(plain, quoted=False)


def _alternatives(pieces: list[Part], start: int = 0) -> Iterator[list[Part]]:
    for begin in range(start, len(pieces)):
        if _character(pieces[begin]) != "{" or (end := _closing(pieces, begin)) is None:
            continue
        inner = _elements(pieces[begin + 1 : end])
        if inner is None:
            continue
        for element in inner:
            for middle in _alternatives(element):
                for rest in _alternatives(pieces[end + 1 :]):
                    yield [*pieces[:begin], *middle, *rest]
        return
    yield pieces


def _elements(inner: list[Part]) -> list[list[Part]] | None:
    """What stands between the commas of a pair of braces, or a range; None when it is neither."""
    elements: list[list[Part]] = [[]]
    depth = 0
    for part in inner:
        character = _character(part)
        depth += (character == "{") - (character == "}")
        if character == "," and depth == 0:
            elements.append([])
        else:
            elements[-1].append(part)
    if len(elements) > 1:
        return elements
    match = RANGE.fullmatch("".join(_character(part) or "\0" for part in inner))
    return [[Text(value, quoted=False)] for value in _range(match)] if match else None


def _range(match: re.Match[str]) -> list[str]:
    first, last, step = match.groups()
    letters = first.isalpha()
    if letters != last.isalpha():
        return [f"{{{match.group()}}}"]
    begin, end = (ord(first), ord(last)) if letters else (int(first), int(last))
    by = abs(int(step or 1)) or 1
    numbers = range(begin, end + 1, by) if begin <= end else range(begin, end - 1, -by)
    padded = any(re.match(r"-?0\d", text) for text in (first, last))
    width = max(len(first), len(last)) if padded else 0
    return [chr(n) if letters else f"{n:0{width}d}" for n in numbers[: MAX_WORDS + 1]]


def _closing(pieces: list[Part], begin: int) -> int | None:
    depth = 0
    for at in range(begin, len(pieces)):
        character = _character(pieces[at])
        depth += (character == "{") - (character == "}")
        if depth == 0:
            return at
    return None


def _character(part: Part) -> str:
    return part.value if isinstance(part, Text) and not part.quoted else ""
