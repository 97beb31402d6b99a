"""Whether a value fits a field of the engine YAML.

The engine converts leniently: 0 and 1 pass for a switch, "8" passes for a number.
"""

from __future__ import annotations

import operator
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

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


def fault(field: Mapping[str, Any], limits: Mapping[str, Any], value: Any) -> str | None:
    """What is expected instead of a value, or None when the value is fine."""
    if value is None:
        accepts = field.get("nullable") or ("default" in field and field["default"] is None)
        return None if accepts else _expected(field["type"], limits)
    kinds = field["type"].split("|")
    if not any(_has_type(value, kind) for kind in kinds):
        return _expected(field["type"], limits)
    if isinstance(value, list) and len(value) < limits.get("min_items", 0):
        return f"a list of at least {limits['min_items']}"
    elements = value if isinstance(value, list) else [value]
    for element in elements:
        if isinstance(element, dict | list):
            continue
        if (wrong := _beyond(field, limits, element)) is not None:
            return wrong
    return None


def mended(limits: Mapping[str, Any], value: Any) -> str | None:
    """The allowed value that was probably meant, or None."""
    allowed = [str(item) for item in limits.get("enum") or limits.get("enum_ci") or ()]
    for item in allowed:
        if item.lower() == str(value).lower():
            return item
    close = get_close_matches(str(value).upper(), [item.upper() for item in allowed], n=1)
    return next((item for item in allowed if close and item.upper() == close[0]), None)


def _expected(kind: str, limits: Mapping[str, Any]) -> str:
    if allowed := limits.get("enum") or limits.get("enum_ci"):
        return f"one of {', '.join(map(str, allowed))}"
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
            return _number(value) is not None
        case "str":
            return isinstance(value, str)
        case "list":
            wanted = inner.removesuffix("]")
            items_fit = not wanted or all(_has_type(item, wanted) for item in value)
            return isinstance(value, list) and items_fit
        case "block" | "map":
            return isinstance(value, dict)
        case _:
            return True


def _is_switch(value: Any) -> bool:
    return isinstance(value, bool) or value in (0, 1) or str(value).lower() in SWITCH_WORDS


def _is_whole(value: Any) -> bool:
    number = _number(value)
    return number is not None and number == int(number)


def _number(value: Any) -> float | None:
    """A value as a number, the way the engine reads it, or None."""
    if isinstance(value, int | float):
        return float(value) if abs(value) < 1e300 else None
    try:
        return float(value) if isinstance(value, str) and value.strip() else None
    except ValueError:
        return None


def _beyond(field: Mapping[str, Any], limits: Mapping[str, Any], value: Any) -> str | None:
    """What is expected when a value is outside the enumeration or bounds."""
    if (enum := limits.get("enum")) and value not in enum:
        return f"one of {', '.join(map(str, enum))}"
    if enum := limits.get("enum_ci"):
        accepted = {str(item).lower() for item in (*enum, *field.get("tolerated_ci", ()))}
        if str(value).lower() not in accepted:
            return f"one of {', '.join(map(str, enum))}"
    number = _number(value)
    if number is None:
        return None
    for name, (word, holds) in BOUNDS.items():
        bound = limits.get(name)
        if bound is not None and not holds(number, bound):
            return f"{word} {bound}"
    return None
