"""Fields that the API server does not know, or whose value it refuses.

The schemas are those of ``schema/crds/json``: the resource's own fields, and pods as Kubernetes
1.36.0 defines them. They use a small part of JSON Schema, and so does this reader.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from gptoss.model import Problem
from gptoss.sources.graph import KIND, V1BETA1
from gptoss.sources.reading import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gptoss.facts import Facts
    from gptoss.yaml_tree import Tree

Schema = dict[str, Any]

VERSIONS = {"ConfigMap": "v1", "Job": "batch/v1", "PersistentVolumeClaim": "v1"}
WITH_POD_TEMPLATE = ("DaemonSet", "Deployment", "Job", "StatefulSet")
TYPES: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "string": ("a string", lambda value: isinstance(value, str | date)),
    "boolean": ("true or false", lambda value: isinstance(value, bool)),
    "integer": ("a whole number", lambda value: _is_number(value) and float(value).is_integer()),
    "number": ("a number", lambda value: _is_number(value)),
    "object": ("a map", lambda value: isinstance(value, dict)),
    "array": ("a list", lambda value: isinstance(value, list)),
}
JSON_TYPES = {str: "string", bool: "boolean", int: "integer", dict: "object", list: "array"}
LIMITS = {"enum", "maximum", "minimum", "pattern"}


def field_problems(tree: Tree, facts: Facts) -> Iterator[Problem]:
    """What is wrong with the fields of a DynamoGraphDeployment, or of metadata and pod of others.

    Problems have the kinds ``field-unknown`` and ``field-refused``.
    """
    if tree.text("kind") == KIND:
        version = (tree.text("apiVersion") or "").rpartition("/")[2]
        schema = facts.resource_schema(version)
        yield from _Fields(schema).problems(tree, schema, "")
        return
    yield from _type_problems(tree)
    schema = facts.resource_schema(V1BETA1.rpartition("/")[2])
    parts = {"metadata": "ObjectMeta"}
    if tree.text("kind") in WITH_POD_TEMPLATE:
        parts["spec.template"] = "PodTemplateSpec"
    for path, definition in parts.items():
        part = tree.at(*path.split("."))
        if part is not None:
            yield from _Fields(schema).problems(part, schema["$defs"][definition], path)


def _type_problems(tree: Tree) -> Iterator[Problem]:
    """What is wrong with ``apiVersion`` and ``kind`` of an object of Kubernetes itself."""
    if tree.at("metadata") is None:
        return
    kind, version = tree.text("kind"), tree.text("apiVersion")
    for name, value in (("kind", kind), ("apiVersion", version)):
        if value is None:
            where = tree.at(name) or tree
            yield Problem("field-refused", f"the object needs {name}, a string", where.where)
    expected = VERSIONS.get(kind or "", version)
    nearest = difflib.get_close_matches(kind or "", VERSIONS, 1, cutoff=0.8)
    named = tree.at("kind") or tree
    if version != expected and version is not None:
        yield Problem("field-refused", f"{kind} is of {expected}, not of {version}", named.where)
    elif nearest and nearest[0] != kind and VERSIONS[nearest[0]] == version:
        message = f"{version} has no {kind}; did you mean {nearest[0]}?"
        yield Problem("field-refused", message, named.where)


@dataclass(frozen=True, slots=True)
class _Fields:
    """A schema document; parts of it refer to its definitions."""

    root: Schema

    def problems(self, tree: Tree, schema: Schema, path: str) -> Iterator[Problem]:
        if "$ref" in schema:
            schema = self.root["$defs"][schema["$ref"].rpartition("/")[2]]
        if tree.value is None:
            return  # the API server drops it
        reason = None if _is_plainly_right(tree.value, schema) else _refusal(tree.value, schema)
        if reason:
            yield Problem(
                "field-refused", f"{path} must be {reason}, not {shown(tree)}", tree.where
            )
            return
        if tree.is_map:
            yield from self._map(tree, schema, path)
        for number, element in enumerate(tree.elements()):
            yield from self.problems(element, schema.get("items", {}), f"{path}[{number}]")

    def _map(self, tree: Tree, schema: Schema, path: str) -> Iterator[Problem]:
        known, others = schema.get("properties", {}), schema.get("additionalProperties", {})
        for name in schema.get("required", ()):
            found = tree.at(name)
            if found is None or found.value is None:
                yield Problem("field-refused", f"{path or 'the object'} needs {name}", tree.where)
        for name, value in tree.items():
            field = known.get(name, others)
            if field is False:
                yield Problem("field-unknown", _unknown(name, path, known), value.where)
            elif value.is_container or not _is_plainly_right(value.value, field):
                yield from self.problems(value, field, f"{path}.{name}" if path else name)


def _types(schema: Schema) -> list[str]:
    kinds = schema.get("type", [])
    return [kinds] if isinstance(kinds, str) else [kind for kind in kinds if kind != "null"]


def _is_plainly_right(value: Any, schema: Schema) -> bool:
    """Whether a value has the type asked for and no limits to keep: true of most."""
    written = JSON_TYPES.get(type(value), "nothing of JSON")
    return written in schema.get("type", ()) and LIMITS.isdisjoint(schema)


def _refusal(value: Any, schema: Schema) -> str | None:
    """What a value must be, or None when it is."""
    alternatives = schema.get("oneOf") or schema.get("anyOf") or [schema]
    kinds = [kind for part in alternatives for kind in _types(part)]
    if kinds and not any(TYPES[kind][1](value) for kind in kinds):
        return " or ".join(TYPES[kind][0] for kind in kinds)
    if "enum" in schema and value not in schema["enum"]:
        return " or ".join(map(str, schema["enum"]))
    if _is_number(value) and value < schema.get("minimum", value):
        return f"at least {schema['minimum']}"
    if _is_number(value) and value > schema.get("maximum", value):
        return f"at most {schema['maximum']}"
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        return f"as in {schema['pattern']}"
    return None


def _unknown(name: str, path: str, known: Schema) -> str:
    nearest = difflib.get_close_matches(name, known, 1, cutoff=0.7)
    hint = f"; did you mean {nearest[0]}?" if nearest else ""
    return f"{path or 'the object'} has no field {name}{hint}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
