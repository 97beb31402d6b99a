"""Edits of a command's words as changes of the file's text.

A command is a list of words (``args: [--max-batch-size, "64"]``) or a script in one scalar, where
a flag is found by its place or, in a folded or quoted script, by being there exactly once.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.fixing.spans import Spot, spots, views
from gptoss.fixing.yaml_edits import Change, NotPossibleError
from gptoss.rules.fixes import Action
from gptoss.text.scalars import scalar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.fixing.spans import Node, Source
    from gptoss.rules.fixes import Edit

GAP = r"(?:[ \t]|\\?\r?\n)"
WORD = r"""(?:[^\s"'\\;&|()<>]|\\[^\r\n]|"(?:\\.|[^"\\])*"|'[^']*')+"""
IN_SCRIPT = re.compile(rf"(?P<gap>[ \t]+|[ \t]*\\\r?\n[ \t]*)(?P<word>{WORD})")
NEXT_WORD = re.compile(rf"(?:[ \t]|\\\r?\n)+(?P<word>{WORD})")
FOLDED_WORD = re.compile(rf"\s+(?P<word>{WORD})")
SAFE = re.compile(r"[\w./:=@%+,-]+")


def word_changes(source: Source, edit: Edit) -> list[Change]:
    """The changes that an edit of a command makes.

    Raises:
        NotPossibleError: The place does not hold what the edit was made for.
        yaml.YAMLError: The file is no YAML.
    """
    if edit.action is Action.ADD_FLAG:
        return [_add(source, edit)]
    offset = source.offset(edit.place)
    for roots in views(source, offset):
        for spot in spots(roots):
            if (found := _element(spot, offset, edit.at)) is not None:
                return _in_list(source, found, edit)
        for script in _scripts(roots, offset):
            return [_in_script(source, script, offset, edit)]
    raise NotPossibleError("the flag does not stand at the place")


def _element(spot: Spot, offset: int, flags: tuple[str, ...]) -> Spot | None:
    """The element that is the flag, or of the list under the key at the place the one that is."""
    if spot.holder.kind == "map" and spot.key.start == offset and spot.value.kind == "list":
        held = [Spot(spot.value, index) for index in range(len(spot.value.values))]
        named = [inner for inner in held if _is(inner.value.value, flags)]
        return named[0] if len(named) == 1 else None
    if spot.holder.kind == "list" and spot.value.start == offset and _is(spot.value.value, flags):
        return spot
    return None


def _is(word: str, flags: tuple[str, ...]) -> bool:
    return word.partition("=")[0] in flags and not re.search(r"\s", word)


def _scripts(roots: list[Node], offset: int) -> Iterator[Node]:
    """The innermost scalar around an offset."""
    for spot in spots(roots):
        value = spot.value
        if value.kind == "scalar" and value.start <= offset < value.end:
            yield value


def _in_list(source: Source, spot: Spot, edit: Edit) -> list[Change]:
    holder, index, node = spot.holder, spot.index, spot.value
    if any(element.marked or element.kind != "scalar" for element in holder.values):
        raise NotPossibleError("the command is not a plain list of words")
    flag, equals, _ = node.value.partition("=")
    if edit.action is Action.RENAME_FLAG:
        text = node.value.replace(flag, edit.name, 1)
        return [Change(node.start, node.end, scalar(text, node.style))]
    follower = holder.values[index + 1] if index + 1 < len(holder.values) else None
    takes = not equals and follower is not None and not follower.value.startswith("--")
    if edit.action is Action.SET_FLAG:
        value = str(edit.value)
        if equals:
            return [Change(node.start, node.end, scalar(f"{flag}={value}", node.style))]
        if not takes or follower is None:
            raise NotPossibleError("the flag has no value")
        return [Change(follower.start, follower.end, scalar(value, follower.style))]
    return [_removed(source, holder, index, 2 if takes else 1)]


def _removed(source: Source, holder: Node, index: int, count: int) -> Change:
    """Removes elements of a list, with the lines that they stand on alone."""
    first, last = holder.values[index], holder.values[index + count - 1]
    if count == len(holder.values):
        raise NotPossibleError("nothing would be left of the command")
    if not holder.flow:
        start = source.line_start(first.start)
        if source.text[start : first.start].strip() != "-":
            raise NotPossibleError("the word does not begin its line")
        between = source.text[first.end : last.start].splitlines()
        if any(line.lstrip().startswith("#") for line in between[1:]):
            raise NotPossibleError("a comment stands between")
        end = source.after_line(last.end)
        if end == len(source.text) and not source.text.endswith(("\n", "\r")):
            return Change(source.line_end(max(start - 2, 0)), end, "")
        return Change(start, end, "")
    if index + count < len(holder.values):
        start, end = first.start, holder.values[index + count].start
    else:
        start, end = holder.values[index - 1].end, last.end
    if "#" in source.text[start:end]:
        raise NotPossibleError("a comment stands between")
    return Change(start, end, "")


def _in_script(source: Source, scalar: Node, offset: int, edit: Edit) -> Change:
    names = "|".join(map(re.escape, edit.at))
    pattern = re.compile(rf"(?<![\w-])(?:{names})(?![\w-])")
    exact = pattern.match(source.text, offset) if scalar.style == "|" else None
    found = [exact] if exact else list(pattern.finditer(source.text, scalar.start, scalar.end))
    if len(found) != 1 or found[0] is None:
        raise NotPossibleError("the flag is not there once")
    start, end = found[0].span()
    if edit.action is Action.RENAME_FLAG:
        return Change(start, end, edit.name)
    value = _value(source, scalar, end)
    if edit.action is Action.SET_FLAG:
        if value is None or not SAFE.fullmatch(str(edit.value)):
            raise NotPossibleError("the flag has no value")
        _refuse_quotes(source, scalar, *value)
        return Change(*value, str(edit.value))
    last = value[1] if value else end
    gap = re.search(rf"{GAP}+$", source.text[scalar.start : start])
    begin = scalar.start + gap.start() if gap else start
    _refuse_quotes(source, scalar, start, last)
    return Change(begin, last, "")


def _value(source: Source, scalar: Node, end: int) -> tuple[int, int] | None:
    """Where the value of a flag stands that ends at an offset; None when it has none."""
    if source.text[end : end + 1] == "=":
        match = re.compile(WORD).match(source.text, end + 1, scalar.end)
        return match.span() if match else (end + 1, end + 1)
    follows = NEXT_WORD if scalar.style == "|" else FOLDED_WORD
    match = follows.match(source.text, end, scalar.end)
    if match is None or match["word"].startswith("--"):
        return None
    return match.span("word")


def _refuse_quotes(source: Source, scalar: Node, start: int, end: int) -> None:
    if scalar.style in ("'", '"') and re.search(r"['\"\\]", source.text[start:end]):
        raise NotPossibleError("quotes stand within quotes")


def _add(source: Source, edit: Edit) -> Change:
    """Adds words behind the last one of the command that begins at the place."""
    offset = source.offset(edit.place)
    words = [edit.name, str(edit.value)] if edit.value else [edit.name]
    for roots in views(source, offset):
        for spot in spots(roots):
            is_word = spot.holder.kind == "list" and not re.search(r"\s", spot.value.value)
            if is_word and spot.value.start == offset:
                return _extended(source, _words_list(roots, spot.holder), words)
        for script in _scripts(roots, offset):
            return _extended_script(source, script, offset, words)
    raise NotPossibleError("no command begins at the place")


def _words_list(roots: list[Node], words: Node) -> Node:
    """The ``args`` beside a ``command``; the words themselves when there are none."""
    for spot in spots(roots):
        if spot.holder.kind == "map" and spot.value is words and spot.key.value == "command":
            for key, value in zip(spot.holder.keys, spot.holder.values, strict=True):
                if key.value == "args" and value.kind == "list" and value.values:
                    return value
    return words


def _extended(source: Source, words: Node, added: list[str]) -> Change:
    last = words.values[-1]
    if words.flow:
        return Change(last.end, last.end, "".join(f", {scalar(word)}" for word in added))
    start = source.line_start(last.start)
    dash = source.text[start : last.start]
    if dash.strip() != "-":
        raise NotPossibleError("the last word does not begin its line")
    at = source.line_end(last.end)
    return Change(at, at, "".join(f"{source.line_break}{dash}{scalar(word)}" for word in added))


def _extended_script(source: Source, scalar: Node, offset: int, words: list[str]) -> Change:
    if scalar.style != "|":
        if re.search(r"[;&|<>#\n]", scalar.value):
            raise NotPossibleError("the end of the command is not known")
        at = scalar.end - (1 if scalar.style in ("'", '"') else 0)
        return Change(at, at, " " + " ".join(words))
    end = offset
    several = False
    first = re.compile(WORD).match(source.text, offset, scalar.end)
    if first is None:
        raise NotPossibleError("no command begins at the place")
    end = first.end()
    while match := IN_SCRIPT.match(source.text, end, scalar.end):
        if match["word"].startswith("#"):
            break
        several |= "\n" in match["gap"]
        end = match.end()
    text = " ".join(words)
    if not several:
        return Change(end, end, f" {text}")
    line = source.text[source.line_start(end) : end]
    indent = line[: len(line) - len(line.lstrip())]
    return Change(end, end, f" \\{source.line_break}{indent}{text}")
