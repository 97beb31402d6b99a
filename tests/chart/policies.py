"""What network policies let through: of all that select a pod, one that lets it is enough."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from typing import Any

Policy = dict[str, Any]


@dataclass(frozen=True)
class Pod:
    """A pod in the policies' namespace, whose own labels do not matter."""

    labels: dict[str, str]


def can_ask(policies: list[Policy], asker: Pod, asked: Pod, port: int) -> bool:
    """Whether one pod reaches a port of another."""
    out = _passes(policies, "Egress", asker, asked, port)
    return out and _passes(policies, "Ingress", asked, asker, port)


def can_reach(policies: list[Policy], pod: Pod, address: str, port: int) -> bool:
    """Whether a pod reaches a port of an address that is no pod's."""
    return _passes(policies, "Egress", pod, address, port)


def _passes(policies: list[Policy], way: str, pod: Pod, other: Pod | str, port: int) -> bool:
    specs = [policy["spec"] for policy in policies]
    holding = [s for s in specs if way in s["policyTypes"] and _selects(s["podSelector"], pod)]
    peers = "to" if way == "Egress" else "from"
    rules = [rule for spec in holding for rule in spec.get(way.lower()) or ()]
    return not holding or any(
        _has_port(rule, port)
        and (not rule.get(peers) or any(_is_peer(peer, other) for peer in rule[peers]))
        for rule in rules
    )


def _has_port(rule: dict[str, Any], port: int) -> bool:
    return not rule.get("ports") or any(each["port"] == port for each in rule["ports"])


def _is_peer(peer: dict[str, Any], other: Pod | str) -> bool:
    if isinstance(other, str):
        return "ipBlock" in peer and ip_address(other) in ip_network(peer["ipBlock"]["cidr"])
    if "ipBlock" in peer:
        return False
    return "podSelector" not in peer or _selects(peer["podSelector"], other)


def _selects(selector: dict[str, Any], pod: Pod) -> bool:
    wanted = selector.get("matchLabels", {})
    expressions = selector.get("matchExpressions", [])
    assert all(each["operator"] == "In" for each in expressions)
    return wanted.items() <= pod.labels.items() and all(
        pod.labels.get(each["key"]) in each["values"] for each in expressions
    )
