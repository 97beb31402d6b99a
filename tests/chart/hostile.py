"""Hostile text, and every string of the chart's values that it can be put into."""

from __future__ import annotations

import json
from copy import deepcopy
from functools import cache
from typing import TYPE_CHECKING, Any

from tests.chart.rendering import CHART

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

Path = tuple[str | int, ...]
# What Kubernetes makes a single dollar sign of, where words of a command and variables have it.
DOUBLED = "$$"
LONG = "long " * 2000
# What means something to YAML, shell, Kubernetes, templates, compose, JSON or a terminal.
TEXTS = (
    'it\'s "quoted"',
    "first\nsecond\n\n  third",
    "key: value",
    "text # no comment",
    "{{ .Values.model }} {% raw %}",
    "$(touch ran) `touch ran` ${HOME} $HOME",
    DOUBLED,
    '\\ \\n \\" \\',
    "日本語 émoji 🦊 \u200f\ufeffend",
    "--flag=x",
    "- item",
    "!!python/object:os.system id",
    "!!binary aGk=",
    "&anchor",
    "*alias",
    "@at %percent ? |",
    "true",
    "null",
    "1e3",
    "0x10",
    "2020-01-01",
    "~",
    "=",
    "<<",
    " leading and trailing ",
    "\ttab\t",
    "{a: 1, b: [2",
    "x\n      lifecycle: {postStart: {exec: {command: [sh, -c, id]}}}\n      args:",
    "x\n---\nkind: Secret\n",
    "<job>",
    "a;b|c>d&e(f)!",
    "END_OF_FILE\nEND_OF_FILE",
    LONG,
)
# What longer ones are made of.
PIECES = "ab1 \n\t'\"`$(){}[]<>|&;:#*!?%@~=+,./\\_-^éЖ日🦊\x1b"


def strings_of(
    schema: Mapping[str, Any],
    root: Mapping[str, Any],
    names: Mapping[str, Iterable[str]],
    at: Path = (),
) -> Iterator[Path]:
    """Where a value that a schema allows has text of its user's.

    Args:
        schema: The schema of the value.
        root: The schema with the definitions.
        names: Keys to take in maps whose keys are free, by the map's path; else one of its own.
        at: The value's path.
    """
    if "enum" in schema or "const" in schema:
        return
    if "$ref" in schema:
        yield from strings_of(root["$defs"][schema["$ref"].rpartition("/")[2]], root, names, at)
    for option in (*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())):
        yield from strings_of(option, root, names, at)
    kinds = schema.get("type", ())
    if "string" in kinds:
        yield at
    if "array" in kinds:
        yield from strings_of(schema.get("items", {}), root, names, (*at, 0))
    if "object" not in kinds:
        return
    for key, each in schema.get("properties", {}).items():
        yield from strings_of(each, root, names, (*at, key))
    others = schema.get("additionalProperties", "properties" not in schema)
    for key in names.get(".".join(map(str, at)), [f"hostile{str(at[0]).lower()}"] if at else []):
        if isinstance(others, dict):
            yield from strings_of(others, root, names, (*at, key))
        elif others:
            yield (*at, key)


@cache
def values_schema() -> dict[str, Any]:
    """The chart's values schema."""
    loaded: dict[str, Any] = json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))
    return loaded


def places_of(workers: Sequence[str], *, deep: bool, engine: bool) -> list[Path]:
    """Every string of the values.

    Args:
        workers: Names of the workers.
        deep: Whether a value that may be text or a map is a map here.
        engine: Whether the settings of their engines count, as the default release has them.
    """
    root = values_schema()
    found = dict.fromkeys(strings_of(root, root, {"workers": workers}))
    for worker in workers if engine else ():
        at = ("workers", worker, "engine")
        found |= dict.fromkeys(strings_of(root["$defs"]["Engine"], root, {}, at))
    above = {path[:end] for path in found for end in range(1, len(path))}
    if deep:
        return [path for path in found if path not in above]
    return [p for p in found if not any(p[:end] in found for end in range(1, len(p)))]


def filled(values: dict[str, Any], texts: Mapping[Path, str]) -> dict[str, Any]:
    """Values with texts put at places, with the maps and lists that these need."""
    made = deepcopy(values)
    for path, text in texts.items():
        node: Any = made
        for step, following in zip(path, (*path[1:], None), strict=True):
            if step == 0 and not node:
                node.append(None)
            if following is None:
                node[step] = text
                continue
            there = node[step] if step == 0 else node.get(step)
            if not isinstance(there, list if following == 0 else dict):
                node[step] = [] if following == 0 else {}
            node = node[step]
    return made
