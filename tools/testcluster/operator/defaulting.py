"""What the operator's webhook fills in.

Source: ai-dynamo/dynamo deploy/operator/internal/webhook/defaulting
/dynamographdeployment_handler.go @44abc30.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from testcluster.operator.releases import Release

ORIGIN = "nvidia.com/dynamo-operator-origin-version"

Patch = list[dict[str, Any]]


def patch(graph: dict[str, Any], release: Release, *, is_new: bool) -> Patch:
    """A JSON patch: one replica where none is said, and who was there when the graph was made."""
    spec = graph.get("spec") or {}
    found: Patch = []
    for name, service in (spec.get("services") or {}).items():
        if service is not None and service.get("replicas") is None:
            found.append(_add(f"/spec/services/{_escaped(name)}/replicas", 1))
    for number, component in enumerate(spec.get("components") or []):
        if component.get("replicas") is None:
            found.append(_add(f"/spec/components/{number}/replicas", 1))
    annotations = graph["metadata"].get("annotations")
    if is_new and ORIGIN not in (annotations or {}):
        if annotations is None:
            found.append(_add("/metadata/annotations", {}))
        found.append(_add(f"/metadata/annotations/{_escaped(ORIGIN)}", release.version))
    return found


def _add(path: str, value: Any) -> dict[str, Any]:
    return {"op": "add", "path": path, "value": value}


def _escaped(word: str) -> str:
    return word.replace("~", "~0").replace("/", "~1")
