"""Graphs of v1alpha1 as v1beta1, and back.

What one version cannot say in the words of the other is kept in an annotation, as the operator does
(api/v1alpha1/dynamographdeployment_conversion.go), in a form of its own: the entries as they were
written. They count again as long as nobody has changed them meanwhile; after that, what they alone
could say is added to the change.
"""

from __future__ import annotations

import json
from typing import Any

from testcluster.operator.component_conversion import as_component, as_service

GROUP = "nvidia.com"
ALPHA, BETA = f"{GROUP}/v1alpha1", f"{GROUP}/v1beta1"
KEPT = "nvidia.com/dgd-spec"
# Names of the same thing in v1alpha1 and in v1beta1.
SPEC_NAMES = {"envs": "env"}
ROLLING_NAMES = {"updatedServices": "updatedComponents"}
TOPOLOGY_NAMES = {"topologyProfile": "clusterTopologyName"}

Graph = dict[str, Any]


def convert(graph: Graph, wanted: str) -> Graph:
    """A graph in a version of the resource.

    The API server also converts parts of objects, those that a field manager owns: whatever is
    missing stays missing.
    """
    if graph["apiVersion"] == wanted:
        return graph
    to_beta = wanted == BETA
    metadata = dict(graph.get("metadata") or {})
    annotations = dict(metadata.get("annotations") or {})
    kept = json.loads(annotations.pop(KEPT, "{}"))
    found = {**graph, "apiVersion": wanted, "metadata": metadata}
    if "spec" in graph:
        found["spec"], keep = (_beta_spec if to_beta else _alpha_spec)(graph["spec"] or {}, kept)
        if keep:
            annotations[KEPT] = json.dumps(keep, sort_keys=True)
    if annotations or KEPT in (metadata.get("annotations") or {}):
        metadata["annotations"] = annotations
        if not annotations:
            del metadata["annotations"]
    if "status" in graph:
        found["status"] = _status(graph["status"] or {}, to_beta=to_beta)
    return found


def components(graph: Graph) -> list[dict[str, Any]]:
    """The components of a graph of v1beta1."""
    found: list[dict[str, Any]] = (graph.get("spec") or {}).get("components") or []
    return found


def _beta_spec(alpha: dict[str, Any], kept: Graph) -> tuple[Graph, Graph]:
    spec = _renamed(alpha, SPEC_NAMES, without=("services", "pvcs"))
    _rename_topology(spec, TOPOLOGY_NAMES)
    before = {one["name"]: one for one in kept.get("components", [])}
    keep: Graph = {"pvcs": alpha["pvcs"]} if alpha.get("pvcs") else {}
    if "services" in alpha:
        services = {name: one or {} for name, one in (alpha["services"] or {}).items()}
        order = [name for name in kept.get("order", []) if name in services]
        names = [*order, *sorted(set(services) - set(order))]
        spec["components"] = [_restored_component(n, services[n], before.get(n)) for n in names]
        lost = {n: s for n, s in services.items() if as_service(as_component(n, s)) != s}
        keep |= {"services": lost} if lost else {}
    return spec, keep


def _alpha_spec(beta: dict[str, Any], kept: Graph) -> tuple[Graph, Graph]:
    spec = _renamed(beta, {new: old for old, new in SPEC_NAMES.items()}, without=("components",))
    _rename_topology(spec, {new: old for old, new in TOPOLOGY_NAMES.items()})
    if "pvcs" in kept:
        spec["pvcs"] = kept["pvcs"]
    keep: Graph = {}
    if "components" in beta:
        given = beta["components"] or []
        before = kept.get("services", {})
        spec["services"] = {
            one["name"]: _restored_service(one, before.get(one["name"])) for one in given
        }
        names = [one["name"] for one in given]
        lost = [one for one in given if as_component(one["name"], as_service(one)) != one]
        keep |= {"components": lost} if lost else {}
        keep |= {"order": names} if names != sorted(names) else {}
    return spec, keep


def _restored_component(name: str, service: Graph, before: Graph | None) -> Graph:
    live = as_component(name, service)
    if before is None:
        return live
    again = as_service(before)
    return before if again == service else added(live, lost(before, as_component(name, again)))


def _restored_service(component: Graph, before: Graph | None) -> Graph:
    live = as_service(component)
    if before is None:
        return live
    again = as_component(component["name"], before)
    return before if again == component else added(live, lost(before, as_service(again)))


def lost(whole: Graph, part: Graph) -> Graph:
    """The entries of a mapping that another does not have, at any depth of mappings."""
    found: Graph = {}
    for key, value in whole.items():
        if key not in part:
            found[key] = value
        elif isinstance(value, dict) and isinstance(part[key], dict):
            deeper = lost(value, part[key])
            found |= {key: deeper} if deeper else {}
    return found


def added(live: Graph, more: Graph) -> Graph:
    """A mapping with more entries, of which none replaces one that is there."""
    found = dict(live)
    for key, value in more.items():
        if key not in found:
            found[key] = value
        elif isinstance(value, dict) and isinstance(found[key], dict):
            found[key] = added(found[key], value)
    return found


def _renamed(given: Graph, names: dict[str, str], without: tuple[str, ...] = ()) -> Graph:
    return {names.get(key, key): value for key, value in given.items() if key not in without}


def _rename_topology(spec: Graph, names: dict[str, str]) -> None:
    if spec.get("topologyConstraint"):
        spec["topologyConstraint"] = _renamed(spec["topologyConstraint"], names)


def _status(status: Graph, *, to_beta: bool) -> Graph:
    here, there = ("services", "components") if to_beta else ("components", "services")
    names = ROLLING_NAMES if to_beta else {new: old for old, new in ROLLING_NAMES.items()}
    found = _renamed(status, {here: there})
    if there in found:
        each = _component_state if to_beta else _service_state
        found[there] = {name: each(one or {}) for name, one in (found[there] or {}).items()}
    if found.get("rollingUpdate"):
        found["rollingUpdate"] = _renamed(found["rollingUpdate"], names)
    return found


def _service_state(state: Graph) -> Graph:
    # v1alpha1 also has the newest of the names by itself.
    names = state.get("componentNames")
    return {**state, "componentName": names[-1]} if names else state


def _component_state(state: Graph) -> Graph:
    found = {key: value for key, value in state.items() if key != "componentName"}
    if "componentName" in state and not found.get("componentNames"):
        found["componentNames"] = [state["componentName"]]
    return found
