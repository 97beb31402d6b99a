"""Derive the engine schema's JSON forms from schema/engine/fields.yaml."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gptoss.facts.engine_keys import EngineSchema, Life, either
from gptoss.facts.versions import trtllm_number
from gptoss.text import plain_yaml

ROOT = Path(__file__).resolve().parents[2]
ENGINE = Path("schema/engine")

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

LIMITS = ("absent_until", "since", "until", "absent_from", "deprecated")

Field = dict[str, Any]
Schema = dict[str, Any]


def engine_schema() -> dict[Path, str]:
    """Return a JSON Schema of the engine YAML for each release, and the compact field list."""
    compact = compact_facts()
    schemas = {schema.version: json_schema(schema) for schema in shipped(compact)}
    return {
        ENGINE / "fields.json": as_json(compact),
        **{
            ENGINE / f"trtllm-{version}.schema.json": as_json(schema)
            for version, schema in schemas.items()
        },
    }


def compact_facts() -> dict[str, Any]:
    """Return what the checker needs of the files to edit."""
    beyond_fields = read_yaml(ENGINE / "validators.yaml")
    validators, merge = beyond_fields["validators"], beyond_fields["merge"]
    facts = read_yaml(ENGINE / "fields.yaml")
    stale_keys = read_yaml(ENGINE / "stale_keys.yaml")
    return {
        "oldest": min(_versions_named(facts), key=trtllm_number),
        "versions": {version: {"basis": basis} for version, basis in facts["versions"].items()}
        | {version: {"may_have_more": True} for version in _newer(facts["known_until"])},
        "bracket": facts["bracket"],
        "trtllm_serve_keys": facts["trtllm_serve_keys"],
        "fields": {
            path: {key: value for key, value in field.items() if key not in ONLY_IN_YAML}
            for path, field in facts["fields"].items()
        },
        "validators": {name: each["read"] for name, each in validators.items()},
        "merge": {key: merge[key] for key in ("object_blocks", "sizes", "order")},
        "stale_keys": stale_keys["keys"],
        "stale_values": stale_keys["values"],
    }


def _versions_named(facts: dict[str, Any]) -> set[str]:
    """The versions that fields' lives name."""
    entries = [e for f in facts["fields"].values() for e in (f, *f.get("changes", ()))]
    return {entry[limit] for entry in entries for limit in LIMITS if limit in entry}


def _newer(known_until: str) -> list[str]:
    last = trtllm_number(known_until)
    return [version for version in versions_shipped() if trtllm_number(version) > last]


def versions_shipped() -> list[str]:
    """The TensorRT-LLM versions that Dynamo releases ship."""
    releases = read_yaml(Path("schema/releases.yaml"))["releases"].values()
    return [release["trtllm"] for release in releases]


def shipped(compact: dict[str, Any]) -> list[EngineSchema]:
    """Return what is known of each TensorRT-LLM version that a Dynamo release ships."""
    return [EngineSchema(version, compact) for version in versions_shipped()]


def read_yaml(path: Path) -> dict[str, Any]:
    """Return a YAML mapping of the repository."""
    content: dict[str, Any] = plain_yaml.load((ROOT / path).read_text(encoding="utf-8"))
    return content


def as_json(document: object) -> str:
    """Return a document as it is committed: indented, sorted, with a last newline."""
    return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def json_schema(version: EngineSchema) -> Schema:
    """Return the JSON Schema (2020-12) of the engine YAML of one version.

    Nothing is required, so that a part of the YAML, such as an overlay, is valid as well. The
    schema has no references: it can be embedded in another one. A field that is not certain is
    allowed, and said to be so; a version newer than the sources takes unknown keys too.
    """
    fields = {}
    for path, field in version.facts["fields"].items():
        life = version.life(field)
        if life is Life.ABSENT:
            continue
        lifetime = f"{field['summary']}. TensorRT-LLM {version.lifetime(field)}."
        doubt = f" Not certain for {version.version}." if life is Life.UNDECIDED else ""
        reading = version.reading(field)
        fields[path] = {**reading, "summary": lifetime + doubt}
        if not version.is_deprecated(field):
            fields[path].pop("deprecated", None)
    basis = "" if version.is_exact else " (in part inferred)"
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Engine YAML of TensorRT-LLM {version.version}, PyTorch backend{basis}",
        **block_schema(fields, is_open=version.may_have_more),
    }


def union_schema(versions: list[EngineSchema]) -> Schema:
    """Return a closed schema of what any of the versions may take, without descriptions."""
    fields: dict[str, Field] = {}
    for version in versions:
        for path, field in version.facts["fields"].items():
            if version.life(field) is Life.ABSENT:
                continue
            reading = version.reading(field)
            fields[path] = either(fields[path], reading) if path in fields else reading
    for path, field in fields.items():
        kept = ("summary", "default", "deprecated")
        fields[path] = {key: value for key, value in field.items() if key not in kept}
    return block_schema(dict(sorted(fields.items())), is_open=False)


def block_schema(fields: dict[str, Field], *, is_open: bool) -> Schema:
    """Return the schema of a map with these fields by dotted path, blocks before their fields."""
    root: Schema = {"type": "object", "properties": {}, "additionalProperties": is_open}
    for path, field in fields.items():
        *blocks, name = path.split(".")
        parent = root
        for block in blocks:
            parent = parent["properties"][block]
        schema = field_schema({**field, "open": field.get("open", False) or is_open})
        for spelling in [name, *field.get("aliases", [])]:
            parent["properties"][spelling] = schema
    return root


def field_schema(field: Field) -> Schema:
    """Return the JSON Schema of one field without the fields below it."""
    schema: Schema = {}
    if "summary" in field:
        schema["description"] = field["summary"]
    if "default" in field:
        schema["default"] = field["default"]
    if "deprecated" in field:
        schema["deprecated"] = True
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
    schema["type"] = list(dict.fromkeys(schema["type"]))
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
