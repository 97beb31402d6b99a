"""The plausible wrong values of a key, by what it takes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sweep.cases import Absent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LARGE = 100_000
OTHER = "other"
WRONG = {
    "bool": "maybe",
    "int": "many",
    "float": "many",
    "str": [1],
    "list": "text",
    "map": "text",
    "block": "text",
}
RIGHT: dict[str, tuple[Any, ...]] = {
    "bool": (True, False),
    "int": (0, 1, LARGE),
    "float": (0, 1, LARGE),
    "str": (OTHER,),
    "list": ([], [0], [OTHER]),
    "object": (OTHER,),
    "map": ({},),
    "block": (None, {}),
}
QUANTITY = re.compile(r"(?P<number>\d+)(?P<unit>[kMGT]i?)")


def of_field(field: Mapping[str, Any]) -> Iterator[Any]:
    """Values for a key of a schema: of its type, and one of another type."""
    kinds = [kind.partition("[")[0] for kind in field["type"].split("|")]
    listed = field.get("enum") or field.get("enum_ci")
    if listed and kinds == ["str"]:
        yield from listed
        yield OTHER
    else:
        for kind in kinds:
            yield from RIGHT.get(kind, ())
    yield None
    if (wrong := WRONG.get(kinds[0])) is not None:
        yield wrong


def of_value(value: Any) -> Iterator[Any]:
    """Values in the place of one that stands in a manifest."""
    yield Absent
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (0, 1, 10 * value)
    elif isinstance(value, str) and value.isdecimal():
        yield from ("0", "1", str(10 * int(value)))
    elif isinstance(value, str) and (match := QUANTITY.fullmatch(value)):
        yield from ("1Mi", f"{10 * int(match['number'])}{match['unit']}")
    elif isinstance(value, str):
        yield OTHER
    elif isinstance(value, list):
        yield []


def distinct(values: Iterator[Any], current: Any) -> list[Any]:
    """The values, each once, without the one that stands there already."""
    found: list[Any] = []
    for value in values:
        if not any(_same(value, other) for other in (*found, current)):
            found.append(value)
    return found


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)
