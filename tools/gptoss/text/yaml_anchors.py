"""Anchors of a YAML document, which aliases name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from gptoss.text.places import Place
    from gptoss.text.yaml_tree import Tree


class Anchors:
    """What the anchors of a document stand for."""

    def __init__(self) -> None:
        # None for what is still being read.
        self._found: dict[str, tuple[Tree, str | None] | None] = {}

    def open(self, anchor: str, place: Place) -> None:
        """Notes an anchor that begins.

        Raises:
            InputError: There is one of this name.
        """
        if anchor in self._found:
            raise InputError(f"this is not valid YAML: the anchor {anchor} stands twice", place)
        self._found[anchor] = None

    def close(self, anchor: str, tree: Tree, text: str | None) -> None:
        """Notes what an anchor stands for, and its text when that is a scalar."""
        self._found[anchor] = tree, text

    def of(self, alias: str, place: Place) -> tuple[Tree, str | None]:
        """What an alias stands for, and its text when that is a scalar.

        Raises:
            InputError: There is no such anchor, or the alias stands inside of it.
        """
        if alias not in self._found:
            raise InputError(f"this is not valid YAML: there is no anchor {alias}", place)
        found = self._found[alias]
        if found is None:
            raise InputError("this YAML anchor contains itself", place)
        return found
