"""Edits of files that have exactly one right answer, keeping comments and formatting.

A rule builds a :class:`Fix` with the functions below. Each names what must stand at the place, so
that an edit whose place turns out to be another (a line of the chart's values that stands for
something rendered) is left undone rather than done wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gptoss.text.places import Place

Scalar = str | int | float | bool | None


class Action(Enum):
    """What an edit does."""

    SET = "set the value of a key"
    RENAME = "rename a key"
    REMOVE = "remove a key with its value"
    MOVE = "move a key's value under a dotted path of the same map"
    BESIDE = "add a key after another"
    APPEND = "add a dotted path at the end of a map"
    REMOVE_VARIABLE = "remove an environment variable"
    SET_FLAG = "set the value of a flag"
    RENAME_FLAG = "rename a flag"
    REMOVE_FLAG = "remove a flag with its value"
    ADD_FLAG = "add words at the end of a command"


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of a file.

    Attributes:
        place: Where the key, list element or word to change begins.
        action: What to do.
        at: Keys or flags, one of which must stand at the place; empty where any will do.
        name: The new key, dotted path or flag.
        value: The new value.
    """

    place: Place
    action: Action
    at: tuple[str, ...] = ()
    name: str = ""
    value: Scalar = None


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that together mend a finding: all of them are made, or none."""

    edits: tuple[Edit, ...]


def set_value(place: Place, key: str | tuple[str, ...], value: Scalar) -> Fix:
    """Sets the value of the key at a place; quotes stay as they are written."""
    return Fix((Edit(place, Action.SET, _several(key), value=value),))


def rename_key(place: Place, key: str, name: str) -> Fix:
    """Renames the key at a place."""
    return Fix((Edit(place, Action.RENAME, (key,), name),))


def remove_key(place: Place, key: str) -> Fix:
    """Removes the key at a place with its value and the comment on its line."""
    return Fix((Edit(place, Action.REMOVE, (key,)),))


def move_key(place: Place, key: str, path: str, value: Scalar) -> Fix:
    """Replaces the key at a place by a dotted path of the same map, with a value."""
    return Fix((Edit(place, Action.MOVE, (key,), path, value),))


def add_beside(place: Place, key: str | tuple[str, ...], name: str, value: Scalar) -> Fix:
    """Adds a key after the one at a place."""
    return Fix((Edit(place, Action.BESIDE, _several(key), name, value),))


def append(place: Place, path: str, value: Scalar, under: str = "") -> Fix:
    """Adds a dotted path at the end of a map.

    Args:
        place: Where the map begins, or the key that it is the value of.
        path: Dotted path; blocks that are there are used.
        value: The value.
        under: The key, when the place is a key's.
    """
    return Fix((Edit(place, Action.APPEND, _several(under), path, value),))


def remove_variable(place: Place, name: str) -> Fix:
    """Removes an environment variable, from a list of a manifest or a map of a values file."""
    return Fix((Edit(place, Action.REMOVE_VARIABLE, (name,)),))


def set_flag(place: Place, flag: str | tuple[str, ...], value: str) -> Fix:
    """Sets the value of the flag at a place, under any of its names."""
    return Fix((Edit(place, Action.SET_FLAG, _several(flag), value=value),))


def rename_flag(place: Place, flag: str, name: str) -> Fix:
    """Renames the flag at a place."""
    return Fix((Edit(place, Action.RENAME_FLAG, (flag,), name),))


def remove_flag(place: Place, flag: str) -> Fix:
    """Removes the flag at a place with its value."""
    return Fix((Edit(place, Action.REMOVE_FLAG, (flag,)),))


def add_flag(place: Place, flag: str, value: str = "") -> Fix:
    """Adds a flag at the end of the command that begins at a place."""
    return Fix((Edit(place, Action.ADD_FLAG, (), flag, value),))


def _several(key: str | tuple[str, ...]) -> tuple[str, ...]:
    return ((key,) if key else ()) if isinstance(key, str) else key
