"""Derive the engine schema's JSON forms from schema/engine/fields.yaml."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import yaml

ROOT = Path(__file__).resolve().parents[2]
ENGINE = Path("schema/engine")

# The version of the default release, which is known in full.
VERSION = "1.3.0rc14"

# What fields.json leaves to fields.yaml: the checker has no use for it.
ONLY_IN_YAML = ("note", "inferred")

JSON_TYPES = {
    "bool": ["boolean"],
    "int": ["integer"],
    "float": ["number"],
    "str": ["string"],
    "scalar": ["boolean", "number", "string"],
    "list": ["array"],
    "map": ["object"],
    "block": ["object"],
}
BOUNDS = {
    "minimum": "minimum",
    "maximum": "maximum",
    "exclusive_minimum": "exclusiveMinimum",
    "exclusive_maximum": "exclusiveMaximum",
    "pattern": "pattern",
}

Field = dict[str, Any]
Schema = dict[str, Any]


def engine_schema() -> dict[Path, str]:
    """Return the JSON Schema of the default release's engine YAML and the compact field list."""
    facts = read_yaml(ENGINE / "fields.yaml")
    stale_keys = read_yaml(ENGINE / "stale_keys.yaml")
    schema = json_schema(facts, VERSION)
    compact = {
        "version_order": facts["version_order"],
        "versions": facts["versions"],
        "trtllm_serve_keys": facts["trtllm_serve_keys"],
        "fields": {
            path: {key: value for key, value in field.items() if key not in ONLY_IN_YAML}
            for path, field in facts["fields"].items()
        },
        "stale_keys": stale_keys["keys"],
        "stale_values": stale_keys["values"],
    }
    return {
        ENGINE / f"trtllm-{VERSION}.schema.json": as_json(schema),
        ENGINE / "fields.json": as_json(compact),
    }


def read_yaml(path: Path) -> dict[str, Any]:
    """Return a YAML mapping of the repository."""
    content: dict[str, Any] = yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))
    return content


def as_json(document: object) -> str:
    """Return a document as it is committed: indented, sorted, with a last newline."""
    return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def presence(
    field: Field, version: str, version_order: list[str]
) -> Literal["present", "absent", "undecided"]:
    """Say whether a TensorRT-LLM version has a field, by the four limits of fields.yaml."""
    age = version_order.index
    if "absent_until" in field and age(version) <= age(field["absent_until"]):
        return "absent"
    if "absent_from" in field and age(version) >= age(field["absent_from"]):
        return "absent"
    if "since" in field and age(version) < age(field["since"]):
        return "undecided"
    if "until" in field and age(version) > age(field["until"]):
        return "undecided"
    return "present"


def json_schema(facts: dict[str, Any], version: str) -> Schema:
    """Return the closed JSON Schema (2020-12) of the engine YAML of a version known in full.

    Nothing is required, so that a part of the YAML, such as an overlay, is valid as well. The
    schema has no references: it can be embedded in another one.
    """
    order = facts["version_order"]
    root: Schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Engine YAML of TensorRT-LLM {version}, PyTorch backend",
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }
    for path, field in facts["fields"].items():
        if presence(field, version, order) != "present":
            continue
        *blocks, name = path.split(".")
        parent = root
        for block in blocks:
            parent = parent["properties"][block]
        schema = field_schema(field)
        deprecated = field.get("deprecated")
        if deprecated and presence({"since": deprecated}, version, order) == "present":
            schema["deprecated"] = True
        for spelling in [name, *field.get("aliases", [])]:
            parent["properties"][spelling] = schema
    return root


def field_schema(field: Field) -> Schema:
    """Return the JSON Schema of one field without the fields below it."""
    schema: Schema = {"description": field["summary"]}
    if "default" in field:
        schema["default"] = field["default"]
    if field["type"] == "object":
        return schema
    for alternative in field["type"].split("|"):
        add_type(schema, alternative, is_open=field.get("open", False))
    values = schema.get("items", schema)
    values |= {word: field[key] for key, word in BOUNDS.items() if key in field}
    if "min_items" in field:
        schema["minItems"] = field["min_items"]
    if "enum" in field:
        values["enum"] = list(field["enum"])
    if "enum_ci" in field:
        names = field["enum_ci"]
        values["enum"] = [*names, *map(str.upper, names), *field.get("tolerated_ci", [])]
    if field.get("nullable"):
        schema["type"].append("null")
        if "enum" in schema:
            schema["enum"].append(None)
    if len(schema["type"]) == 1:
        schema["type"] = schema["type"][0]
    return schema


def add_type(schema: Schema, name: str, *, is_open: bool) -> None:
    """Let a schema accept one more type of fields.yaml, such as `list[int]` or `block`."""
    outer, _, inner = name.removesuffix("]").partition("[")
    schema.setdefault("type", []).extend(JSON_TYPES[outer])
    if outer == "list" and inner:
        schema["items"] = element_schema(inner)
    elif outer == "map" and inner:
        key, _, value = inner.partition(",")
        if key == "int":
            schema["propertyNames"] = {"pattern": "^[0-9]+$"}
        schema["additionalProperties"] = element_schema(value)
    elif outer == "block":
        schema["properties"] = {}
        schema["additionalProperties"] = is_open


def element_schema(name: str) -> Schema:
    """Return the schema of what a list or a map holds."""
    schema: Schema = {}
    add_type(schema, name, is_open=False)
    if len(schema["type"]) == 1:
        schema["type"] = schema["type"][0]
    return schema
