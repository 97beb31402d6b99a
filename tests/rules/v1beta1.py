"""Writes a graph of ``v1alpha1`` in ``v1beta1``."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

# Fields of a component that both versions call the same.
KEPT = (
    "eppConfig",
    "minAvailable",
    "multinode",
    "replicas",
    "runtimeVersionOverride",
    "topologyConstraint",
)


def as_v1beta1(graph: dict[str, Any]) -> dict[str, Any]:
    """The same graph, written in ``v1beta1``."""
    components = []
    for name, service in graph["spec"]["services"].items():
        pod = deepcopy(service.get("extraPodSpec", {}))
        container = {"name": "main", **pod.pop("mainContainer", {})}
        resources = dict(service.get("resources", {}))
        claims = container.get("resources", {}).get("claims", [])
        claims += resources.pop("claims", [])
        container["resources"] = {
            kind: {
                ("nvidia.com/gpu" if k == "gpu" else k): v
                for k, v in {**amounts, **amounts.get("custom", {})}.items()
                if k != "custom"
            }
            for kind, amounts in resources.items()
        } | ({"claims": claims} if claims else {})
        component: dict[str, Any] = {
            "name": name.lower(),
            "type": _type(service),
            "podTemplate": {
                "metadata": service.get("extraPodMetadata", {}),
                "spec": {**pod, "containers": [container]},
            },
        }
        component |= {key: service[key] for key in KEPT if key in service}
        if memory := service.get("sharedMemory"):
            component["sharedMemorySize"] = "0" if memory.get("disabled") else memory["size"]
        if service.get("scalingAdapter", {}).get("enabled"):
            component["scalingAdapter"] = {}
        if sharing := _gpu_sharing(service):
            component["experimental"] = sharing
        components.append(component)
    kept = {
        key: graph["spec"][key]
        for key in ("backendFramework", "experimental", "restart")
        if key in graph["spec"]
    }
    if topology := graph["spec"].get("topologyConstraint"):
        topology = dict(topology)
        name = topology.pop("topologyProfile", None)
        kept["topologyConstraint"] = {"clusterTopologyName": name, **topology}
    return {
        **graph,
        "apiVersion": "nvidia.com/v1beta1",
        "spec": {**kept, "components": components},
    }


def _gpu_sharing(service: dict[str, Any]) -> dict[str, Any]:
    """GPU memory service and failover, which are on by their presence in ``v1beta1``."""
    return {
        name: {}
        for name in ("gpuMemoryService", "failover")
        if service.get(name, {}).get("enabled")
    }


def _type(service: dict[str, Any]) -> str:
    """The ``type`` that the operator converts a v1alpha1 service to."""
    kind: str = service["componentType"]
    return str(service.get("subComponentType", kind)) if kind == "worker" else kind
