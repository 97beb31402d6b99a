"""Where a pod may run: node labels, taints and other pods."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gptoss.deployment.pods import AntiAffinity, NodeRequirement, Toleration
from gptoss.sources.parts.reading import a_map, maps, string, string_map, strings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.sources.parts.reading import Scope
    from gptoss.text.yaml_tree import Tree

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def node_requirements(spec: Tree, scope: Scope) -> list[NodeRequirement]:
    """What node selector and node affinity ask for."""
    found = []
    for key, value, tree in string_map(spec.at("nodeSelector"), "nodeSelector"):
        place = scope.entry("nodes", key, tree.where)
        found.append(NodeRequirement(key, "In", (value,), required=True, place=place))
    affinity = _affinity(spec, "nodeAffinity")
    if affinity is None:
        return found
    required = a_map(affinity.at(REQUIRED), REQUIRED)
    terms = maps(required.at("nodeSelectorTerms") if required else None, "nodeSelectorTerms")
    found += _any_of([list(_requirements(term, True, scope)) for term in terms])
    for entry in maps(affinity.at(PREFERRED), PREFERRED):
        preference = a_map(entry.at("preference"), "preference")
        if preference:
            found += _requirements(preference, False, scope)
    return found


def anti_affinity(spec: Tree, scope: Scope) -> list[AntiAffinity]:
    """The pods that a pod keeps away from."""
    affinity = _affinity(spec, "podAntiAffinity")
    if affinity is None:
        return []
    found = [_away_from(term, True, scope) for term in maps(affinity.at(REQUIRED), REQUIRED)]
    for entry in maps(affinity.at(PREFERRED), PREFERRED):
        term = a_map(entry.at("podAffinityTerm"), "podAffinityTerm")
        if term:
            found.append(_away_from(term, False, scope))
    return found


def tolerations(spec: Tree, scope: Scope) -> list[Toleration]:
    """The taints that a pod tolerates."""
    found = []
    for entry in maps(spec.at("tolerations"), "tolerations"):
        key = string(entry.at("key"), "the key of a toleration") or ""
        found.append(Toleration(key, scope.entry("tolerations", key, entry.place)))
    return found


def _affinity(spec: Tree, kind: str) -> Tree | None:
    affinity = a_map(spec.at("affinity"), "affinity")
    return a_map(affinity.at(kind), kind) if affinity else None


def _requirements(term: Tree, required: bool, scope: Scope) -> Iterator[NodeRequirement]:
    for entry in maps(term.at("matchExpressions"), "matchExpressions"):
        key = string(entry.at("key"), "key")
        if key:
            yield NodeRequirement(
                key,
                string(entry.at("operator"), "operator") or "",
                tuple(text for text, _ in strings(entry.at("values"), "values")),
                required,
                scope.entry("nodes", key, entry.place),
            )


def _any_of(terms: list[list[NodeRequirement]]) -> list[NodeRequirement]:
    """What terms of which one must hold ask for together.

    A label that every term asks for must have one of all their values; any other is not required.
    """
    if len(terms) == 1:
        return terms[0]
    common = [
        key
        for key in dict.fromkeys(asked.key for term in terms for asked in term)
        if all(any(a.key == key and a.operator == "In" for a in term) for term in terms)
    ]
    found = []
    for key in common:
        asking = [asked for term in terms for asked in term if asked.key == key]
        values = tuple(dict.fromkeys(value for asked in asking for value in asked.values))
        found.append(NodeRequirement(key, "In", values, True, asking[0].place))
    optional = [asked for term in terms for asked in term if asked.key not in common]
    return found + [replace(asked, required=False) for asked in optional]


def _away_from(term: Tree, required: bool, scope: Scope) -> AntiAffinity:
    selector = a_map(term.at("labelSelector"), "labelSelector")
    labels: list[tuple[str, tuple[str, ...]]] = []
    complete = not term.at("namespaces") and not term.at("namespaceSelector")
    if selector:
        for key, value, _ in string_map(selector.at("matchLabels"), "matchLabels"):
            labels.append((key, (value,)))
        for entry in maps(selector.at("matchExpressions"), "matchExpressions"):
            key = string(entry.at("key"), "key") or ""
            values = tuple(text for text, _ in strings(entry.at("values"), "values"))
            if string(entry.at("operator"), "operator") in ("In", "Exists"):
                labels.append((key, values))
            else:
                complete = False
    return AntiAffinity(
        labels=tuple(labels),
        topology_key=string(term.at("topologyKey"), "topologyKey") or "",
        required=required,
        place=scope.at("anti_affinity", term.place),
        complete=complete,
    )
