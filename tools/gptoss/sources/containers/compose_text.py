"""Texts of a compose file: variables filled in, and command lines taken apart.

Source: the compose specification, "Interpolation".
"""

from __future__ import annotations

import re
import shlex
from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

from gptoss.text.errors import InputError
from gptoss.text.places import Place
from gptoss.text.yaml_tree import Tree

if TYPE_CHECKING:
    from collections.abc import Mapping

REFERENCE = re.compile(
    r"\$(?:(?P<dollar>\$)|(?P<plain>[A-Za-z_]\w*)"
    r"|\{(?P<name>[A-Za-z_]\w*)(?:(?P<operator>:?[-+?])(?P<word>[^{}]*(?:\{[^{}]*\}[^{}]*)*))?\})"
)
ASSIGNMENT = re.compile(r"^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$")


def variables_of(text: str) -> dict[str, str]:
    """The variables of an ``.env`` file."""
    found = {}
    for line in text.splitlines():
        match = ASSIGNMENT.match(line)
        if match:
            value = match[2]
            quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
            found[match[1]] = value[1:-1] if quoted else value.partition(" #")[0].rstrip()
    return found


def interpolated(tree: Tree, variables: Mapping[str, str]) -> Tree:
    """The tree with every variable filled in; one that is not set is empty, as compose has it.

    Raises:
        InputError: A variable that is required (``${NAME:?message}``) is not set, or a dollar sign
            begins nothing.
    """
    value = tree.value
    if isinstance(value, dict):
        value = {key: interpolated(item, variables) for key, item in value.items()}
    elif isinstance(value, list):
        value = [interpolated(item, variables) for item in value]
    elif isinstance(value, str) and "$" in value:
        value = _filled_in(value, variables, tree.place)
    else:
        return tree
    return Tree(value, tree.place, tree.key, tree.indent, tree.duplicates)


def _filled_in(text: str, variables: Mapping[str, str], place: Place) -> str:
    def replaced(match: re.Match[str]) -> str:
        if match["dollar"]:
            return "$"
        name, operator, word = match["plain"] or match["name"], match["operator"], match["word"]
        value = variables.get(name)
        is_set = bool(value) if operator and operator.startswith(":") else value is not None
        if not operator:
            return value or ""
        if operator.endswith("-"):
            return value or "" if is_set else _filled_in(word, variables, place)
        if operator.endswith("+"):
            return _filled_in(word, variables, place) if is_set else ""
        if not is_set:
            raise InputError(f"{name} must be set: {word or 'it is required'}", place)
        return value or ""

    if "$" in REFERENCE.sub("", text):
        raise InputError("a dollar sign begins a variable here; write $$ for the sign", place)
    return REFERENCE.sub(replaced, text)


def words(tree: Tree | None, what: str, source: str) -> list[tuple[str, Tree]]:
    """The words of ``command`` or ``entrypoint``: a list, or a line that compose takes apart.

    Args:
        tree: The value.
        what: What to call it.
        source: The whole file, to find the words of a line in.

    Raises:
        InputError: It is neither, or its quotes do not match.
    """
    if tree is None or tree.value is None:
        return []
    if isinstance(tree.value, list):
        return [(_text(item, what), item) for item in tree.value]
    line = _text(tree, what)
    try:
        found = shlex.split(line)
    except ValueError:
        raise InputError(f"the quotes of this {what} do not match", tree.where) from None
    return _placed(found, tree, source)


def _text(tree: Tree, what: str) -> str:
    if tree.is_container or tree.value is None:
        raise InputError(f"{what} must be a line or a list of words", tree.place)
    if isinstance(tree.value, bool):
        return str(tree.value).lower()
    return str(tree.value)


def _position(word: str, source: str, start: int) -> int:
    """Where a word stands soon, or its first piece where it is written over several lines."""
    end = start + 5 * len(word) + 200
    position = source.find(word, start, end) if word else -1
    if position >= 0 or not word.strip():
        return position
    return source.find(word.split(maxsplit=1)[0], start, end)


@lru_cache(maxsize=2)
def _line_starts(source: str) -> list[int]:
    lengths = (len(line) for line in source.splitlines(keepends=True))
    return list(accumulate(lengths, initial=0))


def _placed(found: list[str], tree: Tree, source: str) -> list[tuple[str, Tree]]:
    """The words, each where it stands in the file; one that is not found where the last one was."""
    starts = _line_starts(source)
    start = starts[tree.place.line - 1] + tree.place.column - 1
    placed, place = [], tree.place
    for word in found:
        position = _position(word, source, start)
        if 0 <= position - start < 4 * len(word) + 200:
            line = bisect_right(starts, position)
            column = position - starts[line - 1] + 1
            place, start = Place(tree.place.file, line, column), position + len(word)
        placed.append((word, Tree(word, place)))
    return placed
