"""Values taken out of a manifest, with the shape they must have and the place to show.

An absent value and ``null`` are the same, as they are to the API server.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.deployment.paths import DEPLOYMENT, Path
from gptoss.text.errors import InputError
from gptoss.text.places import Located, Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.paths import Field, Table
    from gptoss.text.yaml_tree import Tree

Locator = Callable[[Path, Place], Place]
"""Gives the place to show for a deployment path and a place in a manifest."""


def as_rendered(_path: Path | str, place: Place) -> Place:
    """Shows the place in the manifest itself."""
    return place


@dataclass(frozen=True, slots=True)
class Scope:
    """A part of the deployment: places are located under its path."""

    locate: Locator
    path: Path = DEPLOYMENT

    def part(self, path: Path) -> Scope:
        """The scope of a part of the same deployment."""
        return Scope(self.locate, path)

    def here(self, place: Place) -> Place:
        """The place to show for the part itself."""
        return self.locate(self.path, place)

    def at(self, field: Field, place: Place) -> Place:
        """The place to show for a field."""
        return self.locate(self.path / field, place)

    def entry(self, table: Table, key: str, place: Place) -> Place:
        """The place to show for what has a name of its own."""
        return self.locate(self.path.entry(table, key), place)

    def engine(self, key: str, place: Place) -> Place:
        """The place to show for a dotted key of the engine YAML."""
        return self.locate(self.path.engine(key), place)

    def text(self, field: Field, tree: Tree | None, what: str = "") -> Located[str] | None:
        """A string in a field; ``what`` is how a message calls it."""
        value = string(tree, what or field)
        return None if tree is None or value is None else Located(value, self.at(field, tree.where))

    def moved(self, field: Field, text: Located[str] | None) -> Located[str] | None:
        """A text that is already located, to be shown where a field leads."""
        return Located(text.value, self.at(field, text.place)) if text else None

    def whole(self, field: Field, tree: Tree | None, what: str) -> Located[int] | None:
        """A whole number in a field."""
        value = whole_number(tree, what)
        return None if tree is None or value is None else Located(value, self.at(field, tree.where))


def a_map(tree: Tree | None, what: str) -> Tree | None:
    """A map, or None when there is none.

    Raises:
        InputError: It is something else.
    """
    if tree is None or tree.value is None:
        return None
    if not tree.is_map:
        raise InputError(f"{what} must be a map of keys to values", tree.place)
    return tree


def elements(tree: Tree | None, what: str) -> list[Tree]:
    """The elements of a list; nothing when there is none.

    Raises:
        InputError: It is something else.
    """
    if tree is None or tree.value is None:
        return []
    if not isinstance(tree.value, list):
        raise InputError(f"{what} must be a list", tree.place)
    return tree.elements()


def maps(tree: Tree | None, what: str) -> list[Tree]:
    """The elements of a list of maps.

    Raises:
        InputError: It is something else.
    """
    found = elements(tree, what)
    for element in found:
        if not element.is_map:
            raise InputError(f"{what} must be a list of maps", element.place)
    return found


def string(tree: Tree | None, what: str) -> str | None:
    """A string, or None when there is none.

    Raises:
        InputError: It is something else, such as an unquoted number.
    """
    if tree is None or tree.value is None:
        return None
    if not isinstance(tree.value, str):
        raise InputError(f"{what} must be a string; put the value in quotes", tree.place)
    return tree.value


def strings(tree: Tree | None, what: str) -> list[tuple[str, Tree]]:
    """The elements of a list of strings.

    Raises:
        InputError: It is something else.
    """
    found = []
    for element in elements(tree, what):
        text = string(element, f"every element of {what}")
        if text is None:
            raise InputError(f"every element of {what} must be a string", element.place)
        found.append((text, element))
    return found


def string_map(tree: Tree | None, what: str) -> Iterator[tuple[str, str, Tree]]:
    """Keys and strings of a map of strings.

    Raises:
        InputError: It is something else.
    """
    table = a_map(tree, what)
    for key, value in table.items() if table else ():
        text = string(value, f"{what}.{key}")
        if text is not None:
            yield key, text, value


def whole_number(tree: Tree | None, what: str) -> int | None:
    """A whole number, or None when there is none.

    Raises:
        InputError: It is something else.
    """
    if tree is None or tree.value is None:
        return None
    if not isinstance(tree.value, int) or isinstance(tree.value, bool):
        raise InputError(f"{what} must be a whole number, not {shown(tree)}", tree.place)
    return tree.value


def quantity(tree: Tree | None, what: str) -> str | None:
    """A resource quantity as written, or None when there is none.

    Raises:
        InputError: It is neither a string nor a number.
    """
    if tree is None or tree.value is None:
        return None
    if isinstance(tree.value, bool) or not isinstance(tree.value, str | int | float):
        raise InputError(
            f"{what} must be a quantity such as 8 or 80Gi, not {shown(tree)}", tree.place
        )
    return str(tree.value)


def is_on(tree: Tree | None, what: str) -> bool | None:
    """A switch, or None when there is none.

    Raises:
        InputError: It is something else.
    """
    if tree is None or tree.value is None:
        return None
    if not isinstance(tree.value, bool):
        raise InputError(f"{what} must be true or false, not {shown(tree)}", tree.place)
    return tree.value


def shown(tree: Tree) -> str:
    """A value as quoted in a message."""
    if isinstance(tree.value, list):
        return "a list"
    return "a map" if tree.is_map else repr(tree.value)
