"""Deployments, Services and accounts of a graph, on the operator's path without Grove."""

from __future__ import annotations

from typing import Any

from testcluster.operator import several_nodes, worker_hash
from testcluster.operator.component_defaults import HTTP, SYSTEM
from testcluster.operator.conversion import BETA, components
from testcluster.operator.pods import GRAPH, SELECTOR, account, component_labels, template
from testcluster.operator.several_nodes import LEADER, WORKER
from testcluster.operator.validation import WORKERS

STRATEGY = "nvidia.com/deployment-strategy"
UPDATES = {
    "maxSurge": "nvidia.com/deployment-rolling-update-max-surge",
    "maxUnavailable": "nvidia.com/deployment-rolling-update-max-unavailable",
}
UPDATE = "25%"
# What pods ask for when they look for each other.
SEEN = [
    {"apiGroups": [""], "resources": ["endpoints", "pods"], "verbs": ["get", "list", "watch"]},
    {
        "apiGroups": ["discovery.k8s.io"],
        "resources": ["endpointslices"],
        "verbs": ["get", "list", "watch"],
    },
]

Thing = dict[str, Any]


def shared(graph: Thing) -> list[Thing]:
    """The account of a graph's pods, with its rights, and a Service a component."""
    name = account(graph)
    rbac = "rbac.authorization.k8s.io"
    role = {"apiGroup": rbac, "kind": "Role", "name": name}
    namespace = graph["metadata"]["namespace"]
    subject = {"kind": "ServiceAccount", "name": name, "namespace": namespace}
    is_spread = any(several_nodes.nodes(component) > 1 for component in components(graph))
    mine = metadata(graph, name)
    return [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": mine},
        {"apiVersion": f"{rbac}/v1", "kind": "Role", "metadata": mine, "rules": SEEN},
        {
            "apiVersion": f"{rbac}/v1",
            "kind": "RoleBinding",
            "metadata": mine,
            "roleRef": role,
            "subjects": [subject],
        },
        *(_service(graph, component) for component in components(graph)),
        *([several_nodes.secret(namespace)] if is_spread else []),
    ]


def suffix(graph: Thing, component: Thing) -> str:
    """What a component's Deployment is called after: the workers' hash, or nothing."""
    if component.get("type") in WORKERS and worker_hash.is_rolled_by_hash(graph):
        return worker_hash.worker_hash(graph)
    return ""


def deployments(graph: Thing, component: Thing, replicas: int) -> list[Thing]:
    """The Deployment of a component; of one on several nodes those of leaders and of the others.

    The operator makes a LeaderWorkerSet of the latter, whose pods are the same.
    """
    ending = suffix(graph, component)
    name = "-".join(part for part in (resource_name(graph, component), ending) if part)
    count = several_nodes.nodes(component)
    if count == 1:
        return [_deployment(graph, component, name, replicas)]
    found = []
    for role, many in ((LEADER, replicas), (WORKER, replicas * (count - 1))):
        made = _deployment(graph, component, f"{name}-{role}", many)
        made["spec"]["template"] = several_nodes.of_a_role(made["spec"]["template"], role, count)
        found.append(made)
    return found


def _deployment(graph: Thing, component: Thing, name: str, replicas: int) -> Thing:
    ending = suffix(graph, component)
    labels = component_labels(graph, component)
    labels |= {worker_hash.LABEL: ending} if ending else {}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata(graph, name, labels),
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {SELECTOR: name}},
            "strategy": strategy(graph, component),
            "template": template(graph, component, name, ending),
        },
    }


def strategy(graph: Thing, component: Thing) -> Thing:
    """How pods of before are replaced, as annotations of the graph or of the component say it."""
    own = ((component.get("podTemplate") or {}).get("metadata") or {}).get("annotations") or {}
    said = {**(graph["spec"].get("annotations") or {}), **own}
    if said.get(STRATEGY) == "Recreate":
        return {"type": "Recreate"}
    amounts = {key: _amount(said.get(name, UPDATE)) for key, name in UPDATES.items()}
    return {"type": "RollingUpdate", "rollingUpdate": amounts}


def _amount(said: str) -> int | str:
    return int(said) if said.isdecimal() else said


def _service(graph: Thing, component: Thing) -> Thing:
    port, number = HTTP if component.get("type") == "frontend" else SYSTEM
    selector = component_labels(graph, component)
    del selector[GRAPH]
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata(graph, resource_name(graph, component)),
        "spec": {
            "selector": selector,
            "ports": [{"name": port, "port": number, "targetPort": port}],
        },
    }


def resource_name(graph: Thing, component: Thing) -> str:
    """What the Service of a component and its adapter are called."""
    return f"{graph['metadata']['name']}-{component['name'].lower()}"


def metadata(graph: Thing, name: str, labels: dict[str, str] | None = None) -> Thing:
    """Metadata of what goes with the graph."""
    meta = graph["metadata"]
    owner = {
        "apiVersion": BETA,
        "kind": "DynamoGraphDeployment",
        "name": meta["name"],
        "uid": meta["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
    return {
        "name": name,
        "namespace": meta["namespace"],
        "labels": labels or {GRAPH: meta["name"]},
        "ownerReferences": [owner],
    }
