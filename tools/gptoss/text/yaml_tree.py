"""YAML read into plain values that remember where they stand.

PyYAML's events give the marks; this module keeps them on every value and key, resolves aliases and
merge keys, and reads YAML that is written inside a block scalar (an engine configuration in a
ConfigMap) with the line numbers of the outer file.

Events come one at a time, so what is too deep or too much is refused before it is read whole.
PyYAML's own composer would recurse as deep as the text goes, and end the process.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import yaml

from gptoss.text.budget import NESTING, Kind, purse, spend, too_much
from gptoss.text.errors import InputError
from gptoss.text.places import Place
from gptoss.text.plain_yaml import SafeLoader
from gptoss.text.yaml_anchors import Anchors
from gptoss.text.yaml_scalars import STRING, tag_of, value_of

if TYPE_CHECKING:
    from collections.abc import Iterator

MERGE_KEY = "tag:yaml.org,2002:merge"


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
            passes a limit of the run, with aliases counted as what they stand for.
    """
    start = origin or Place(file)
    spend(Kind.READ, len(text), start)
    loader = None
    try:
        loader = SafeLoader(text)
        return list(_Reader(loader.get_event, start, text.splitlines()).documents())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = start.moved(lines=mark.line, columns=mark.column) if mark else start
        raise InputError(
            f"this is not valid YAML: {error.problem or error.context}", place
        ) from None
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"this is not valid YAML: {reason}", start) from None
    finally:
        if loader is not None:
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


class _Reader:
    """Turns the events of a text into trees."""

    def __init__(self, event: Any, start: Place, lines: list[str]) -> None:
        self._event = event
        self._start = start
        self._lines = lines
        self._anchors = Anchors()
        self._purse = purse()
        self._left = 0

    def documents(self) -> Iterator[Tree]:
        """The documents, each counted with its values."""
        self._event()
        while type(event := self._event()) is not yaml.StreamEndEvent:
            place = self._place(event.start_mark)
            self._purse.spend(Kind.DOCUMENTS, 1, place)
            self._anchors = Anchors()
            self._left = before = self._purse.left(Kind.VALUES)
            yield self._tree(self._event(), None, 0)
            self._purse.spend(Kind.VALUES, before - self._left, place)
            self._event()

    def _tree(self, event: Any, key: Place | None, depth: int) -> Tree:
        place = self._place(event.start_mark)
        kind = type(event)
        if kind is yaml.AliasEvent:
            return self._copy(self._anchors.of(event.anchor, place)[0], key, depth)
        self._count(place)
        if event.anchor is not None:
            self._anchors.open(event.anchor, place)
        if kind is yaml.ScalarEvent:
            tree = self._scalar(event, place, key)
        else:
            _refuse_deeper(depth, place)
            is_list = kind is yaml.SequenceStartEvent
            tree = (self._list if is_list else self._map)(place, key, depth)
        if event.anchor is not None:
            self._anchors.close(event.anchor, tree, getattr(event, "value", None))
        return tree

    def _count(self, place: Place) -> None:
        self._left -= 1
        if self._left < 0:
            raise too_much(Kind.VALUES, place)

    def _copy(self, tree: Tree, key: Place | None, depth: int) -> Tree:
        self._count(tree.place)
        value = tree.value
        if tree.is_container:
            _refuse_deeper(depth, tree.place)
        if isinstance(value, dict):
            value = {name: self._copy(item, item.key, depth + 1) for name, item in value.items()}
        elif isinstance(value, list):
            value = [self._copy(item, None, depth + 1) for item in value]
        return Tree(value, tree.place, key, tree.indent, tree.duplicates)

    def _scalar(self, event: Any, place: Place, key: Place | None) -> Tree:
        tag = tag_of(event)
        if tag not in (STRING, MERGE_KEY):
            return Tree(value_of(event.value, tag, place), place, key)
        return Tree(event.value, place, key, self._indent(event) if event.style == "|" else None)

    def _list(self, place: Place, key: Place | None, depth: int) -> Tree:
        found = []
        while type(event := self._event()) is not yaml.SequenceEndEvent:
            found.append(self._tree(event, None, depth + 1))
        return Tree(found, place, key)

    def _map(self, place: Place, key: Place | None, depth: int) -> Tree:
        merged: dict[str, Tree] = {}
        own: dict[str, Tree] = {}
        duplicates: list[tuple[str, Place]] = []
        while type(event := self._event()) is not yaml.MappingEndEvent:
            name, key_place = self._key(event)
            if name is None:
                for source in self._merge_sources(key_place, depth):
                    for inner, item in source.items():
                        merged.setdefault(inner, item)
                continue
            if name in own:
                duplicates.append((name, key_place))
            own[name] = self._tree(self._event(), key_place, depth + 1)
        return Tree({**merged, **own} if merged else own, place, key, None, tuple(duplicates))

    def _key(self, event: Any) -> tuple[str | None, Place]:
        """The name of a key, None of a merge key; and where it stands."""
        place, kind = self._place(event.start_mark), type(event)
        if kind is yaml.AliasEvent:
            tree, text = self._anchors.of(event.anchor, place)
            place = tree.place
        else:
            text = getattr(event, "value", None)
        if text is None:
            raise InputError("a key of a YAML map must be a plain word", place)
        if kind is yaml.ScalarEvent:
            if event.anchor is not None:
                self._anchors.open(event.anchor, place)
                self._anchors.close(event.anchor, self._scalar(event, place, None), text)
            if event.tag == MERGE_KEY or (text == "<<" and tag_of(event) == MERGE_KEY):
                return None, place
        return text, place

    def _merge_sources(self, place: Place, depth: int) -> list[Tree]:
        tree = self._tree(self._event(), None, depth + 1)
        sources = tree.elements() or [tree]
        if not all(source.is_map for source in sources):
            raise InputError("'<<' must name a map or a list of maps", place)
        return sources

    def _place(self, mark: Any) -> Place:
        file, line, column = self._start
        # What Place(…) does, without a call that would be a tenth of the time of reading.
        return tuple.__new__(Place, (file, line + mark.line, column + mark.column))

    def _indent(self, event: Any) -> int | None:
        """Columns before the content of a literal block; None when it is blank."""
        if not event.value.strip():
            return None
        written = _first_line(self._lines, event.start_mark.line + 1)
        content = _first_line(event.value.splitlines())
        stripped = len(written) - len(written.lstrip(" "))
        kept = len(content) - len(content.lstrip(" "))
        return self._start.column - 1 + max(0, stripped - kept)


def _refuse_deeper(depth: int, place: Place) -> None:
    if depth > NESTING:
        raise InputError(f"YAML nested deeper than {NESTING} levels", place)


def _first_line(lines: list[str], start: int = 0) -> str:
    """The first line from a position on that is not blank."""
    return next((lines[n] for n in range(start, len(lines)) if lines[n].strip()), "")
