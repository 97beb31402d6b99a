"""Fields that the API server does not know, or whose value it refuses.

The schemas are those of ``schema/crds/json``: the resource's own fields, and the kinds that come
with it as Kubernetes 1.36.0 defines them. They use a small part of JSON Schema, and so does this
reader.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from gptoss.deployment.model import Problem
from gptoss.sources.kubernetes.graph import KIND
from gptoss.sources.parts.reading import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gptoss.facts.world import Facts
    from gptoss.text.yaml_tree import Tree

Schema = dict[str, Any]

TYPES: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "string": ("a string", lambda value: isinstance(value, str | date)),
    "boolean": ("true or false", lambda value: isinstance(value, bool)),
    "integer": ("a whole number", lambda value: _is_number(value) and float(value).is_integer()),
    "number": ("a number", lambda value: _is_number(value)),
    "object": ("a map", lambda value: isinstance(value, dict)),
    "array": ("a list", lambda value: isinstance(value, list)),
}
JSON_TYPES = {str: "string", bool: "boolean", int: "integer", dict: "object", list: "array"}
SCALARS = {str, bool, int}
LENGTHS = {"minLength": "at least", "maxLength": "at most", "maxItems": "at most"}
LIMITS = {"enum", "maximum", "minimum", "pattern", *LENGTHS}


def field_problems(tree: Tree, facts: Facts) -> Iterator[Problem]:
    """What is wrong with the fields of a DynamoGraphDeployment or an object of Kubernetes itself.

    Of any other object only the metadata is judged. Problems have the kinds ``field-unknown`` and
    ``field-refused``.
    """
    kind, version = tree.text("kind") or "", tree.text("apiVersion")
    if kind == KIND:
        schema = facts.resource_schema((version or "").rpartition("/")[2])
        yield from _Fields(schema).problems(tree, schema, "")
        return
    schema = facts.kubernetes_schema
    yield from _type_problems(tree, schema["kinds"])
    fields, definitions = _Fields(schema), schema["$defs"]
    if version is not None and schema["kinds"].get(kind) == version:
        yield from fields.problems(tree, definitions[kind], "")
    elif metadata := tree.at("metadata"):
        yield from fields.problems(metadata, definitions["ObjectMeta"], "metadata")


def _type_problems(tree: Tree, versions: dict[str, str]) -> Iterator[Problem]:
    """What is wrong with ``apiVersion`` and ``kind`` of an object of Kubernetes itself."""
    if tree.at("metadata") is None:
        return
    kind, version = tree.text("kind"), tree.text("apiVersion")
    for name, value in (("kind", kind), ("apiVersion", version)):
        if value is None:
            where = tree.at(name) or tree
            yield Problem("field-refused", f"the object needs {name}, a string", where.where)
    if kind is None or version is None or _is_foreign(version, versions):
        return
    expected = versions.get(kind, version)
    named = tree.at("kind") or tree
    if version != expected:
        yield Problem("field-refused", f"{kind} is of {expected}, not of {version}", named.where)
    if kind in versions:
        return
    same_group = {name.lower(): name for name, of in versions.items() if of == version}
    nearest = difflib.get_close_matches(kind.lower(), same_group, 1, cutoff=0.8)
    if nearest:
        message = f"{version} has no {kind}; did you mean {same_group[nearest[0]]}?"
        yield Problem("field-refused", message, named.where)


def _is_foreign(version: str, versions: dict[str, str]) -> bool:
    """Whether an API group is not one of Kubernetes itself: others may have a Job or a Service."""
    group = version.rpartition("/")[0]
    return "." in group and all(known.rpartition("/")[0] != group for known in versions.values())


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
        items = schema.get("items", {})
        for number, element in enumerate(tree.elements()):
            if not _is_done(element, items):
                yield from self._element(element, items, f"{path}[{number}]")

    def _element(self, tree: Tree, schema: Schema, path: str) -> Iterator[Problem]:
        if tree.value is None and _types(schema) and "null" not in schema["type"]:
            kind = TYPES[_types(schema)[0]][0]
            yield Problem("field-refused", f"{path} must be {kind}, not nothing", tree.where)
        else:
            yield from self.problems(tree, schema, path)

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
            elif not _is_done(value, field):
                yield from self.problems(value, field, f"{path}.{name}" if path else name)


def _types(schema: Schema) -> list[str]:
    kinds = schema.get("type", [])
    return [kind for kind in ([kinds] if isinstance(kinds, str) else kinds) if kind != "null"]


def _is_done(tree: Tree, schema: Schema) -> bool:
    """Whether there is nothing to find: a scalar that is plainly right."""
    return type(tree.value) in SCALARS and _is_plainly_right(tree.value, schema)


def _is_plainly_right(value: Any, schema: Schema) -> bool:
    """Whether a value has the type asked for and no limits to keep: true of most."""
    written = JSON_TYPES.get(type(value), "nothing of JSON")
    return written in schema.get("type", ()) and (len(schema) == 1 or LIMITS.isdisjoint(schema))


def _refusal(value: Any, schema: Schema) -> str | None:
    """What a value must be, or None when it is."""
    alternatives = schema.get("oneOf") or schema.get("anyOf") or [schema]
    kinds = [kind for part in alternatives for kind in _types(part)]
    if kinds and not any(TYPES[kind][1](value) for kind in kinds):
        return " or ".join(TYPES[kind][0] for kind in kinds)
    if "enum" in schema and value not in schema["enum"]:
        return " or ".join(str(value) for value in schema["enum"] if value is not None)
    if _is_number(value) and value < schema.get("minimum", value):
        return f"at least {schema['minimum']}"
    if _is_number(value) and value > schema.get("maximum", value):
        return f"at most {schema['maximum']}"
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        return f"as in {schema['pattern']}"
    for name, words in LENGTHS.items():
        if isinstance(value, str | list) and _is_beyond(len(value), name, schema):
            unit = "element" if isinstance(value, list) else "character"
            return f"{words} {schema[name]} {unit}{'s' * (schema[name] != 1)} long"
    return None


def _is_beyond(length: int, name: str, schema: Schema) -> bool:
    limit = schema.get(name, length)
    return bool(length < limit if name.startswith("min") else length > limit)


def _unknown(name: str, path: str, known: Schema) -> str:
    nearest = difflib.get_close_matches(name, known, 1, cutoff=0.7)
    hint = f"; did you mean {nearest[0]}?" if nearest else ""
    return f"{path or 'the object'} has no field {name}{hint}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
