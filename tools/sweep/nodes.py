"""Keys of plain YAML data, written as paths.

Steps are divided by dots; one that has dots itself stands in brackets, as in
``spec.[nvidia.com/gpu]``. In a list of named things a step is a name; in a list of words it is a
flag, whose value is the word after it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sweep.cases import Absent

if TYPE_CHECKING:
    from collections.abc import Iterator

STEP = re.compile(r"\[([^\]]*)\]|([^.\[]+)")


def steps_of(path: str) -> list[str]:
    """The steps of a path."""
    return [bracketed or plain for bracketed, plain in STEP.findall(path)]


def leaves(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every key below a node that holds no map, with its value."""
    if isinstance(node, dict) and node:
        for key, value in node.items():
            yield from leaves(value, joined(path, str(key)))
    elif _is_named(node):
        for item in node:
            rest = {key: value for key, value in item.items() if key != "name"}
            yield from leaves(rest, joined(path, item["name"]))
    elif flags := _flags(node):
        yield from ((joined(path, flag), value) for flag, value in flags.items())
    else:
        yield path, node


def put(node: Any, path: str, value: Any) -> None:
    """Sets a key, or takes it away; maps on the way to it are made."""
    *way, last = steps_of(path)
    for step in way:
        node = _below(node, step)
    if isinstance(node, dict):
        if value is Absent:
            node.pop(last, None)
        else:
            node[last] = value
    elif last.startswith("--"):
        _put_flag(node, last, value)
    else:
        node[:] = [item for item in node if item["name"] != last]
        if value is not Absent:
            node.append({"name": last, **value})


def joined(path: str, step: str) -> str:
    """The path of a key below another."""
    step = f"[{step}]" if "." in step else step
    return f"{path}.{step}" if path else step


def node_at(node: Any, path: str) -> Any:
    """What stands under a path; ``Absent`` where nothing does."""
    for step in steps_of(path):
        if isinstance(node, list):
            node = next((item for item in node if item["name"] == step), Absent)
        else:
            node = node.get(step, Absent) if isinstance(node, dict) else Absent
    return node


def _below(node: Any, step: str) -> Any:
    if isinstance(node, dict):
        return node.setdefault(step, {})
    found = next((item for item in node if item["name"] == step), None)
    if found is None:
        found = {"name": step}
        node.append(found)
    return found


def _is_named(node: Any) -> bool:
    return (
        isinstance(node, list)
        and bool(node)
        and all(isinstance(item, dict) and "name" in item for item in node)
    )


def _flags(node: Any) -> dict[str, Any]:
    """The flags in a list of words, each with its value, or true where it has none."""
    if not isinstance(node, list) or not all(isinstance(word, str) for word in node):
        return {}
    found: dict[str, Any] = {}
    for word, following in zip(node, [*node[1:], "--"], strict=True):
        if word.startswith("--"):
            found.setdefault(word, True if following.startswith("--") else following)
    return found


def _put_flag(words: list[str], flag: str, value: Any) -> None:
    if flag in words:
        start = words.index(flag)
        following = words[start + 1 : start + 2]
        has_value = bool(following) and not following[0].startswith("--")
        del words[start : start + 1 + has_value]
    if value is not Absent and value is not False:
        words += [flag] if value is True else [flag, str(value)]
