"""Several deployments in one input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.sources.graph import KIND
from gptoss.sources.jobs import read_job
from gptoss.sources.objects import objects_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.yaml_tree import Tree

NAMED_BY_GRAPH = ("ConfigMap", "PersistentVolumeClaim")


def split(documents: list[Tree]) -> list[list[Tree]]:
    """The documents of each deployment; all of them together when there is at most one graph.

    A ConfigMap or claim belongs to every graph that names it. A Job belongs to the graph whose
    frontend it names, or else to the one that its own name begins with; of two that fit, the one
    with the longer name is meant. What nobody names belongs to all, except a benchmark. Nothing
    crosses namespaces.

    Raises:
        InputError: A document is no Kubernetes object, or a Job has a shape that is refused.
    """
    trees = [tree for document in documents for tree in objects_of(document)]
    graphs = [tree for tree in trees if tree.text("kind") == KIND]
    if len(graphs) < 2:
        return [documents]
    texts = [set(_texts(graph)) for graph in graphs]
    found: list[list[Tree]] = [[graph] for graph in graphs]
    for tree in trees:
        if tree.text("kind") != KIND:
            for number in _owners(tree, graphs, texts):
                found[number].append(tree)
    return found


def _owners(tree: Tree, graphs: list[Tree], texts: list[set[str]]) -> list[int]:
    """Positions of the graphs that an object belongs to."""
    near = [number for number, graph in enumerate(graphs) if _share_namespace(tree, graph)]
    if tree.text("kind") == "Job":
        words = " ".join(_texts(tree))
        named = [n for n in near if f"{_name(graphs[n])}-frontend" in words]
        named = named or [n for n in near if _name(tree).startswith(f"{_name(graphs[n])}-")]
        if named:
            return [max(named, key=lambda n: len(_name(graphs[n])))]
        return [] if read_job(tree, _name(tree)).is_benchmark else near
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
