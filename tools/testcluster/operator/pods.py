"""A component's pod: defaults by type, and what the graph says over them.

Source: ai-dynamo/dynamo deploy/operator/internal/dynamo/graph.go, 1.2 to 1.5.
"""

from __future__ import annotations

from typing import Any

from testcluster.operator import worker_hash
from testcluster.operator.component_conversion import MAIN, OFF
from testcluster.operator.component_defaults import (
    container,
    dynamo_namespace,
    environment,
    runtime_version,
)

GRAPH = "nvidia.com/dynamo-graph-deployment-name"
SELECTOR = "nvidia.com/selector"
METRICS = "nvidia.com/enable-metrics"
DISCOVERY = {
    "nvidia.com/dynamo-discovery-backend": "kubernetes",
    "nvidia.com/dynamo-discovery-enabled": "true",
}
MEMORY, MEMORY_PLACE, MEMORY_SIZE = "shared-memory", "/dev/shm", "8Gi"  # noqa: S108 (a mount)
GRACE_SECONDS, GROUP_OF_FILES = 60, 1000

Part = dict[str, Any]


def template(graph: Part, component: Part, name: str, suffix: str) -> Part:
    """The pods' template.

    Args:
        graph: A graph of v1beta1.
        component: One of its components.
        name: Of what makes the pods.
        suffix: The workers' hash; empty for what is not rolled by it.
    """
    given = component.get("podTemplate") or {}
    own = given.get("metadata") or {}
    shared = graph["spec"]
    labels = {**(shared.get("labels") or {}), **(own.get("labels") or {})}
    labels |= {SELECTOR: name, **component_labels(graph, component), **DISCOVERY}
    if (graph["metadata"].get("annotations") or {}).get(METRICS) != "false":
        labels["nvidia.com/metrics-enabled"] = "true"
    labels |= {worker_hash.LABEL: suffix} if suffix else {}
    annotations = {**(shared.get("annotations") or {}), **(own.get("annotations") or {})}
    metadata = {"labels": labels} | ({"annotations": annotations} if annotations else {})
    return {"metadata": metadata, "spec": _spec(graph, component, suffix)}


def component_labels(graph: Part, component: Part) -> dict[str, str]:
    """The labels by which a component's pods are found."""
    meta = graph["metadata"]
    return {
        GRAPH: meta["name"],
        "nvidia.com/dynamo-component": component["name"],
        "nvidia.com/dynamo-component-type": component.get("type", ""),
        "nvidia.com/dynamo-namespace": dynamo_namespace(meta),
    }


def account(graph: Part) -> str:
    """The service account of pods that name none."""
    return f"{graph['metadata']['name']}-k8s-service-discovery"


def _spec(graph: Part, component: Part, suffix: str) -> Part:
    given = (component.get("podTemplate") or {}).get("spec") or {}
    containers = given.get("containers") or []
    mine: Part = next((one for one in containers if one["name"] == MAIN), {"name": MAIN})
    others = [one for one in containers if one["name"] != MAIN]
    kind, version = component.get("type", ""), runtime_version(component)
    main = {**container(kind, version), **mine}
    main["env"] = _merged_environment(
        environment(graph["metadata"], kind, version, suffix),
        graph["spec"].get("env") or [],
        mine.get("env") or [],
    )
    spec: Part = {
        "terminationGracePeriodSeconds": GRACE_SECONDS,
        "restartPolicy": "Always",
        "serviceAccountName": account(graph),
        "securityContext": {"fsGroup": GROUP_OF_FILES},
        **given,
    }
    _share_memory(spec, main, component.get("sharedMemorySize", MEMORY_SIZE))
    cache = component.get("compilationCache")
    if cache and cache.get("mountPath"):
        _mount_cache(spec, main, cache)
    return spec | {"containers": [*others, main]}


def _merged_environment(*weaker_first: list[Part]) -> list[Part]:
    merged = {variable["name"]: variable for each in weaker_first for variable in each}
    return [merged[name] for name in sorted(merged)]


def _share_memory(spec: Part, main: Part, size: Any) -> None:
    volumes = [one for one in spec.get("volumes") or [] if one["name"] != MEMORY]
    mounts = [m for m in main.get("volumeMounts") or [] if m["mountPath"] != MEMORY_PLACE]
    if str(size) != OFF:
        volumes.append({"name": MEMORY, "emptyDir": {"medium": "Memory", "sizeLimit": size}})
        mounts.append({"name": MEMORY, "mountPath": MEMORY_PLACE})
    spec["volumes"], main["volumeMounts"] = volumes, mounts


def _mount_cache(spec: Part, main: Part, cache: Part) -> None:
    name = cache["pvcName"]
    if name not in [volume["name"] for volume in spec["volumes"]]:
        claim = {"name": name, "persistentVolumeClaim": {"claimName": name}}
        spec["volumes"] = [*spec["volumes"], claim]
    mount = {"name": name, "mountPath": cache["mountPath"]}
    main["volumeMounts"] = [*main["volumeMounts"], mount]
