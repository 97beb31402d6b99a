"""What ``--fix`` did that it may not: broke a file, changed another, or what no fix names."""

from __future__ import annotations

import difflib
import json
import re
import subprocess
from typing import TYPE_CHECKING, Any

import yaml

from fuzz import trees

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from fuzz.judging import Fault

RECORD = "tmp/.edits"
DEEPEST = 100


def record(path: Path) -> None:
    """Keeps what is edited, by file, whenever fixes are written from now on."""
    from gptoss.fixing.rounds import FixPlan

    write = FixPlan.write

    def recorded(plan: FixPlan) -> None:
        edits = [
            [edit.place.file, [*edit.at, *edit.name.split("."), str(edit.value)]]
            for fix in plan.made
            for edit in fix.edits
        ]
        path.write_text(json.dumps(sorted(edits)), encoding="utf-8")
        write(plan)

    FixPlan.write = recorded  # type: ignore[assignment, method-assign]


def bad_fixes(name: str, before: bytes, after: bytes, words: Sequence[str]) -> Iterator[Fault]:
    """What is wrong with the change of a file.

    Args:
        name: The file.
        before: What it was.
        after: What it is.
        words: Keys, flags and values that the fixes of the file name.
    """
    if name.endswith(".sh"):
        if _is_shell(before) and not _is_shell(after):
            yield "bad fixes", f"{name} is no shell script any more"
    elif (was := _documents(before)) is not None:
        now = _documents(after)
        if now is None:
            yield "bad fixes", f"{name} does not parse any more"
        elif shared := _shared_and_changed(before, was, now):
            yield "bad fixes", f"{name}: {shared} changed by way of an alias"
    for old, new in _hunks(before.decode(errors="replace"), after.decode(errors="replace")):
        if not any(word and word in old + new for word in words):
            yield "bad fixes", f"{name}: no fix names {(new or old).strip()[:60]!r}"


def _hunks(before: str, after: str) -> Iterator[tuple[str, str]]:
    """The lines that are taken away and put, change by change."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    for what, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if what != "equal":
            yield "".join(old[a:b]), "".join(new[c:d])


def _is_shell(text: bytes) -> bool:
    done = subprocess.run(["bash", "-n"], input=text, capture_output=True, check=False)  # noqa: S607
    return done.returncode == 0


def _documents(text: bytes) -> list[Any] | None:
    try:
        return list(yaml.load_all(text, Loader=trees.LOADER))
    except (yaml.YAMLError, ValueError, RecursionError):
        return None


def _shared_and_changed(text: bytes, was: list[Any], now: list[Any]) -> str:
    """A value that stands in several places by alias and was changed in more than one."""
    if not re.search(rb"[*]\w", text):
        return ""
    nodes = list(yaml.compose_all(text, Loader=trees.LOADER))
    paths: dict[int, list[trees.Path]] = {}
    for number, node in enumerate(nodes):
        _collect(node, (number,), paths)
    for same in paths.values():
        changed = [path for path in same if _at(was, path) != _at(now, path)]
        if len(changed) > 1:
            return ".".join(map(str, changed[-1][1:]))
    return ""


def _collect(node: Any, path: trees.Path, paths: dict[int, list[trees.Path]]) -> None:
    if node is None or len(path) > DEEPEST:
        return
    paths.setdefault(id(node), []).append(path)
    if isinstance(node, yaml.MappingNode):
        for key, item in node.value:
            _collect(item, (*path, key.value), paths)
    elif isinstance(node, yaml.SequenceNode):
        for number, item in enumerate(node.value):
            _collect(item, (*path, number), paths)


def _at(data: Any, path: trees.Path) -> Any:
    for step in path:
        try:
            data = data[step]
        except (LookupError, TypeError):
            return None
    return data
