"""Pods with the requests and limits that a namespace's limit ranges fill in.

Source: k8s.io/kubernetes v1.36.3 plugin/pkg/admission/limitranger/admission.go (mergePodLimitReq…).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gptoss.cluster.live_cluster import Object
    from gptoss.cluster.pod_sets import PodSet


def with_defaults(pods: Iterable[PodSet], ranges: Iterable[Object]) -> list[PodSet]:
    """The same pods; what containers leave out is as the API server and limit ranges set it."""
    items = [i for each in ranges for i in each["spec"]["limits"] if i["type"] == "Container"]
    limits = {k: v for item in items for k, v in (item.get("default") or {}).items()}
    asked = {k: v for item in items for k, v in (item.get("defaultRequest") or {}).items()}
    return [replace(each, spec=_filled(each.spec, asked, limits)) for each in pods]


def _filled(spec: dict[str, Any], asked: dict[str, Any], limits: dict[str, Any]) -> dict[str, Any]:
    filled = dict(spec)
    for field in ("initContainers", "containers"):
        filled[field] = [_container(each, asked, limits) for each in spec.get(field) or []]
    return filled


def _container(
    container: dict[str, Any], asked: dict[str, Any], limits: dict[str, Any]
) -> dict[str, Any]:
    resources = container.get("resources") or {}
    written = resources.get("limits") or {}
    own = {**written, **(resources.get("requests") or {})}
    return {
        **container,
        "resources": {"requests": {**asked, **own}, "limits": {**limits, **written}},
    }
