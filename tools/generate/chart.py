"""The chart's generated files: values schema, facts, and the values reference in its README."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generate.cli_schema import CLI, PROGRAM, flags_at
from generate.engine_off import with_off
from generate.engine_schema import compact_facts, json_schema, shipped, union_schema
from gptoss.facts import folders
from gptoss.facts.world import Facts
from gptoss.text import plain_yaml
from gptoss.values.contract import Values

if TYPE_CHECKING:
    from gptoss.facts.engine_keys import EngineSchema

ROOT = Path(__file__).resolve().parents[2]
CHART = Path("charts/gpt-oss")
# What templates do not read of a GPU.
UNREAD_OF_GPU = ("sm", "memory", "nodeCpu", "nodeMemory", "nodeDisk")
RELEASE_KEYS = (
    "trtllm",
    "apiVersions",
    "aggregatedMode",
    "kvEventsFlag",
    "metricsFlag",
    "repeatedSizes",
    "enforceDisagg",
    "routerModes",
    "selfHostMetadata",
    "frontendWaits",
    "strictTags",
)


def values_schema() -> dict[Path, str]:
    """``values.schema.json``: the values model with the engine schema of the chosen release.

    The default release and those that were read in full have a schema each; the others share one
    that takes what any of them may take. A release newer than the sources that were read takes any
    map: what is merely unknown is for `gptoss check` to warn about.
    """
    schema = _without_titles(Values.model_json_schema())
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    # Definitions last: a reference that allows null has marked them by then, one of another
    # definition too.
    definitions = schema.pop("$defs")
    _collapsed(definitions, definitions)
    schema = _collapsed(_without_engine(schema), definitions)
    schema["$defs"] = _collapsed(_without_engine(definitions), definitions)
    # A worker of an overlay, or laid over a target, has no role; the chart refuses one without.
    del schema["$defs"]["Worker"]["required"]
    return {
        CHART / "values.schema.json": json.dumps(
            schema | _engine_by_release(schema["$defs"]), indent=0, ensure_ascii=False
        )
        + "\n"
    }


def _engine_by_release(definitions: dict[str, Any]) -> dict[str, Any]:
    """The conditions that give an engine the schema of its release; adds to the definitions."""
    releases = _load("schema/releases.yaml")
    default = releases["default"]
    by_version = {schema.version: schema for schema in shipped(compact_facts())}
    known = {name: by_version[facts["trtllm"]] for name, facts in releases["releases"].items()}
    definitions["Engine"] = _engine(known[default])
    definitions["EngineOfAnyRelease"] = with_off(union_schema(list(by_version.values())))
    newer = [name for name, schema in known.items() if schema.may_have_more]
    chosen = {"if": _release_is({"enum": newer}), "else": _engine_is("EngineOfAnyRelease")}
    for name, schema in known.items():
        if schema.is_exact and name != default:
            definitions[f"EngineOf{name}"] = _engine(schema)
            own = {"if": _release_is({"const": name}), "then": _engine_is(f"EngineOf{name}")}
            chosen = {**own, "else": chosen}
    # First, for a file that names no release runs on this one.
    first = {"if": _release_is({"const": default}), "then": _engine_is("Engine")}
    return {**first, "else": chosen}


def _engine(of: EngineSchema) -> dict[str, Any]:
    schema = json_schema(of)
    kept = {key: schema[key] for key in schema if key not in ("$schema", "title")}
    return {key: with_off(value) for key, value in kept.items()}


def _release_is(condition: dict[str, Any]) -> dict[str, Any]:
    return {"properties": {"runtime": {"properties": {"release": condition}}}}


def _engine_is(definition: str) -> dict[str, Any]:
    engine = {"properties": {"engine": {"$ref": f"#/$defs/{definition}"}}}
    return {"properties": {"workers": {"additionalProperties": engine}}}


def chart_facts() -> dict[Path, str]:
    """``files/facts.json``: what templates need to know of ``schema/`` and ``values/``."""
    releases, served = _load("schema/releases.yaml"), _load(f"{CLI}/{PROGRAM}.yaml")
    model = _load("schema/models/gpt-oss-120b.yaml")
    hardware = _load("schema/hardware.yaml")
    targets = {
        name: plain_yaml.load(path.read_text(encoding="utf-8"))["description"]
        for name, path in folders.target_files().items()
    }
    facts = {
        "image": releases["image"],
        "serveImage": releases["serveImage"],
        "releases": {
            version: {key: facts[key] for key in RELEASE_KEYS if key in facts}
            | {"servedModelName": _names_models(served, facts["trtllm"])}
            for version, facts in releases["releases"].items()
        },
        "gpus": {
            key: {name: value for name, value in gpu.items() if name not in UNREAD_OF_GPU}
            for key, gpu in hardware["gpus"].items()
        },
        "known": _known(),
        "vocabulary": {"sha256": model["harmonyVocabulary"]["sha256"]},
        "targets": targets,
    }
    return {CHART / "files/facts.json": json.dumps(facts, indent=1) + "\n"}


def _known() -> list[dict[str, Any]]:
    """What is known to be wrong, with the releases in which it is."""
    facts = Facts()
    return [
        {
            "id": known.id,
            "what": known.what,
            "broken": [version for version, r in facts.releases.items() if known.is_in(r)],
            "right": known.right or None,
        }
        for known in facts.known.values()
    ]


def _names_models(served: dict[str, Any], version: str) -> bool:
    """Whether trtllm-serve of a TensorRT-LLM version is known to have --served_model_name."""
    flag = flags_at(served, version).get("--served_model_name")
    return flag is not None and not flag.get("inferred")


def _without_titles(node: Any) -> Any:
    """The schema without pydantic's titles; properties that are called title stay."""
    if isinstance(node, dict):
        titled = isinstance(node.get("title"), str)
        return {
            key: _without_titles(value)
            for key, value in node.items()
            if not (key == "title" and titled)
        }
    return [_without_titles(item) for item in node] if isinstance(node, list) else node


def _collapsed(node: Any, definitions: dict[str, Any]) -> Any:
    """The schema with null among the types instead of in an alternative.

    Helm reports every alternative that fails; one that only says null hides the real mistake.
    """
    if isinstance(node, list):
        return [_collapsed(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    node = {key: _collapsed(value, definitions) for key, value in node.items()}
    options = node.get("anyOf", [])
    if {"type": "null"} not in options or len(options) != 2:
        return node
    (option,) = (option for option in options if option != {"type": "null"})
    rest = {key: value for key, value in node.items() if key != "anyOf"}
    if "$ref" in option:
        _allow_null(definitions[option["$ref"].rsplit("/", 1)[1]])
        return {**rest, **option}
    return {**rest, **_allow_null(dict(option))}


def _allow_null(schema: dict[str, Any]) -> dict[str, Any]:
    if "enum" in schema and None not in schema["enum"]:
        schema["enum"] = [*schema["enum"], None]
    if "type" in schema and "null" not in schema["type"]:
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        schema["type"] = [*kinds, "null"]
    return schema


def _without_engine(node: Any) -> Any:
    """The schema with every engine marker replaced by any map."""
    if isinstance(node, dict):
        replaced = {key: _without_engine(value) for key, value in node.items()}
        if replaced.pop("x-engine", False):
            replaced["type"] = "object"
        return replaced
    return [_without_engine(item) for item in node] if isinstance(node, list) else node


def _load(path: str) -> dict[str, Any]:
    loaded: dict[str, Any] = plain_yaml.load((ROOT / path).read_text(encoding="utf-8"))
    return loaded
