"""Do the resource definitions of the cluster know every field that is written?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gptoss.cluster.preflight.answer import Answer, Status
from gptoss.cluster.preflight.platform_versions import PROVIDERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gptoss.cluster.live_cluster import Cluster
    from gptoss.cluster.wanted import Wanted

REFERENCE = "#/components/schemas/"
OPEN = "x-kubernetes-preserve-unknown-fields"
# The API server checks these itself, in every kind.
COMMON = ("apiVersion", "kind", "metadata")


def fields(cluster: Cluster, wanted: Wanted) -> Iterator[Answer]:
    """Whether custom resources have only fields that the installed definitions know.

    An older operator brings older definitions. Kubernetes' own kinds go by its version alone.
    """
    for thing in wanted.objects:
        api_version, kind = thing["apiVersion"], thing["kind"]
        group = api_version.rpartition("/")[0]
        if "." not in group or group.endswith(".k8s.io"):
            continue
        document = cluster.ask(f"/openapi/v3/apis/{api_version}") or {}
        schemas: Mapping[str, Any] = (document.get("components") or {}).get("schemas") or {}
        named = [schemas[name] for name in schemas if name.endswith(f".{kind}")]
        schema: Mapping[str, Any] = named[0] if named else {}
        unknown = list(_unknown(thing, schema, schemas))
        if unknown:
            more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
            says = (
                f"the installed definition of {kind} does not know {unknown[0]}{more}: Helm 4 and "
                "Argo CD are refused, and Helm 3 drops it"
            )
            do = f"upgrade {PROVIDERS.get(group, f'what defines {group}')}, or leave the field out"
            yield Answer("definitions", Status.ERROR, says, do)


def _unknown(
    value: Any, schema: Mapping[str, Any], schemas: Mapping[str, Any], path: str = ""
) -> Iterator[str]:
    """Paths of fields that a schema does not know."""
    for part in schema.get("allOf") or []:
        schema = {**part, **schema}
    if reference := schema.get("$ref"):
        schema = schemas.get(str(reference).removeprefix(REFERENCE), {})
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from _unknown(item, schema.get("items") or {}, schemas, f"{path}[{number}]")
    if not isinstance(value, dict) or schema.get(OPEN):
        return
    known, others = schema.get("properties"), schema.get("additionalProperties")
    for name, item in value.items():
        below = f"{path}.{name}" if path else name
        if not path and name in COMMON:
            continue
        if known and name in known:
            yield from _unknown(item, known[name], schemas, below)
        elif isinstance(others, dict):
            yield from _unknown(item, others, schemas, below)
        elif known and not others:
            yield below
