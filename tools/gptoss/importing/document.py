"""A values file in the making: settings that remember where they come from.

PyYAML writes no comments, so the few shapes of a values file are written here: maps of maps down to
settings, each on a line of its own with its comment.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gptoss.text.as_json import holds_secret
from gptoss.text.scalars import flow

if TYPE_CHECKING:
    from collections.abc import Iterator

WIDTH = 100


@dataclass(frozen=True, slots=True)
class Leaf:
    """A setting.

    Attributes:
        value: Its value.
        comment: Where it comes from.
    """

    value: Any
    comment: str = ""


Block = dict[str, "Block | Leaf"]


def put(block: Block, path: str, leaf: Leaf) -> None:
    """Puts a setting at a dotted path; what stands in its way gives way."""
    *parents, name = path.split(".")
    for parent in parents:
        inner = block.get(parent)
        if not isinstance(inner, dict):
            inner = block[parent] = {}
        block = inner
    block[name] = leaf


def written(block: Block) -> str:
    """The block as YAML text."""
    return "".join(f"{line}\n" for line in _lines(block, 0))


def count(block: Block) -> int:
    """Settings in a block and all blocks in it."""
    return sum(count(inner) if isinstance(inner, dict) else 1 for inner in block.values())


def take_secrets(block: Block, above: str = "") -> Iterator[tuple[str, Leaf]]:
    """Takes out every setting that holds a secret, and gives each with its path."""
    for key, inner in list(block.items()):
        path = f"{above}{key}"
        if isinstance(inner, dict):
            yield from take_secrets(inner, f"{path}.")
        elif holds_secret(key, inner.value):
            yield path, inner
            del block[key]


def plain(block: Block) -> dict[str, Any]:
    """The block as plain values, as a YAML reader gives them."""
    return {
        key: plain(inner) if isinstance(inner, dict) else inner.value
        for key, inner in block.items()
    }


def is_writable(value: Any) -> bool:
    """Whether Helm can carry a value: its values are JSON, which has no infinite numbers."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and is_writable(item) for key, item in value.items())
    if isinstance(value, list):
        return all(map(is_writable, value))
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, str | int)


def _lines(block: Block, depth: int) -> Iterator[str]:
    indent = "  " * depth
    for key, inner in block.items():
        if isinstance(inner, dict):
            if count(inner):
                yield f"{indent}{flow(key)}:"
                yield from _lines(inner, depth + 1)
            continue
        line = f"{indent}{flow(key)}: {flow(inner.value)}"
        if len(line) > WIDTH and isinstance(inner.value, list):
            yield from _with_comment(f"{indent}{flow(key)}:", inner, indent)
            yield from (f"{indent}  - {flow(item)}" for item in inner.value)
        else:
            yield from _with_comment(line, inner, indent)


def _with_comment(line: str, leaf: Leaf, indent: str) -> Iterator[str]:
    comment = " ".join(leaf.comment.split())
    if not comment:
        yield line
    elif len(line) + len(comment) + 4 <= WIDTH:
        yield f"{line}  # {comment}"
    else:
        yield f"{indent}# {comment}"
        yield line
