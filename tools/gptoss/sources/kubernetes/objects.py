"""The objects among manifests, by kind."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gptoss.deployment.model import Problem
from gptoss.deployment.objects import Claim, ConfigMap
from gptoss.sources.kubernetes.graph import KIND, V1ALPHA1, V1BETA1
from gptoss.sources.kubernetes.workloads import ENDING, is_serve_workload, job
from gptoss.sources.kubernetes.written_claims import read_claim, storage_classes
from gptoss.sources.parts.reading import a_map, elements, is_on, maps, string
from gptoss.text.errors import InputError
from gptoss.text.places import Located, Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gptoss.sources.parts.container import Container
    from gptoss.sources.parts.reading import Scope
    from gptoss.text.yaml_tree import Tree

HOOK = "helm.sh/hook"
# What a namespace can be called, and what is not filled in yet.
LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
UNFILLED = re.compile(r"\$|\{\{")
CLAIM_TEMPLATES = {
    "ComputeDomain": ("spec", "channel", "resourceClaimTemplate", "name"),
    "ResourceClaimTemplate": ("metadata", "name"),
}


@dataclass(frozen=True, slots=True)
class Named:
    """An object with its name and namespace."""

    name: str
    namespace: str
    tree: Tree


@dataclass(frozen=True, slots=True)
class Objects:
    """What a deployment is read from.

    Attributes:
        graph: The DynamoGraphDeployment, or the workload that runs ``trtllm-serve``.
        config_maps: ConfigMaps in the order of the documents.
        claims: PersistentVolumeClaims, those that the graph has made too.
        jobs: Jobs, and DaemonSets that do on each node what a Job does once.
        tests: Pods of ``helm test``.
        trees: Every other object.
    """

    graph: Named
    config_maps: list[Named] = field(default_factory=list)
    claims: list[Located[str]] = field(default_factory=list)
    jobs: list[Container] = field(default_factory=list)
    tests: list[Tree] = field(default_factory=list)
    trees: list[Tree] = field(default_factory=list)

    @classmethod
    def of(cls, documents: list[Tree], source: str) -> Objects:
        """Sorts documents by kind; Helm hooks and kinds that do not matter are left out.

        Raises:
            InputError: There is not exactly one DynamoGraphDeployment or workload that runs
                ``trtllm-serve``, or an object has no name.
        """
        trees = [tree for document in documents for tree in objects_of(document)]
        graphs = [_named(tree) for tree in trees if serves(tree)]
        if len(graphs) != 1:
            raise _not_one(graphs, trees, source)
        if graphs[0].tree.text("kind") == KIND:
            _check_version(graphs[0].tree)
        objects = cls(graphs[0], trees=trees, claims=list(_created_claims(graphs[0].tree)))
        objects.tests.extend(test_pods(documents))
        for tree in trees:
            kind = tree.text("kind")
            if kind == "ConfigMap":
                objects.config_maps.append(_named(tree))
            elif kind == "PersistentVolumeClaim":
                named = _named(tree)
                objects.claims.append(Located(named.name, tree.place))
            elif kind in ENDING:
                objects.jobs.append(job(tree, _named(tree).name))
        return objects

    @property
    def is_graph(self) -> bool:
        """Whether Dynamo serves the model."""
        return self.graph.tree.text("kind") == KIND

    @property
    def config_map_trees(self) -> dict[str, Tree]:
        """ConfigMaps by name; of several with one name the last."""
        return {config_map.name: config_map.tree for config_map in self.config_maps}

    def given(self, root: Scope) -> Iterator[Located[str]]:
        """Kind and name of every object, as in ``Ingress chat``."""
        for tree in self.trees:
            words = (tree.text("kind"), tree.text("metadata", "name"))
            place = root.at("manifest", tree.place)
            yield Located(" ".join(word for word in words if word), place)

    def located_config_maps(self, root: Scope) -> tuple[ConfigMap, ...]:
        """The ConfigMaps with the places to show."""
        found = []
        for config_map in self.config_maps:
            tables = [a_map(config_map.tree.at(name), name) for name in ("data", "binaryData")]
            keys = {
                key: root.entry("config_maps", config_map.name, value.where)
                for table in tables
                if table
                for key, value in table.items()
            }
            named = config_map.tree.at("metadata", "name") or config_map.tree
            place = root.entry("config_maps", config_map.name, named.where)
            found.append(ConfigMap(config_map.name, place, keys))
        return tuple(found)

    def located_claims(self, root: Scope) -> tuple[Located[str], ...]:
        """The claims with the places to show."""
        return tuple(
            Located(claim.value, root.entry("claims", claim.value, claim.place))
            for claim in self.claims
        )

    def volumes(self, root: Scope) -> tuple[Claim, ...]:
        """The claims that are objects of their own, with what they ask for."""
        trees = [tree for tree in self.trees if tree.text("kind") == "PersistentVolumeClaim"]
        classes = storage_classes(self.trees)
        return tuple(read_claim(tree, _named(tree).name, root, classes) for tree in trees)

    def config_map_problems(self, root: Scope) -> Iterator[Problem]:
        """ConfigMaps of one name that hold different data."""
        seen: dict[tuple[str, str], Named] = {}
        for config_map in self.config_maps:
            first = seen.setdefault((config_map.name, config_map.namespace), config_map)
            if first is not config_map and _data(first) != _data(config_map):
                where = config_map.tree.at("metadata", "name") or config_map.tree
                yield Problem(
                    "config-map-twice",
                    f"ConfigMap {config_map.name} is given twice with different data, "
                    f"first at {first.tree.place}",
                    root.entry("config_maps", config_map.name, where.where),
                )

    def namespace_problems(self, root: Scope) -> Iterator[Problem]:
        """Objects in a namespace that cannot be."""
        for tree in self.trees:
            written, name = tree.at("metadata", "namespace"), namespace_of(tree)
            if written is None or name is None or LABEL.fullmatch(name):
                continue
            called = f"{tree.text('kind')} {tree.text('metadata', 'name') or ''}".rstrip()
            yield Problem(
                "namespace-refused",
                f"the namespace of {called} is {name!r}, and no namespace can be called that",
                root.at("manifest", written.where),
            )


def namespace_of(tree: Tree) -> str | None:
    """The namespace that an object says it is in; None where that is left to be filled in."""
    name = tree.text("metadata", "namespace")
    return None if not name or UNFILLED.search(name) else name


def claim_templates(trees: Iterable[Tree], root: Scope) -> dict[str, Located[Mapping[str, str]]]:
    """Fields of ResourceClaimTemplates by name, and of the ComputeDomains that make some."""
    found: dict[str, Located[Mapping[str, str]]] = {}
    for tree in trees:
        path = CLAIM_TEMPLATES.get(tree.text("kind") or "", ())
        if path and (name := tree.text(*path)):
            fields = dict(_fields(tree.at("spec")))
            place = root.entry("claim_templates", name, tree.place)
            found[name] = Located(fields, place)
    return found


def _fields(tree: Tree | None, path: str = "spec") -> Iterator[tuple[str, str]]:
    """Every scalar below a tree, by its dotted path."""
    if tree is None:
        return
    inside = [*tree.items(), *((str(number), each) for number, each in enumerate(tree.elements()))]
    for key, each in inside:
        yield from _fields(each, f"{path}.{key}")
    if not inside:
        yield path, str(tree.value)


def serves(tree: Tree) -> bool:
    """Whether an object serves the model: a graph, or a workload that runs ``trtllm-serve``.

    Raises:
        InputError: A field has a shape that the API server would refuse.
    """
    return tree.text("kind") == KIND or is_serve_workload(tree)


def objects_of(document: Tree) -> Iterator[Tree]:
    """The objects of a document that are no Helm hooks: itself, or the elements of a List."""
    return (tree for tree in _whole(document) if _hook(tree) is None)


def test_pods(documents: Iterable[Tree]) -> list[Tree]:
    """The pods of ``helm test``."""
    trees = (tree for document in documents for tree in _whole(document))
    return [
        tree
        for tree in trees
        if tree.text("kind") == "Pod" and (_hook(tree) or "").startswith("test")
    ]


def _hook(tree: Tree) -> str | None:
    metadata = tree.at("metadata")
    return metadata.text("annotations", HOOK) if metadata else None


def _whole(document: Tree) -> Iterator[Tree]:
    if document.value is None:
        return
    if not document.is_map:
        raise InputError("a manifest must be a map with apiVersion and kind", document.place)
    if (document.text("kind") or "").endswith("List"):
        for element in elements(document.at("items"), "items"):
            yield from _whole(element)
        return
    yield document


def _named(tree: Tree) -> Named:
    metadata = a_map(tree.at("metadata"), "metadata")
    name = string(metadata.at("name"), "metadata.name") if metadata else None
    if metadata is None or not name:
        raise InputError(f"this {tree.text('kind')} has no metadata.name", tree.place)
    return Named(name, string(metadata.at("namespace"), "namespace") or "", tree)


def _data(config_map: Named) -> tuple[object, ...]:
    trees = (config_map.tree.at("data"), config_map.tree.at("binaryData"))
    return tuple(tree.plain() if tree else None for tree in trees)


def _created_claims(graph: Tree) -> Iterator[Located[str]]:
    """Claims that a v1alpha1 graph has the operator create."""
    spec = a_map(graph.at("spec"), "spec")
    for entry in maps(spec.at("pvcs") if spec else None, "pvcs"):
        name = string(entry.at("name"), "the name of a claim")
        if name and is_on(entry.at("create"), "create"):
            yield Located(name, entry.place)


def _check_version(graph: Tree) -> None:
    version = string(graph.at("apiVersion"), "apiVersion")
    if version not in (V1ALPHA1, V1BETA1):
        raise InputError(
            f"{version} is no version of {KIND}; write {V1ALPHA1} or {V1BETA1}", graph.place
        )


def _not_one(graphs: list[Named], trees: list[Tree], source: str) -> InputError:
    if graphs:
        names = ", ".join(graph.name for graph in graphs)
        all_graphs = all(graph.tree.text("kind") == KIND for graph in graphs)
        what = f"{KIND}s" if all_graphs else "deployments"
        return InputError(
            f"{len(graphs)} {what}: {names}; give one of them at a time", graphs[1].tree.place
        )
    kinds = Counter(tree.text("kind") or "something without a kind" for tree in trees)
    found = ", ".join(sorted(kinds)) or "nothing"
    place = trees[0].place if trees else Place(source)
    return InputError(
        f"there is no {KIND}, only {found}, and nothing that runs trtllm-serve; "
        "give its manifest too",
        place,
    )
