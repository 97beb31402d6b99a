"""Every key of the chart's values, and several of them at once, through real Helm."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

from gptoss.checking.judging import judged
from gptoss.facts import folders
from gptoss.rules.rule import Severity
from gptoss.sources.request import Request
from gptoss.text import plain_yaml
from gptoss.text.errors import InputError
from sweep.bases import UNREADABLE, base_of, named, new
from sweep.cases import Absent, Case
from sweep.nodes import node_at, put
from sweep.plausible import distinct, of_field

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.rules.finding import Finding
    from sweep.bases import Base, Named, Said
    from sweep.judgements import Judgements

SURFACE = "values"
TOGETHER = "together"
TYPES = {
    "boolean": "bool",
    "integer": "int",
    "number": "float",
    "string": "str",
    "array": "list",
    "object": "map",
}
# The values schema is what refuses these; Helm reports it as this rule.
BY_SCHEMA = {"V001": Severity.ERROR.word}
WORKERS = ("decode", "prefill")


def values_cases(judgements: Judgements) -> Iterator[Case]:
    """Each key with each value that is to be tried."""
    for key, schema in keys():
        base = base_of(key, judgements.content["bases"])
        current = node_at(_values(base), key)
        kinds = schema.get("type", [])
        field = {
            "type": "|".join(
                TYPES[k] for k in ([kinds] if isinstance(kinds, str) else kinds) if k in TYPES
            ),
            **({"enum": [v for v in schema["enum"] if v is not None]} if "enum" in schema else {}),
        }
        tried = [] if judgements.only_listed(key) else [*of_field(field)]
        for value in distinct(iter([*tried, *judgements.values(key)]), current):
            yield Case(SURFACE, key, value, _refusal(schema, value))


def together_cases(judgements: Judgements) -> Iterator[Case]:
    """Each combination of settings."""
    for key in judgements.keys:
        for value in judgements.values(key):
            yield Case(TOGETHER, key, value)


def said_to_values(case: Case, judgements: Judgements) -> Said:
    """What check says to a value."""
    if case.refusal:
        return BY_SCHEMA
    base = base_of(case.key, judgements.content["bases"])
    settings = dict(case.value) if case.surface == TOGETHER else {case.key: case.value}
    return _said(base, settings)


@cache
def keys() -> tuple[tuple[str, dict[str, Any]], ...]:
    """Every key of the values with its schema; those of the engine are another surface."""
    root = json.loads(folders.values_schema().read_text(encoding="utf-8"))
    return tuple(_keys(root, "", root["$defs"]))


def _keys(
    schema: dict[str, Any], path: str, definitions: dict[str, Any]
) -> Iterator[tuple[str, dict[str, Any]]]:
    schema = _resolved(schema, definitions)
    if path == "workers":
        for name in WORKERS:
            yield from _keys(schema["additionalProperties"], f"workers.{name}", definitions)
    elif "properties" in schema and not path.endswith(".engine"):
        for key, below in schema["properties"].items():
            yield from _keys(below, f"{path}.{key}" if path else key, definitions)
    elif not path.endswith(".engine"):
        yield path, {**schema, "$defs": definitions}


def _resolved(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    for each in (schema, *schema.get("anyOf", ())):
        if "$ref" in each:
            return {**definitions[each["$ref"].rpartition("/")[2]]}
    return schema


def _refusal(schema: dict[str, Any], value: Any) -> str:
    """What the values schema says; a key that is taken away is null to Helm."""
    said = None if value is Absent else value
    error = next(Draft202012Validator(schema).iter_errors(said), None)
    return "" if error is None else "the values schema does not take it"


def _values(base: Base) -> dict[str, Any]:
    """The chart's values with the target's laid over them."""
    values = plain_yaml.load((folders.chart() / "defaults.yaml").read_text(encoding="utf-8"))
    text = folders.values_files()[base.target].read_text(encoding="utf-8")
    _lay(values, plain_yaml.load(text))
    for key, value in base.settings.items():
        put(values, key, value)
    return dict(values)


def _lay(into: dict[str, Any], over: dict[str, Any]) -> None:
    for key, value in over.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            _lay(into[key], value)
        else:
            into[key] = value


def _said(base: Base, settings: dict[str, Any]) -> Said:
    before = _before(base.target, json.dumps(base.settings))
    try:
        return new(_findings(base.target, {**base.settings, **settings}), before)
    except InputError:
        return {UNREADABLE: Severity.ERROR.word}


@cache
def _before(target: str, settings: str) -> frozenset[Named]:
    return frozenset(named(_findings(target, json.loads(settings))))


def _findings(target: str, settings: dict[str, Any]) -> list[Finding]:
    overlay: dict[str, Any] = {}
    for key, value in settings.items():
        put(overlay, key, None if value is Absent else value)
    with TemporaryDirectory() as folder:
        file = Path(folder, "overlay.yaml")
        file.write_text(json.dumps(overlay), encoding="utf-8")
        (checked,) = judged(Request(sources=(target,), files=(str(file),)))
    return list(checked.result.findings)
