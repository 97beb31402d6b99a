"""Texts of a compose file: variables filled in, and command lines taken apart.

Source: the compose specification, "Interpolation".
"""

from __future__ import annotations

import re
import shlex
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
    """Where a word stands, or its first piece where it is written over several lines."""
    position = source.find(word, start) if word else -1
    return position if position >= 0 or not word.strip() else source.find(word.split()[0], start)


def _placed(found: list[str], tree: Tree, source: str) -> list[tuple[str, Tree]]:
    """The words, each where it stands in the file; one that is not found where the last one was."""
    lines = source.splitlines(keepends=True)
    start = sum(len(line) for line in lines[: tree.place.line - 1]) + tree.place.column - 1
    placed, place = [], tree.place
    for word in found:
        position = _position(word, source, start)
        if 0 <= position - start < 4 * len(word) + 200:
            line = source.count("\n", 0, position) + 1
            column = position - source.rfind("\n", 0, position)
            place, start = Place(tree.place.file, line, column), position + len(word)
        placed.append((word, Tree(word, place)))
    return placed
