"""YAML read into plain values that remember where they stand.

PyYAML's composer gives the marks; this module keeps them on every value and key, resolves
aliases and merge keys, and reads YAML that is written inside a block scalar (an engine
configuration in a ConfigMap) with the line numbers of the outer file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import yaml
from yaml.resolver import Resolver

from gptoss.text.errors import InputError
from gptoss.text.places import Place
from gptoss.text.plain_yaml import SafeLoader

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_DEPTH = 64
MAX_VALUES = 200_000
MAX_NUMBER_BITS = 1024
MERGE_KEY = "tag:yaml.org,2002:merge"
STRING = "tag:yaml.org,2002:str"


@dataclass(slots=True)
class Tree:
    """A YAML value and its place. Nobody changes it; freezing it would make reading slower.

    Attributes:
        value: A scalar, ``dict[str, Tree]`` or ``list[Tree]``.
        place: Where the value begins.
        key: Where the key begins that this value belongs to, when it stands in a map.
        indent: Columns that every content line of a literal block scalar is moved by, else None.
        duplicates: Places of keys that this map repeats; YAML readers keep the last silently.
    """

    value: Any
    place: Place
    key: Place | None = None
    indent: int | None = None
    duplicates: tuple[tuple[str, Place], ...] = field(default=())

    @property
    def where(self) -> Place:
        """The place a person looks for: the key if there is one, else the value."""
        return self.key or self.place

    @property
    def is_map(self) -> bool:
        """Whether this is a YAML map."""
        return isinstance(self.value, dict)

    @property
    def is_container(self) -> bool:
        """Whether this is a YAML map or list."""
        return isinstance(self.value, dict | list)

    def at(self, *path: str | int) -> Tree | None:
        """The value under a path of map keys and list positions, or None where there is none."""
        tree: Tree | None = self
        for step in path:
            if tree is None:
                return None
            if isinstance(step, int):
                items = tree.value if isinstance(tree.value, list) else []
                tree = items[step] if -len(items) <= step < len(items) else None
            else:
                tree = tree.value.get(step) if isinstance(tree.value, dict) else None
        return tree

    def items(self) -> Iterator[tuple[str, Tree]]:
        """Keys and values of a map; nothing for anything else."""
        if isinstance(self.value, dict):
            yield from self.value.items()

    def elements(self) -> list[Tree]:
        """Elements of a list; nothing for anything else."""
        return self.value if isinstance(self.value, list) else []

    def plain(self) -> Any:
        """The value as ordinary Python dictionaries, lists and scalars."""
        if isinstance(self.value, dict):
            return {key: tree.plain() for key, tree in self.value.items()}
        if isinstance(self.value, list):
            return [tree.plain() for tree in self.value]
        return self.value

    def text(self, *path: str | int) -> str | None:
        """The string under a path, or None when there is none or it is not a string."""
        tree = self.at(*path)
        return tree.value if tree is not None and isinstance(tree.value, str) else None


def parse_documents(text: str, file: str, origin: Place | None = None) -> list[Tree]:
    """Reads every document of a YAML text.

    Args:
        text: The YAML text.
        file: The name that places carry.
        origin: Where the text begins in ``file`` when it is a part of it; its column is the
            column of the first character of every line.

    Returns:
        One tree a document; empty documents have the value None.

    Raises:
        InputError: The text is not YAML, is nested deeper than 64 levels, refers to itself, or
            grows beyond 200,000 values by its aliases.
    """
    start = origin or Place(file)
    loader = _Loader(text)
    try:
        documents = []
        lines = text.splitlines()
        while loader.check_node():
            node: Any = loader.get_node()
            documents.append(_Converter(loader, start, lines).convert(node, None, 0))
        return documents
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = start.moved(lines=mark.line, columns=mark.column) if mark else start
        raise InputError(
            f"this is not valid YAML: {error.problem or error.context}", place
        ) from None
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"this is not valid YAML: {reason}", start) from None
    except RecursionError:
        raise InputError(f"YAML nested deeper than {MAX_DEPTH} levels", start) from None
    finally:
        loader.dispose()


def parse_embedded(tree: Tree) -> Tree | None:
    """Reads the YAML document that a string value holds, placed in the outer file.

    Returns:
        The document, or None when the string is empty.

    Raises:
        InputError: The text is not YAML, or holds more than one document.
    """
    if tree.indent is None:
        documents = parse_documents(str(tree.value), tree.place.file, tree.place)
        documents = [_pinned(document, tree.place) for document in documents]
    else:
        origin = Place(tree.place.file, tree.place.line + 1, 1 + tree.indent)
        documents = parse_documents(str(tree.value), tree.place.file, origin)
    if len(documents) > 1:
        raise InputError("more than one YAML document in one value; keep one", documents[1].place)
    return documents[0] if documents and documents[0].value is not None else None


def _pinned(tree: Tree, place: Place) -> Tree:
    """The tree with every place set to one: lines inside folded or quoted text are not known."""
    value = tree.value
    if isinstance(value, dict):
        value = {key: _pinned(item, place) for key, item in value.items()}
    elif isinstance(value, list):
        value = [_pinned(item, place) for item in value]
    duplicates = tuple((name, place) for name, _ in tree.duplicates)
    return Tree(value, place, place if tree.key else None, duplicates=duplicates)


class _Loader(SafeLoader):
    """The loader of PyYAML, which finds out the type of a plain scalar once, not each time."""

    def resolve(self, kind: Any, value: Any, implicit: Any) -> Any:
        if kind is yaml.ScalarNode and implicit[0]:
            return _plain_tag(value)
        return super().resolve(kind, value, implicit)  # type: ignore[no-untyped-call]


@lru_cache(maxsize=8192)
def _plain_tag(text: str) -> Any:
    """The tag of a scalar that is written without quotes."""
    resolver: Any = Resolver()
    return resolver.resolve(yaml.ScalarNode, text, (True, True))


class _Converter:
    """Turns the nodes of one document into trees."""

    def __init__(self, loader: Any, start: Place, lines: list[str]) -> None:
        self._loader = loader
        self._start = start
        self._lines = lines
        self._open: set[int] = set()
        self._left = MAX_VALUES

    def convert(self, node: yaml.Node, key: Place | None, depth: int) -> Tree:
        place = self._place(node.start_mark)
        self._left -= 1
        if self._left < 0:
            raise InputError(f"YAML that grows beyond {MAX_VALUES} values", place)
        if type(node) is yaml.ScalarNode:
            if node.tag != STRING:
                return Tree(self._scalar(node, place), place, key)
            return Tree(node.value, place, key, self._indent(node) if node.style == "|" else None)
        if depth > MAX_DEPTH:
            raise InputError(f"YAML nested deeper than {MAX_DEPTH} levels", place)
        if id(node) in self._open:
            raise InputError("this YAML anchor contains itself", place)
        self._open.add(id(node))
        try:
            if isinstance(node, yaml.SequenceNode):
                return Tree(
                    [self.convert(item, None, depth + 1) for item in node.value], place, key
                )
            return self._map(node, place, key, depth)
        finally:
            self._open.discard(id(node))

    def _scalar(self, node: yaml.ScalarNode, place: Place) -> Any:
        try:
            value = self._loader.construct_object(node, deep=True)
        except (ValueError, KeyError, AttributeError, OverflowError):
            kind = node.tag.rpartition(":")[2]
            raise InputError(f"this is not valid YAML: not a value of type {kind}", place) from None
        if isinstance(value, int) and value.bit_length() > MAX_NUMBER_BITS:
            raise InputError("this number is too large", place)
        return value

    def _map(self, node: yaml.Node, place: Place, key: Place | None, depth: int) -> Tree:
        merged: dict[str, Tree] = {}
        own: dict[str, Tree] = {}
        duplicates: list[tuple[str, Place]] = []
        for key_node, value_node in node.value:
            key_place = self._place(key_node.start_mark)
            if key_node.tag == MERGE_KEY:
                for source in self._merge_sources(value_node, key_place, depth):
                    for name, item in source.items():
                        merged.setdefault(name, item)
                continue
            if not isinstance(key_node, yaml.ScalarNode):
                raise InputError("a key of a YAML map must be a plain word", key_place)
            name = str(key_node.value)
            if name in own:
                duplicates.append((name, key_place))
            own[name] = self.convert(value_node, key_place, depth + 1)
        return Tree({**merged, **own} if merged else own, place, key, None, tuple(duplicates))

    def _merge_sources(self, node: yaml.Node, place: Place, depth: int) -> list[Tree]:
        tree = self.convert(node, None, depth + 1)
        sources = tree.elements() or [tree]
        if not all(source.is_map for source in sources):
            raise InputError("'<<' must name a map or a list of maps", place)
        return sources

    def _place(self, mark: Any) -> Place:
        file, line, column = self._start
        # What Place(…) does, without a call that would be a tenth of the time of reading.
        return tuple.__new__(Place, (file, line + mark.line, column + mark.column))

    def _indent(self, node: yaml.ScalarNode) -> int | None:
        """Columns before the content of a literal block; None when it is blank."""
        if not node.value.strip():
            return None
        written = _first_line(self._lines, node.start_mark.line + 1)
        content = _first_line(node.value.splitlines())
        stripped = len(written) - len(written.lstrip(" "))
        kept = len(content) - len(content.lstrip(" "))
        return self._start.column - 1 + max(0, stripped - kept)


def _first_line(lines: list[str], start: int = 0) -> str:
    """The first line from a position on that is not blank."""
    return next((lines[n] for n in range(start, len(lines)) if lines[n].strip()), "")
