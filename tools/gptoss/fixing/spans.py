"""YAML as it is written: where every key and value begins and ends in the file.

Block scalars are opened: the YAML inside a ConfigMap, and inside a here-document of a script, is
read on with offsets of the outer file.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import yaml

from gptoss.text.budget import NESTING
from gptoss.text.plain_yaml import SafeLoader
from gptoss.text.shell.parts import Redirection
from gptoss.text.shell.words import tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.text.places import Place

# As YAML and Python's str.splitlines count lines.
LINE_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")


@dataclass(slots=True)
class Node:
    """A YAML value as it is written.

    Attributes:
        kind: ``scalar``, ``alias``, ``map`` or ``list``.
        start, end: Offsets in the file; the end of a block is the end of its last value.
        style: Quote or block indicator of a scalar; '' for a plain one.
        flow: Whether a map or list is written with brackets.
        value: Text of a scalar.
        marked: Whether an anchor or tag stands before it.
        anchor: The name that aliases refer to it by, or by which an alias refers to another value.
        keys: Keys of a map.
        values: Values of a map or elements of a list.
    """

    kind: str
    start: int
    end: int
    style: str = ""
    flow: bool = False
    value: str = ""
    marked: bool = False
    anchor: str = ""
    keys: list[Node] = field(default_factory=list)
    values: list[Node] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Spot:
    """A key of a map or an element of a list: the holder and the position in it."""

    holder: Node
    index: int

    @property
    def value(self) -> Node:
        """The value or element."""
        return self.holder.values[self.index]

    @property
    def key(self) -> Node:
        """The key."""
        return self.holder.keys[self.index]


class Source:
    """The text of a file with its line starts."""

    def __init__(self, text: str) -> None:
        self.text = text
        breaks = [match.span() for match in LINE_BREAK.finditer(text)]
        self.starts = [0, *(end for _, end in breaks)]
        self._ends = [*(start for start, _ in breaks), len(text)]

    def offset(self, place: Place) -> int:
        """Offset of a place."""
        if place.line > len(self.starts):
            return len(self.text)
        return self.starts[place.line - 1] + place.column - 1

    def line_of(self, offset: int) -> int:
        """Number of the line of an offset, from 0."""
        return bisect_right(self.starts, offset) - 1

    def line_start(self, offset: int) -> int:
        """Where the line of an offset begins."""
        return self.starts[self.line_of(offset)]

    def line_end(self, offset: int) -> int:
        """Where the line of an offset ends, before its line break."""
        return max(offset, self._ends[self.line_of(offset)])

    def after_line(self, offset: int) -> int:
        """Where the line after that of an offset begins."""
        match = LINE_BREAK.search(self.text, offset)
        return match.end() if match else len(self.text)

    def column(self, offset: int) -> int:
        """Column of an offset, from 0."""
        return offset - self.line_start(offset)

    @property
    def line_break(self) -> str:
        """The line break that the file uses."""
        match = LINE_BREAK.search(self.text)
        return match.group() if match else "\n"

    def documents(self) -> list[Node]:
        """The root of every document.

        Raises:
            yaml.YAMLError: The text is not YAML.
        """
        return _read(self, self.text, 0, 0)

    def embedded(self, scalar: Node) -> list[Node]:
        """The documents that a literal block holds; nothing when they are no YAML."""
        first = self.line_of(scalar.start) + 1
        if scalar.style != "|" or first >= len(self.starts):
            return []
        lines = self._lines(first, scalar.end)
        indent = min((len(x) - len(x.lstrip(" ")) for x in lines if x.strip()), default=0)
        return self._dedented(lines, first, indent)

    def here_documents(self, scalar: Node) -> Iterator[list[Node]]:
        """The documents of every here-document in the script that a literal block holds."""
        first = self.line_of(scalar.start) + 1
        if scalar.style != "|" or first >= len(self.starts):
            return
        lines = self._lines(first, scalar.end)
        indent = min((len(x) - len(x.lstrip(" ")) for x in lines if x.strip()), default=0)
        script = "\n".join(line[indent:] for line in lines)
        for token in tokens(script):
            if isinstance(token, Redirection) and token.symbol == "<<":
                begin = first + script.count("\n", 0, token.start)
                held = [" " * indent + line for line in token.text.split("\n")]
                yield self._dedented(held, begin, indent)

    def _lines(self, first: int, end: int) -> list[str]:
        last = self.line_of(max(end - 1, self.starts[first]))
        return [
            self.text[self.starts[n] : self.line_end(self.starts[n])]
            for n in range(first, last + 1)
        ]

    def _dedented(self, lines: list[str], first: int, indent: int) -> list[Node]:
        try:
            return _read(self, "\n".join(line[indent:] for line in lines), first, indent)
        except yaml.YAMLError:
            return []


def spots(roots: list[Node]) -> Iterator[Spot]:
    """Every key and element, outer ones first."""
    for root in roots:
        for index in range(len(root.values)):
            yield Spot(root, index)
        yield from spots(root.values)


def nodes(roots: list[Node]) -> Iterator[Node]:
    """Every value, outer ones first."""
    for root in roots:
        yield root
        yield from nodes(root.values)


def views(source: Source, offset: int) -> Iterator[list[Node]]:
    """The documents of the file, then those inside the block that an offset is in."""
    roots = source.documents()
    yield roots
    for node in nodes(roots):
        if node.style == "|" and node.start < offset < node.end:
            yield source.embedded(node)
            yield from source.here_documents(node)


def _read(source: Source, text: str, first: int, indent: int) -> list[Node]:
    def offset(mark: Any) -> int:
        line = first + mark.line
        if line >= len(source.starts):
            return len(source.text)
        start: int = source.starts[line]
        return min(start + indent + int(mark.column), source.line_end(start))

    roots: list[Node] = []
    stack: list[Node] = []
    waiting: list[Node | None] = []  # the key that awaits its value, for each open map
    for event in yaml.parse(text, Loader=SafeLoader):
        if isinstance(event, yaml.CollectionEndEvent):
            node = stack.pop()
            waiting.pop()
            node.end = offset(event.end_mark) if node.flow else _last(node)
            continue
        if not isinstance(event, yaml.NodeEvent):
            continue
        node = _node(event, offset, source)
        if not stack:
            roots.append(node)
        elif stack[-1].kind == "list":
            stack[-1].values.append(node)
        elif waiting[-1] is None:
            waiting[-1] = node
        else:
            stack[-1].keys.append(waiting[-1])
            stack[-1].values.append(node)
            waiting[-1] = None
        if isinstance(event, yaml.CollectionStartEvent):
            if len(stack) > NESTING:
                raise yaml.YAMLError(f"nested deeper than {NESTING} levels")
            stack.append(node)
            waiting.append(None)
    return roots


def _node(event: Any, offset: Any, source: Source) -> Node:
    start, end = offset(event.start_mark), offset(event.end_mark)
    if isinstance(event, yaml.AliasEvent):
        return Node("alias", start, end, anchor=event.anchor or "")
    anchor = event.anchor or ""
    marked = event.anchor is not None or event.tag is not None
    if isinstance(event, yaml.ScalarEvent):
        style = event.style or ""
        if style in ("|", ">"):
            kept = source.text[start:end].rstrip()
            end = source.line_end(start + len(kept))
        return Node("scalar", start, end, style, value=event.value, marked=marked, anchor=anchor)
    kind = "map" if isinstance(event, yaml.MappingStartEvent) else "list"
    return Node(kind, start, end, flow=bool(event.flow_style), marked=marked, anchor=anchor)


def _last(node: Node) -> int:
    """Where a block ends: at the end of its last value."""
    return node.values[-1].end if node.values else node.end
