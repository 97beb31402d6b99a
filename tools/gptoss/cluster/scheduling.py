"""Which nodes take a pod, in the way of the scheduler.

Source: k8s.io/kubernetes v1.36.3 pkg/scheduler/framework/plugins/{nodeaffinity,tainttoleration,
noderesources,nodeunschedulable} and k8s.io/component-helpers scheduling/corev1/nodeaffinity.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from gptoss.cluster.pod_sets import requests
from gptoss.text.quantity import amount

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gptoss.cluster.live_cluster import Object

KEEPS_OUT = ("NoSchedule", "NoExecute")
ENDED = ("Succeeded", "Failed")


@dataclass(slots=True)
class Node:
    """A node, and what is left of it.

    Attributes:
        name: Its name.
        labels: Its labels.
        taints: Those of its taints that keep pods out.
        is_ready: Whether it is ready and not cordoned.
        free: What pods can still ask for.
        whole: What it has for all pods.
    """

    name: str
    labels: Mapping[str, str]
    taints: list[dict[str, str]]
    is_ready: bool
    free: dict[str, Fraction]
    whole: dict[str, Fraction]


def nodes(found: Iterable[Object], pods: Iterable[Object]) -> list[Node]:
    """The nodes of a cluster, with what the pods on them leave.

    Args:
        found: Objects of kind Node.
        pods: Pods that stay where they are.
    """
    made = {each["metadata"]["name"]: _node(each) for each in found}
    for pod in pods:
        node = made.get(pod["spec"].get("nodeName") or "")
        if node and (pod.get("status") or {}).get("phase") not in ENDED:
            take(node, {**requests(pod["spec"]), "pods": Fraction(1)})
    return list(made.values())


def take(node: Node, wanted: Mapping[str, Fraction]) -> None:
    """Takes what a pod asks for out of what is free."""
    for name, value in wanted.items():
        node.free[name] = node.free.get(name, Fraction()) - value


def selects(node: Node, spec: Mapping[str, Any]) -> bool:
    """Whether a node has the labels that a pod asks for."""
    selector = (spec.get("nodeSelector") or {}).items()
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    terms = required["nodeSelectorTerms"] if required else []
    named = spec.get("nodeName") in (None, "", node.name)
    same = all(node.labels.get(key) == str(value) for key, value in selector)
    return named and same and (not required or any(_matches(node, term) for term in terms))


def keeps_out(node: Node, spec: Mapping[str, Any]) -> list[str]:
    """The taints of a node that a pod does not tolerate, as in ``pool=gpu:NoSchedule``."""
    tolerations = spec.get("tolerations") or []
    return [
        f"{taint['key']}={taint.get('value', '')}:{taint['effect']}".replace("=:", ":")
        for taint in node.taints
        if not any(_tolerates(toleration, taint) for toleration in tolerations)
    ]


def lacks(node: Node, wanted: Mapping[str, Fraction]) -> list[str]:
    """The resources of which a node has too little left."""
    return [n for n, value in wanted.items() if value > 0 and node.free.get(n, Fraction()) < value]


def _node(thing: Object) -> Node:
    spec, status = thing["spec"], thing.get("status") or {}
    conditions = {each["type"]: each["status"] for each in status.get("conditions") or []}
    whole = {n: amount(str(v)) or Fraction() for n, v in (status.get("allocatable") or {}).items()}
    return Node(
        name=thing["metadata"]["name"],
        labels=thing["metadata"].get("labels") or {},
        taints=[each for each in spec.get("taints") or [] if each["effect"] in KEEPS_OUT],
        is_ready=conditions.get("Ready") == "True" and not spec.get("unschedulable"),
        free=dict(whole),
        whole=whole,
    )


def _matches(node: Node, term: Mapping[str, Any]) -> bool:
    """Whether a node is what a term asks for; a term that asks for nothing takes none."""
    expressions = term.get("matchExpressions") or []
    fields = term.get("matchFields") or []
    own = {"metadata.name": node.name}
    return bool(expressions or fields) and (
        all(_holds(node.labels, each) for each in expressions)
        and all(_holds(own, each) for each in fields)
    )


def _holds(labels: Mapping[str, str], asked: Mapping[str, Any]) -> bool:
    value, operator = labels.get(asked["key"]), str(asked["operator"])
    values = [str(each) for each in asked.get("values") or []]
    if operator in ("Exists", "DoesNotExist"):
        return (value is not None) == (operator == "Exists")
    if operator in ("In", "NotIn"):
        return (value in values) == (operator == "In")
    if value is None or not value.lstrip("-").isdigit() or not values:
        return False
    number, bound = int(value), int(values[0])
    return number > bound if operator == "Gt" else number < bound


def _tolerates(toleration: Mapping[str, str], taint: Mapping[str, str]) -> bool:
    if toleration.get("effect") not in (None, "", taint["effect"]):
        return False
    key = toleration.get("key")
    if not key:
        return toleration.get("operator") == "Exists"
    if key != taint["key"]:
        return False
    exists = toleration.get("operator") == "Exists"
    return exists or (toleration.get("value") or "") == taint.get("value", "")
