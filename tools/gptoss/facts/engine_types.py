"""Whether a value fits a field of the engine YAML.

The engine converts leniently: 0 and 1 pass for a switch, "8" passes for a number.
"""

from __future__ import annotations

import operator
import re
from difflib import get_close_matches
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

SUM_TOLERANCE = 1e-6
HUGE = 1e300
SWITCH_WORDS = {"true", "false", "yes", "no", "on", "off", "t", "f", "y", "n", "1", "0"}
BOUNDS = {
    "minimum": ("at least", operator.ge),
    "maximum": ("at most", operator.le),
    "exclusive_minimum": ("more than", operator.gt),
    "exclusive_maximum": ("less than", operator.lt),
}
TYPE_NAMES = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "block": "a map",
    "map": "a map",
    "list": "a list",
}


def fault(field: Mapping[str, Any], value: Any) -> str | None:
    """What is expected instead of a value, or None when the value is fine.

    Args:
        field: The field as the version has it (EngineSchema.reading).
        value: The value.
    """
    if value is None:
        accepts = field.get("nullable") or ("default" in field and field["default"] is None)
        return None if accepts else _expected(field)
    if not any(_has_type(value, kind) for kind in field["type"].split("|")):
        return _expected(field)
    if not isinstance(value, list):
        return None if isinstance(value, dict) else _beyond(field, value)
    beyond = (_beyond(field, element) for element in value if not isinstance(element, dict | list))
    return _wrong_list(field, value) or next((wrong for wrong in beyond if wrong), None)


def mended(field: Mapping[str, Any], value: Any, renamed: Mapping[str, str]) -> str | None:
    """The allowed value that was probably meant, or None."""
    allowed = [str(item) for item in field.get("enum") or field.get("enum_ci") or ()]
    if renamed.get(str(value)) in allowed:
        return renamed[str(value)]
    for item in allowed:
        if item.lower() == str(value).lower():
            return item
    close = get_close_matches(str(value).upper(), [item.upper() for item in allowed], n=1)
    return next((item for item in allowed if close and item.upper() == close[0]), None)


def _wrong_list(field: Mapping[str, Any], value: list[Any]) -> str | None:
    """What is expected of a list as a whole."""
    if len(value) < field.get("min_items", 0):
        return f"a list of at least {field['min_items']}"
    numbers = [item for item in map(number, value) if item is not None]
    if field.get("increasing") and any(a >= b for a, b in pairwise(numbers)):
        return "a list that rises from each value to the next"
    total = field.get("sum")
    if total is not None and abs(sum(numbers) - total) > SUM_TOLERANCE:
        return f"a list that adds up to {total:g}"
    return None


def _expected(field: Mapping[str, Any]) -> str:
    kind = field["type"]
    if allowed := field.get("enum") or field.get("enum_ci"):
        return f"one of {', '.join(map(_word, allowed))}"
    names = [TYPE_NAMES.get(k.partition("[")[0], k) for k in kind.split("|")]
    return " or ".join(names)


def _has_type(value: Any, kind: str) -> bool:
    base, _, inner = kind.partition("[")
    match base:
        case "bool":
            return _is_switch(value)
        case "int":
            return _is_whole(value)
        case "float":
            return number(value) is not None
        case "str":
            return isinstance(value, str)
        case "list":
            wanted = inner.removesuffix("]")
            return isinstance(value, list) and (
                not wanted or all(_has_type(item, wanted) for item in value)
            )
        case "map" if inner:
            key, _, each = inner.removesuffix("]").partition(",")
            pairs = value.items() if isinstance(value, dict) else [(None, None)]
            return all(_has_type(name, key) and _has_type(item, each) for name, item in pairs)
        case "block" | "map":
            return isinstance(value, dict)
        case _:
            return True


def _is_switch(value: Any) -> bool:
    return isinstance(value, bool) or value in (0, 1) or str(value).lower() in SWITCH_WORDS


def _is_whole(value: Any) -> bool:
    read = number(value)
    return read is not None and read == int(read)


def number(value: Any) -> float | None:
    """A value as a number, the way the engine reads it, or None."""
    try:
        read = float(value) if isinstance(value, int | float | str) else None
    except (ValueError, OverflowError):
        return None
    return read if read is not None and abs(read) < HUGE else None


def _beyond(field: Mapping[str, Any], value: Any) -> str | None:
    """What is expected when a value is outside the enumeration or bounds."""
    if (enum := field.get("enum")) and value not in enum:
        return _expected(field)
    if enum := field.get("enum_ci"):
        accepted = {str(item).lower() for item in (*enum, *field.get("tolerated_ci", ()))}
        if str(value).lower() not in accepted:
            return _expected(field)
    if (pattern := field.get("pattern")) and not re.search(pattern, str(value)):
        return f"text like {pattern}"
    read = number(value)
    if read is None:
        return None
    for name, (word, holds) in BOUNDS.items():
        bound = field.get(name)
        if bound is not None and not holds(read, bound):
            return f"{word} {bound}"
    return None


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
