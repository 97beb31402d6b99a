"""Reads what a graph asks of the operator, in one form for both versions of the resource."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment import paths
from gptoss.deployment.model import Problem
from gptoss.deployment.operator import (
    ComponentRequest,
    GpuSharing,
    OperatorSettings,
    Restart,
    Topology,
)
from gptoss.sources.kubernetes.graph import V1ALPHA1
from gptoss.sources.parts.reading import a_map, is_on, maps, string, strings
from gptoss.sources.parts.workers import nodes_of
from gptoss.text.places import Located

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.sources.kubernetes.graph import Part
    from gptoss.sources.parts.reading import Scope
    from gptoss.text.places import Place
    from gptoss.text.yaml_tree import Tree

# What a claim that the operator is to create needs besides its name.
NEEDED_OF_CLAIM = ("size", "storageClass", "volumeAccessMode")


def read_operator_settings(graph: Tree, parts: list[Part], root: Scope) -> OperatorSettings:
    """What a graph asks of the operator.

    Raises:
        InputError: A field has a shape that the API server would refuse.
    """
    spec = a_map(graph.at("spec"), "spec")
    if spec is None:
        return OperatorSettings()
    scope = root.part(paths.OPERATOR)
    return OperatorSettings(
        restart=_restart(a_map(spec.at("restart"), "restart"), scope),
        topology=_topology(spec, scope),
        priority_class=scope.text("priority_class", spec.at("priorityClassName")),
        components={
            part.name: _component(part, root.part(paths.components(part.name))) for part in parts
        },
    )


def missing_fields(graph: Tree, parts: list[Part], root: Scope) -> Iterator[Problem]:
    """What the operator's webhook requires and the resource's schema does not (v1alpha1 only)."""
    if graph.text("apiVersion") != V1ALPHA1:
        return
    spec = a_map(graph.at("spec"), "spec")
    for claim in maps(spec.at("pvcs") if spec else None, "pvcs"):
        if (create := claim.at("create")) and is_on(create, "create"):
            missing = [name for name in NEEDED_OF_CLAIM if _is_empty(claim.at(name))]
            if missing:
                name = claim.text("name") or "without a name"
                yield _needs(f"claim {name} with create: true", ", ".join(missing), claim, root)
    for part in parts:
        for what, field, tree in _missing_of(part.tree):
            yield _needs(f"{part.name}: {what}", field, tree, root)


def broken_rules(graph: Tree, parts: list[Part], root: Scope) -> Iterator[Problem]:
    """Rules of the resource, beyond types and limits, that a graph breaks."""
    for what, tree in (*_component_rules(parts), *_transfer_rules(graph)):
        yield Problem(
            "resource-rule-broken",
            f"{what}; the API server refuses it",
            root.at("manifest", tree.where),
        )


def _component_rules(parts: list[Part]) -> Iterator[tuple[str, Tree]]:
    seen: dict[str, str] = {}
    pickers: list[Part] = []
    for part in parts:
        first = seen.setdefault(part.name.lower(), part.name)
        by_presence = part.template.service is None
        if by_presence and (first != part.name or sum(p.name == part.name for p in parts) > 1):
            yield f"two components are called {part.name}, whatever their case", part.tree
        is_picker = part.type is not None and part.type.value == "epp"
        pickers += [part] if is_picker else []
        config = a_map(part.tree.at("eppConfig"), "eppConfig")
        if config and by_presence and not is_picker:
            yield f"{part.name} has eppConfig and is not of type epp", config
        if config and _is_empty(config.at("configMapRef")) == _is_empty(config.at("config")):
            yield f"eppConfig of {part.name} needs configMapRef or config, not both", config
    if len(pickers) > 1 and pickers[1].template.service is None:
        yield "there are several components of type epp", pickers[1].tree


def _transfer_rules(graph: Tree) -> Iterator[tuple[str, Tree]]:
    policy = a_map(graph.at("spec", "experimental", "kvTransferPolicy"), "kvTransferPolicy")
    if policy is None:
        return
    if _is_empty(policy.at("labelKey")) == _is_empty(policy.at("clusterTopologyName")):
        yield "kvTransferPolicy needs labelKey or clusterTopologyName, not both", policy
    weight = policy.at("preferredWeight")
    is_preferred = policy.text("enforcement") == "preferred"
    if is_preferred == _is_empty(weight):
        yield "kvTransferPolicy needs preferredWeight with enforcement preferred alone", policy


def _missing_of(service: Tree) -> Iterator[tuple[str, str, Tree]]:
    ingress = a_map(service.at("ingress"), "ingress")
    if ingress and is_on(ingress.at("enabled"), "enabled") and _is_empty(ingress.at("host")):
        yield "an ingress that is enabled", "host", ingress
    for mount in maps(service.at("volumeMounts"), "volumeMounts"):
        is_cache = is_on(mount.at("useAsCompilationCache"), "useAsCompilationCache")
        if not is_cache and _is_empty(mount.at("mountPoint")):
            yield f"the mount of {mount.text('name')}", "mountPoint", mount
    memory = a_map(service.at("sharedMemory"), "sharedMemory")
    if memory and not is_on(memory.at("disabled"), "disabled"):
        size = memory.at("size")
        if _is_empty(size) or (size and str(size.value) == "0"):
            yield "sharedMemory that is not disabled", "size", memory


def _is_empty(tree: Tree | None) -> bool:
    return tree is None or tree.value in (None, "")


def _needs(what: str, fields: str, tree: Tree, root: Scope) -> Problem:
    place = root.at("manifest", tree.where)
    message = f"{what} needs {fields}; the operator refuses it"
    return Problem("operator-needs-field", message, place)


def _restart(tree: Tree | None, scope: Scope) -> Restart | None:
    if tree is None:
        return None
    strategy = a_map(tree.at("strategy"), "strategy")
    order = strings(strategy.at("order"), "order") if strategy else []
    return Restart(
        place=scope.at("restart", tree.where),
        id=scope.text("restart", tree.at("id"), "restart.id"),
        strategy=scope.text("restart", strategy.at("type"), "restart.type") if strategy else None,
        order=tuple(Located(name, scope.at("restart", item.where)) for name, item in order),
    )


def _topology(owner: Tree, scope: Scope) -> Topology | None:
    tree = a_map(owner.at("topologyConstraint"), "topologyConstraint")
    if tree is None:
        return None
    names = [
        scope.text("topology", tree.at(field), f"topology.{field}")
        for field in ("clusterTopologyName", "topologyProfile")
    ]
    return Topology(
        place=scope.at("topology", tree.where),
        name=next((name for name in names if name and name.value), None),
        domain=scope.text("topology", tree.at("packDomain"), "topology.packDomain"),
    )


def _component(part: Part, scope: Scope) -> ComponentRequest:
    tree = part.tree
    epp = tree.at("eppConfig")
    return ComponentRequest(
        nodes=nodes_of(tree.at("multinode"), tree.where, scope),
        scaling=_scaling(part, scope),
        min_available=scope.whole("min_available", tree.at("minAvailable"), "minAvailable"),
        topology=_topology(tree, scope),
        epp_config=scope.at("epp_config", epp.where) if epp and epp.value is not None else None,
        gpu_memory=_sharing("gpuMemoryService", part, scope),
        failover=_sharing("failover", part, scope),
    )


def _scaling(part: Part, scope: Scope) -> Place | None:
    """Where the adapter is on: by its presence in v1beta1, by ``enabled`` in v1alpha1."""
    adapter = a_map(part.tree.at("scalingAdapter"), "scalingAdapter")
    if adapter is None:
        return None
    by_presence = part.template.service is None
    on = by_presence or is_on(adapter.at("enabled"), "scalingAdapter.enabled")
    return scope.at("scaling", adapter.where) if on else None


def _sharing(name: str, part: Part, scope: Scope) -> GpuSharing | None:
    """A part that shares GPUs: on by its presence in v1beta1, by ``enabled`` in v1alpha1."""
    by_presence = part.template.service is None
    home = a_map(part.tree.at("experimental"), "experimental") if by_presence else part.tree
    tree = a_map(home.at(name), name) if home else None
    if tree is None or not (by_presence or is_on(tree.at("enabled"), f"{name}.enabled")):
        return None
    mode = string(tree.at("mode"), f"{name}.mode") or "intraPod"
    return GpuSharing(scope.at("gpu_sharing", tree.where), mode.lower())
