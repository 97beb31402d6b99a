"""Adapters, through which autoscalers choose the replicas of a component.

Source: ai-dynamo/dynamo deploy/operator/internal/controller/dgd_scaling_adapters_reconciler.go and
api/v1alpha1/dynamographdeploymentscalingadapter_{types,conversion}.go, 1.2 to 1.6.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from testcluster.operator.conversion import ALPHA, BETA, GROUP, components
from testcluster.operator.pods import GRAPH, component_labels
from testcluster.operator.workloads import metadata, resource_name

if TYPE_CHECKING:
    from testcluster.api import Api

KIND = "DynamoGraphDeploymentScalingAdapter"
PLURAL = "dynamographdeploymentscalingadapters"
ADAPTERS = f"/apis/{GROUP}/v1alpha1"
# Names of the component in v1alpha1 and in v1beta1.
OLD, NEW = "serviceName", "componentName"

Thing = dict[str, Any]


def convert(adapter: Thing, wanted: str) -> Thing:
    """An adapter in a version of the resource."""
    if adapter["apiVersion"] == wanted:
        return adapter
    names = {OLD: NEW} if wanted == BETA else {NEW: OLD}
    spec = dict(adapter.get("spec") or {})
    if "dgdRef" in spec:
        spec["dgdRef"] = {names.get(key, key): value for key, value in spec["dgdRef"].items()}
    found = {**adapter, "apiVersion": wanted, "metadata": adapter.get("metadata") or {}}
    return found | ({"spec": spec} if "spec" in adapter else {})


def scaled(api: Api, graph: Thing) -> list[Thing]:
    """What changes in a graph because of its adapters, as a JSON patch; it has them afterwards."""
    meta = graph["metadata"]
    folder = f"{ADAPTERS}/namespaces/{meta['namespace']}/{PLURAL}"
    there = {
        adapter["metadata"]["name"]: adapter
        for adapter in api.items(f"{folder}?labelSelector={GRAPH}%3D{meta['name']}")
    }
    patch = []
    for number, component in enumerate(components(graph)):
        name = resource_name(graph, component)
        adapter = there.pop(name, None)
        if "scalingAdapter" not in component:
            if adapter:
                api.delete(f"{folder}/{name}")
            continue
        adapter = adapter or api.apply(folder, _adapter(graph, component))
        _tell(api, f"{folder}/{name}", adapter, graph, component)
        wanted = adapter["spec"]["replicas"]
        if wanted != component.get("replicas"):
            place = f"/spec/components/{number}"
            patch += [
                {"op": "test", "path": f"{place}/name", "value": component["name"]},
                {"op": "add", "path": f"{place}/replicas", "value": wanted},
            ]
    return patch


def _adapter(graph: Thing, component: Thing) -> Thing:
    reference = {"name": graph["metadata"]["name"], OLD: component["name"]}
    return {
        "apiVersion": ALPHA,
        "kind": KIND,
        "metadata": metadata(graph, resource_name(graph, component)),
        "spec": {"replicas": component.get("replicas", 1), "dgdRef": reference},
    }


def _tell(api: Api, path: str, adapter: Thing, graph: Thing, component: Thing) -> None:
    """Says on an adapter how many there are, and by which labels an autoscaler finds them."""
    states = (graph.get("status") or {}).get("components") or {}
    labels = component_labels(graph, component)
    told = {
        "replicas": (states.get(component["name"]) or {}).get("replicas", 0),
        "selector": ",".join(f"{key}={value}" for key, value in labels.items()),
    }
    if {**(adapter.get("status") or {}), **told} != adapter.get("status"):
        api.merge(f"{path}/status", {"status": told})
