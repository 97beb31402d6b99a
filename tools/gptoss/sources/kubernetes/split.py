"""Several deployments in one input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.sources.kubernetes.graph import KIND
from gptoss.sources.kubernetes.objects import objects_of, serves
from gptoss.sources.kubernetes.workloads import job, selects
from gptoss.sources.parts.container import Task
from gptoss.text.budget import Kind, spend, too_much

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.text.yaml_tree import Tree

NAMED_BY_GRAPH = ("ConfigMap", "PersistentVolumeClaim")


def split(documents: list[Tree]) -> list[list[Tree]]:
    """The documents of each deployment; all of them together when there is at most one.

    A deployment is a DynamoGraphDeployment, or a workload that runs ``trtllm-serve``. A ConfigMap
    or claim belongs to every one that names it, a Service to that whose pods it selects. A Job
    belongs to the deployment whose frontend or Service it names, or else to the one that its own
    name begins with; of two that fit, the one with the longer name is meant. What nobody names
    belongs to all, except a benchmark or evaluation. Nothing crosses namespaces.

    Raises:
        InputError: A document is no Kubernetes object, a Job has a shape that is refused, or a
            limit of the run is passed.
    """
    trees = [tree for document in documents for tree in objects_of(document)]
    graphs = [tree for tree in trees if serves(tree)]
    if len(graphs) < 2:
        return [documents]
    # Each is a container at least.
    if len(graphs) > Kind.CONTAINERS.limit:
        raise too_much(Kind.CONTAINERS, graphs[Kind.CONTAINERS.limit].place)
    serving = {id(graph) for graph in graphs}
    others = [tree for tree in trees if id(tree) not in serving]
    spend(Kind.PAIRS, len(graphs) * len(others), graphs[1].place)
    texts = [set(_texts(graph)) for graph in graphs]
    addresses = [_addresses(graph, others) for graph in graphs]
    found: list[list[Tree]] = [[graph] for graph in graphs]
    for tree in others:
        owners = _owners(tree, graphs, texts, addresses)
        spend(Kind.DOCUMENTS, len(owners), tree.place)
        for number in owners:
            found[number].append(tree)
    return found


def _addresses(graph: Tree, trees: list[Tree]) -> list[str]:
    """Names under which clients reach a deployment."""
    if graph.text("kind") == KIND:
        return [f"{_name(graph)}-frontend"]
    return [_name(tree) for tree in trees if selects(tree, graph)]


def _owners(
    tree: Tree, graphs: list[Tree], texts: list[set[str]], addresses: list[list[str]]
) -> list[int]:
    """Positions of the deployments that an object belongs to."""
    near = [number for number, graph in enumerate(graphs) if _share_namespace(tree, graph)]
    if tree.text("kind") == "Job":
        words = " ".join(_texts(tree))
        named = [n for n in near if any(address in words for address in addresses[n])]
        named = named or [n for n in near if _name(tree).startswith(f"{_name(graphs[n])}-")]
        if named:
            return [max(named, key=lambda n: len(_name(graphs[n])))]
        task = job(tree, _name(tree)).sign
        return [] if task in (Task.BENCHMARK, Task.ACCURACY) else near
    if tree.text("kind") == "Service":
        return [number for number in near if selects(tree, graphs[number])]
    if tree.text("kind") in NAMED_BY_GRAPH:
        return [number for number in near if _name(tree) in texts[number]] or near
    return near


def _share_namespace(one: Tree, other: Tree) -> bool:
    """Whether two objects can stand in one namespace."""
    namespaces = {tree.text("metadata", "namespace") for tree in (one, other)} - {None}
    return len(namespaces) < 2


def _name(tree: Tree) -> str:
    return tree.text("metadata", "name") or ""


def _texts(tree: Tree) -> Iterator[str]:
    """Every string in a value."""
    if isinstance(tree.value, str):
        yield tree.value
    for inside in (*dict(tree.items()).values(), *tree.elements()):
        yield from _texts(inside)
