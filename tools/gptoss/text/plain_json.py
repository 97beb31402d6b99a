"""JSON that others wrote, read into plain values that are no deeper than YAML may be."""

from __future__ import annotations

import json
from typing import Any

from gptoss.text.budget import NESTING


def load(text: str) -> Any:
    """The value of a text.

    Raises:
        ValueError: It is no JSON, holds a number of more than 4,300 digits, or is nested deeper
            than 64 levels.
    """
    value, end = load_first(text)
    if text[end:].strip():
        raise ValueError("there is more behind it")
    return value


def load_first(text: str) -> tuple[Any, int]:
    """The value that a text begins with, and where that ends.

    Raises:
        ValueError: As of `load`.
    """
    begin = len(text) - len(text.lstrip())
    try:
        value, end = json.JSONDecoder().raw_decode(text, begin)
    except RecursionError:
        raise _too_deep() from None
    if text.count("[", 0, end) + text.count("{", 0, end) > NESTING:
        _refuse_deeper(value)
    return value, end


def _refuse_deeper(value: Any) -> None:
    """Goes down level by level, as a value may be deeper than Python recurses."""
    level = [value]
    for _ in range(NESTING + 1):
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
    if any(isinstance(each, dict | list) for each in level):
        raise _too_deep()


def _too_deep() -> ValueError:
    return ValueError(f"JSON nested deeper than {NESTING} levels")
