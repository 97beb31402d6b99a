"""Network policies that hold the pods of a graph, and what they leave closed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.model import Problem
from gptoss.sources.kubernetes.graph import GRAPH_LABEL
from gptoss.sources.parts.reading import a_map, maps, string_map, strings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gptoss.sources.parts.reading import Scope
    from gptoss.text.yaml_tree import Tree

KIND = "closed-off"
DISCOVERY = "nvidia.com/dynamo-discovery-backend"
NAMES = ("53", "5353")


def closed_off(trees: Iterable[Tree], graph: Tree, root: Scope) -> Iterator[Problem]:
    """What policies keep every pod of a graph from: names of hosts, and the API server.

    Only policies count that hold all pods, of the namespace or of the graph: which others hold a
    pod is not known.

    Raises:
        InputError: A field has a shape that the API server would refuse.
    """
    name = graph.text("metadata", "name") or ""
    holding = [tree for tree in trees if _holds(tree, name)]
    if not holding:
        return
    rules = [rule for tree in holding for rule in maps(tree.at("spec", "egress"), "egress")]
    closed = []
    if not any(_opens_names(rule) for rule in rules):
        closed.append("port 53, so that no name of a host is found")
    if not any(map(_opens_addresses, rules)) and not graph.at("metadata", "annotations", DISCOVERY):
        closed.append("the API server, so that the frontend finds no worker")
    called = holding[0].text("metadata", "name") or ""
    place = root.entry("policies", called, holding[0].where)
    for what in closed:
        yield Problem(KIND, f"NetworkPolicy {called} closes {what}", place)


def _holds(tree: Tree, graph: str) -> bool:
    """Whether an object is a policy that holds what all pods of a graph send."""
    spec = a_map(tree.at("spec"), "spec")
    if tree.text("kind") != "NetworkPolicy" or spec is None:
        return False
    selector = a_map(spec.at("podSelector"), "podSelector")
    labels = string_map(selector.at("matchLabels") if selector else None, "matchLabels")
    others = [pair for key, value, _ in labels if (pair := (key, value)) != (GRAPH_LABEL, graph)]
    narrower = maps(selector.at("matchExpressions") if selector else None, "matchExpressions")
    types = {text for text, _ in strings(spec.at("policyTypes"), "policyTypes")}
    holds = "Egress" in types if types else spec.at("egress") is not None
    return holds and not others and not narrower


def _ports(rule: Tree) -> set[str]:
    """Ports that a rule is for, as text; none where it is for all."""
    ports = maps(rule.at("ports"), "ports")
    return {str(port.value) for each in ports if (port := each.at("port")) is not None}


def _opens_names(rule: Tree) -> bool:
    ports = _ports(rule)
    return not ports or bool(ports & {*NAMES})


def _opens_addresses(rule: Tree) -> bool:
    """Whether a rule leads to addresses that are no pod's, on another port than that of names."""
    peers = maps(rule.at("to"), "to")
    leads = not peers or any(peer.at("ipBlock") for peer in peers)
    ports = _ports(rule)
    return leads and (not ports or bool(ports - {*NAMES}))
