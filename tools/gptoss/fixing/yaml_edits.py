"""Edits of YAML keys and values as changes of the file's text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.fixing.spans import Spot, nodes, spots, views
from gptoss.rules.fixes import Action
from gptoss.text.scalars import scalar

if TYPE_CHECKING:
    from gptoss.fixing.spans import Node, Source
    from gptoss.rules.fixes import Edit, Scalar

INDENT = 2
DASH = re.compile(r"[ ]*-[ ]+$")


class NotPossibleError(Exception):
    """The text is not what the edit was made for."""


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """A piece of text to replace, by its offsets."""

    start: int
    end: int
    text: str


def yaml_changes(source: Source, edit: Edit) -> list[Change]:
    """The changes that an edit of a key or value makes.

    Raises:
        NotPossibleError: The place does not hold what the edit was made for.
        yaml.YAMLError: The file is no YAML.
    """
    if edit.action is Action.APPEND:
        return [_append(source, edit)]
    if edit.action is Action.REMOVE_VARIABLE:
        return [_remove(source, _variable(source, edit))]
    spot = spot_at(source, edit)
    if edit.action is Action.SET:
        return [_set(source, spot, edit.value)]
    if edit.action is Action.RENAME:
        if spot.key.style or spot.key.marked:
            raise NotPossibleError("the key is not a plain word")
        _refuse_twice(spot.holder, edit.name)
        return [Change(spot.key.start, spot.key.end, edit.name)]
    if edit.action is Action.REMOVE:
        return [_remove(source, spot)]
    if edit.action is Action.BESIDE:
        _refuse_twice(spot.holder, edit.name)
        return [_added(source, spot.holder, spot.index, [edit.name], edit.value)]
    return _move(source, spot, edit)


def spot_at(source: Source, edit: Edit) -> Spot:
    """The key that begins at the edit's place."""
    offset = source.offset(edit.place)
    for roots in views(source, offset):
        for spot in spots(roots):
            if spot.holder.kind == "map" and spot.key.start == offset and _meant(spot, edit):
                return spot
    raise NotPossibleError("another key stands at the place")


def _refuse_twice(holder: Node, name: str) -> None:
    if any(key.value == name for key in holder.keys):
        raise NotPossibleError("the key is there already")


def _meant(spot: Spot, edit: Edit) -> bool:
    return not edit.at or spot.key.value in edit.at


def _set(source: Source, spot: Spot, value: Scalar) -> Change:
    old = spot.value
    if old.marked or old.kind in ("map", "list") or old.style in ("|", ">"):
        raise NotPossibleError("the value is not a plain one")
    quote = old.style if isinstance(value, str) else ""
    gap = "" if source.text[old.start - 1 : old.start].isspace() else " "
    return Change(old.start, old.end, gap + scalar(value, quote))


def _variable(source: Source, edit: Edit) -> Spot:
    """The list element or the key of a map that sets an environment variable."""
    offset, name = source.offset(edit.place), edit.at[0]
    for roots in views(source, offset):
        for spot in spots(roots):
            if spot.holder.kind == "map" and spot.key.start == offset and _meant(spot, edit):
                return spot
            if spot.holder.kind == "list" and spot.value.kind == "map":
                pairs = zip(spot.value.keys, spot.value.values, strict=True)
                named = any(k.value == "name" and v.value == name for k, v in pairs)
                if named and offset in [key.start for key in spot.value.keys]:
                    return spot
    raise NotPossibleError("the variable does not stand at the place")


def _remove(source: Source, spot: Spot) -> Change:
    holder, index = spot.holder, spot.index
    begin = (spot.key if holder.kind == "map" else spot.value).start
    if begin > spot.value.start or _is_anchor(spot.value):
        raise NotPossibleError("other parts of the file refer to the value")
    if len(holder.values) == 1:
        return _emptied(source, holder, begin, spot.value.end)
    if holder.flow:
        return _removed_from_flow(source, spot, begin)
    start = source.line_start(begin)
    before = source.text[start:begin]
    if holder.kind == "list":
        dash = DASH.search(before)
        if dash is None or dash.start() != 0:
            raise NotPossibleError("the element does not begin its line")
        before = ""
    if not before.strip():
        end = source.after_line(spot.value.end)
        if end == len(source.text) and not source.text.endswith(("\n", "\r")):
            # The last line of a file without a line break: the one before it goes instead.
            return Change(source.line_end(max(start - 2, 0)), end, "")
        return Change(start, end, "")
    # The first key of a list element: the next one moves to its place.
    if index + 1 == len(holder.keys):
        raise NotPossibleError("the key does not begin its line")
    following = holder.keys[index + 1].start
    _refuse_comment(source, spot.value.end, following)
    return Change(begin, following, "")


