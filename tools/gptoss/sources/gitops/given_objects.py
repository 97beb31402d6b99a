"""Objects of a GitOps repository, and the values that they name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gptoss.deployment.model import Problem
from gptoss.facts import folders
from gptoss.sources.chart.helm import NAME, RELEASE_NAME
from gptoss.text.bounds import bounds, named_file
from gptoss.text.budget import Kind, spend
from gptoss.text.errors import InputError
from gptoss.text.yaml_tree import parse_embedded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gptoss.sources.given import GivenFile
    from gptoss.text.yaml_tree import Tree


class Given(NamedTuple):
    """An object, and the files that were given with it.

    Attributes:
        file: The file that it stands in.
        tree: The object.
        files: All that were given together, its own among them.
    """

    file: GivenFile
    tree: Tree
    files: Sequence[GivenFile]

    def is_a(self, group: str, kind: str) -> bool:
        """Whether it is of a kind, in any version."""
        version = self.tree.text("apiVersion") or ""
        return version.startswith(f"{group}/") and self.tree.text("kind") == kind

    @property
    def name(self) -> str:
        """Its name; '' without one."""
        return self.tree.text("metadata", "name") or ""

    def release(self, name: Tree | None, composed: str) -> str:
        """The name of the Helm release: the one that is written, else the composed one.

        Raises:
            InputError: Helm takes no such name.
        """
        text = text_of(name) if name else composed
        if not RELEASE_NAME.fullmatch(text):
            raise InputError(f"{text!r} is no name of a Helm release", (name or self.tree).place)
        return text

    @property
    def top(self) -> Path:
        """The top of its repository, where paths in it begin."""
        return bounds(self.file.folder)

    def beside(self, kind: str, name: str | None) -> Given | None:
        """The object of a kind and name that was given with it.

        Raises:
            InputError: Very many are looked through.
        """
        spend(Kind.PAIRS, sum(len(file.trees) for file in self.files), self.tree.place)
        for other in self._all():
            if other.tree.text("kind") == kind and other.name == name:
                return other
        return None

    def _all(self) -> Iterator[Given]:
        for file in self.files:
            for tree in file.trees:
                yield Given(file, tree, self.files)

    def not_read(self, message: str, at: Tree) -> Problem:
        """That values are not read."""
        return Problem("values-not-read", message, at.where)

    def values_file(self, name: Tree, *candidates: Path) -> Path:
        """The first values file that is there.

        Raises:
            InputError: None is, or it lies outside the repository.
        """
        # The chart's own folder, from which ".." leads on, need not be in this repository.
        paths = [Path(os.path.normpath(path)) for path in candidates]
        for path in paths:
            own = folders.root()
            if found := named_file(path, own if path.is_relative_to(own) else self.file.folder):
                return found
        looked = " and ".join(dict.fromkeys(str(path) for path in paths))
        raise InputError(
            f"there is no values file {name.value}: looked for {looked}; check it where "
            "its repository is checked out",
            name.place,
        )


def is_chart(name: str | None) -> bool:
    """Whether a chart's name, path or address is this chart's."""
    return (name or "").rstrip("/").rpartition("/")[2].removesuffix(".git") == NAME


def text_of(tree: Tree) -> str:
    """A path, a name or a value that is handed on.

    Raises:
        InputError: It is no text, or none that a program can be given.
    """
    if not isinstance(tree.value, str) or "\0" in tree.value:
        raise InputError("this has to be a text; write it in quotes", tree.place)
    return tree.value


def values_in(tree: Tree | None) -> Tree | None:
    """The map of values that a map, or a text of YAML, is; None when it is empty.

    Raises:
        InputError: The text is no YAML, or no map.
    """
    found = parse_embedded(tree) if tree is not None and isinstance(tree.value, str) else tree
    if found is None or found.value is None:
        return None
    if not found.is_map:
        raise InputError("values are a map of keys", found.place)
    return found
