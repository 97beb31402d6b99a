"""Derive JSON Schemas for `kubeconform -strict` from the DynamoGraphDeployment resource definition.

The definition says nothing about what has the shape of a pod; here those parts get the core
Kubernetes schemas of the Python package kubernetes-validate. So do the kinds of Kubernetes itself
that come with a deployment, for `gptoss check`.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generate.engine_schema import ROOT, as_json
from gptoss.text import plain_yaml

if TYPE_CHECKING:
    from collections.abc import Collection

CRDS = Path("schema/crds")
KUBERNETES_VERSION = "1.36.0"

Schema = dict[str, Any]

# Parts of spec that are core types, by API version. `*` stands for every element.
CORE_TYPES = {
    "v1alpha1": {
        "envs.*": "EnvVar",
        "services.*.envs.*": "EnvVar",
        "services.*.frontendSidecar.envs.*": "EnvVar",
        "services.*.resources.claims.*": "ResourceClaim",
        "services.*.livenessProbe": "Probe",
        "services.*.readinessProbe": "Probe",
        "services.*.extraPodSpec": "ExtraPodSpec",
    },
    "v1beta1": {
        "env.*": "EnvVar",
        "components.*.podTemplate": "PodTemplateSpec",
    },
}
CORE_GROUPS = ("io.k8s.api.core.v1.", "io.k8s.apimachinery.pkg.")
# Kinds of Kubernetes itself that are checked whole, by the group that defines them.
KINDS = {
    "v1": ("ConfigMap", "PersistentVolumeClaim", "Pod", "Secret", "Service", "ServiceAccount"),
    "apps/v1": ("DaemonSet", "Deployment", "StatefulSet"),
    "autoscaling/v2": ("HorizontalPodAutoscaler",),
    "batch/v1": ("CronJob", "Job"),
    "networking.k8s.io/v1": ("NetworkPolicy",),
    "policy/v1": ("PodDisruptionBudget",),
}
KIND_GROUPS = ("apps.v1.", "autoscaling.v2.", "batch.v1.", "networking.v1.", "policy.v1.")
NO_CONSTRAINT = ("description", "default", "format")


def resource_schema() -> dict[Path, str]:
    """Return the JSON Schema of every served version of DynamoGraphDeployment, and of KINDS."""
    text = (ROOT / CRDS / "dynamographdeployments.yaml").read_text(encoding="utf-8")
    definition = plain_yaml.load(text)
    core = core_definitions()
    schemas = {
        f"dynamographdeployment_{version['name']}": version_schema(definition, version, core)
        for version in definition["spec"]["versions"]
    }
    known = schemas["dynamographdeployment_v1beta1"]["$defs"].keys()
    schemas["kubernetes"] = kinds_schema(core, known)
    return {CRDS / "json" / f"{name}.json": as_json(schema) for name, schema in schemas.items()}


def kinds_schema(core: dict[str, Schema], known: Collection[str]) -> Schema:
    """Return the definitions of KINDS without those that are known already.

    What the cluster writes into `status` is left open.
    """
    kinds = {kind: version for version, names in KINDS.items() for kind in names}
    definitions = {kind: dict(core[kind]) for kind in kinds}
    for kind, definition in definitions.items():
        fields = definition["properties"]
        own = {"apiVersion": {"enum": [kinds[kind]]}, "kind": {"enum": [kind]}, "status": {}}
        definition["properties"] = fields | {name: own[name] for name in own if name in fields}
    used = used_definitions({"kinds": list(definitions.values())}, core)
    definitions |= {name: core[name] for name in used if name not in known}
    others = "what is missing here is in dynamographdeployment_v1beta1.json"
    return {
        "$comment": f"$defs: types of Kubernetes {KUBERNETES_VERSION} (Apache-2.0); {others}",
        "kinds": kinds,
        "$defs": definitions,
    }


def core_definitions() -> dict[str, Schema]:
    """Return the core Kubernetes schemas, constraints only, by their name without the group."""
    package = importlib.util.find_spec("kubernetes_validate")
    if package is None or package.origin is None:
        raise SystemExit("kubernetes-validate is not installed: run `make generate`")
    folder = Path(package.origin).parent / "kubernetes-json-schema"
    path = folder / f"v{KUBERNETES_VERSION}-local-strict" / "_definitions.json"
    definitions = json.loads(path.read_text(encoding="utf-8"))["$defs"]
    groups = (*CORE_GROUPS, *(f"io.k8s.api.{group}" for group in KIND_GROUPS))
    core = {
        name.rpartition(".")[2]: constraints(schema)
        for name, schema in definitions.items()
        if name.startswith(groups)
    }
    return core | relaxed_pod_spec(core)


def relaxed_pod_spec(core: dict[str, Schema]) -> dict[str, Schema]:
    """Return the v1alpha1 operator's pod settings.

    They are a PodSpec that needs no containers, and a mainContainer that needs no name.
    """
    pod_spec, container = dict(core["PodSpec"]), dict(core["Container"])
    del pod_spec["required"], container["required"]
    main_container = {"mainContainer": {"$ref": "#/$defs/MainContainer"}}
    pod_spec["properties"] = pod_spec["properties"] | main_container
    return {"ExtraPodSpec": pod_spec, "MainContainer": container}


def version_schema(definition: Schema, version: Schema, core: dict[str, Schema]) -> Schema:
    """Return the closed schema of one API version, with the core schemas that it refers to."""
    spec, name = definition["spec"], version["name"]
    schema = nullable(constraints(version["schema"]["openAPIV3Schema"]))
    properties = schema["properties"]
    properties["apiVersion"] = {"enum": [f"{spec['group']}/{name}"]}
    properties["kind"] = {"enum": [spec["names"]["kind"]]}
    properties["metadata"] = {"$ref": "#/$defs/ObjectMeta"}
    for path, core_type in CORE_TYPES[name].items():
        *steps, last = path.split(".")
        parent = properties["spec"]
        for step in steps:
            parent = child(parent, step)
        holder = parent["properties"] if last != "*" else parent
        holder["items" if last == "*" else last] = {"$ref": f"#/$defs/{core_type}"}
    schema["required"] = ["apiVersion", "kind", "metadata"]
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["$comment"] = f"$defs: core types of Kubernetes {KUBERNETES_VERSION} (Apache-2.0)"
    schema["title"] = f"{spec['names']['kind']} {spec['group']}/{name}"
    schema["$defs"] = {used: core[used] for used in used_definitions(schema, core)}
    return schema


def nullable(schema: Schema) -> Schema:
    """Return a schema whose fields take null where the API server does.

    It drops a null from a custom resource before it looks further, so only what is required and
    the elements of lists cannot be null.
    """
    result = dict(schema)
    for keyword in ("properties", "additionalProperties", "items"):
        part = schema.get(keyword)
        if not isinstance(part, dict):
            continue
        if keyword == "properties":
            required = schema.get("required", ())
            result[keyword] = {
                name: nullable(field) if name in required else or_null(nullable(field))
                for name, field in part.items()
            }
        else:
            result[keyword] = nullable(part) if keyword == "items" else or_null(nullable(part))
    return result


def or_null(schema: Schema) -> Schema:
    """Return a schema that takes null besides."""
    result = dict(schema)
    if "type" in schema:
        result["type"] = [schema["type"], "null"]
    if "enum" in schema:
        result["enum"] = [*schema["enum"], None]
    if "anyOf" in schema:
        result["anyOf"] = [*schema["anyOf"], {"type": "null"}]
    return result


def child(schema: Schema, step: str) -> Schema:
    """Return the schema of a property, or of every element for `*`."""
    if step != "*":
        found: Schema = schema["properties"][step]
    else:
        found = schema["items"] if "items" in schema else schema["additionalProperties"]
    return found


def constraints(schema: Schema) -> Schema:
    """Return a schema without explanations and extensions, closed where its fields are known."""
    result: Schema = {}
    for keyword, value in schema.items():
        if keyword in NO_CONSTRAINT or keyword.startswith("x-kubernetes-"):
            continue
        if keyword == "properties":
            result[keyword] = {name: constraints(field) for name, field in value.items()}
        elif keyword == "$ref":
            result[keyword] = "#/$defs/" + value.rpartition(".")[2]
        elif isinstance(value, dict):
            result[keyword] = constraints(value)
        elif keyword in ("anyOf", "oneOf"):
            result[keyword] = [constraints(alternative) for alternative in value]
        else:
            result[keyword] = value
    is_open = schema.get("x-kubernetes-preserve-unknown-fields", False)
    if "properties" in schema and "additionalProperties" not in schema and not is_open:
        result["additionalProperties"] = False
    return result


def used_definitions(schema: Schema, core: dict[str, Schema]) -> set[str]:
    """Return the names of all definitions that a schema refers to, directly or not."""
    used: set[str] = set()
    waiting = references(schema)
    while waiting:
        name = waiting.pop()
        if name not in used:
            used.add(name)
            waiting |= references(core[name])
    return used


def references(schema: object) -> set[str]:
    """Return the names of the definitions that a schema refers to directly."""
    if isinstance(schema, dict):
        found = {value.rpartition("/")[2] for key, value in schema.items() if key == "$ref"}
        return found.union(*map(references, schema.values()))
    if isinstance(schema, list):
        return set().union(*map(references, schema))
    return set()