def _is_anchor(node: Node) -> bool:
    return any(inner.marked for inner in nodes([node]))


def _emptied(source: Source, holder: Node, begin: int, end: int) -> Change:
    """The change that leaves an empty map or list where the last entry goes."""
    empty = "{}" if holder.kind == "map" else "[]"
    if holder.flow:
        _refuse_comment(source, holder.start, holder.end)
        return Change(holder.start, holder.end, empty)
    kept = source.text[:begin].rstrip(" \n\r-" if holder.kind == "list" else " \n\r")
    if kept.endswith(":") and source.line_of(len(kept)) < source.line_of(begin):
        return Change(len(kept), end, f" {empty}")
    if holder.kind == "list":
        raise NotPossibleError("the list does not stand under a key")
    return Change(begin, end, empty)


def _removed_from_flow(source: Source, spot: Spot, begin: int) -> Change:
    holder, index = spot.holder, spot.index
    if index + 1 < len(holder.values):
        starts = holder.keys if holder.kind == "map" else holder.values
        following = starts[index + 1].start
        _refuse_comment(source, spot.value.end, following)
        return Change(begin, following, "")
    before = holder.values[index - 1].end
    _refuse_comment(source, before, begin)
    return Change(before, spot.value.end, "")


def _refuse_comment(source: Source, start: int, end: int) -> None:
    if "#" in source.text[start:end]:
        raise NotPossibleError("a comment stands between")


def _append(source: Source, edit: Edit) -> Change:
    offset = source.offset(edit.place)
    for roots in views(source, offset):
        target = _target(roots, offset, edit)
        if target is not None:
            return _into(source, target, edit.name.split("."), edit.value)
    raise NotPossibleError("no map begins at the place")


def _target(roots: list[Node], offset: int, edit: Edit) -> Node | None:
    """The map to add to: under the key that the edit names, else the one that begins there."""
    for spot in spots(roots) if edit.at else ():
        if spot.holder.kind == "map" and spot.key.start == offset and spot.key.value in edit.at:
            return spot.value
    return next((n for n in nodes(roots) if n.kind == "map" and n.start == offset), None)


def _into(source: Source, target: Node, path: list[str], value: Scalar) -> Change:
    """Adds a path at the end of a map, inside the blocks that are there."""
    if target.kind != "map":
        raise NotPossibleError("it is no map")
    for key, inner in zip(target.keys, target.values, strict=True):
        if key.value == path[0]:
            if len(path) == 1:
                raise NotPossibleError("the key is there already")
            return _into(source, inner, path[1:], value)
    return _added(source, target, len(target.values) - 1, path, value)


def _added(source: Source, holder: Node, index: int, path: list[str], value: Scalar) -> Change:
    """Adds a path to a map behind one of its entries."""
    if holder.flow:
        flat = scalar(value)
        for key in reversed(path[1:]):
            flat = f"{{{key}: {flat}}}"
        entry = f"{path[0]}: {flat}"
        if not holder.values:
            return Change(holder.start + 1, holder.start + 1, entry)
        end = holder.values[index].end
        return Change(end, end, f", {entry}")
    column = source.column(holder.keys[0].start)
    lines = _block(path, value, column)
    end = holder.values[index].end
    if source.text[end : source.line_end(end)].partition("#")[0].strip():
        raise NotPossibleError("something stands behind the value")
    at = source.line_end(end)
    return Change(at, at, "".join(source.line_break + line for line in lines))


def _block(path: list[str], value: Scalar, column: int) -> list[str]:
    """A dotted path as lines of a block."""
    last = len(path) - 1
    return [
        " " * (column + INDENT * depth) + f"{key}:" + (f" {scalar(value)}" if depth == last else "")
        for depth, key in enumerate(path)
    ]


def _move(source: Source, spot: Spot, edit: Edit) -> list[Change]:
    """Puts the new path into its block if there is one, else where the old key stands."""
    path = edit.name.split(".")
    there = {key.value for key in spot.holder.keys}
    if path[0] in there:
        added = _into(source, spot.holder, path, edit.value)
        return [added, _remove(source, spot)]
    if spot.value.kind in ("map", "list") or spot.value.marked or spot.value.style in ("|", ">"):
        raise NotPossibleError("the value is not a plain one")
    if spot.holder.flow:
        flat = scalar(edit.value)
        for key in reversed(path[1:]):
            flat = f"{{{key}: {flat}}}"
        return [Change(spot.key.start, spot.value.end, f"{path[0]}: {flat}")]
    column = source.column(spot.key.start)
    lines = source.line_break.join(_block(path, edit.value, column)).lstrip(" ")
    return [Change(spot.key.start, spot.value.end, lines)]
