"""Reads autoscalers and disruption budgets, and finds the component that each is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment import paths
from gptoss.deployment.autoscalers import ADAPTER, KEDA, Autoscaler, Budget, Signal
from gptoss.sources.kubernetes.graph import GRAPH_LABEL
from gptoss.sources.kubernetes.workloads import labels_of
from gptoss.sources.parts.reading import a_map, maps, string_map
from gptoss.text.places import Located
from gptoss.text.yaml_tree import Tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gptoss.sources.kubernetes.graph import Part
    from gptoss.sources.parts.reading import Scope

HPA = "HorizontalPodAutoscaler"
BUDGET = "PodDisruptionBudget"
COMPONENT_LABEL = "nvidia.com/dynamo-component"
SELECTOR_LABEL = "nvidia.com/selector"
# Fields of the two kinds for the fewest and the most replicas.
LIMITS = {HPA: ("minReplicas", "maxReplicas"), KEDA: ("minReplicaCount", "maxReplicaCount")}
# Metric targets that multiply the number of ready pods; AverageValue divides a sum.
RATIOS = ("Value", "Utilization")


class Scaled:
    """The components of a deployment as autoscalers and budgets name them.

    Args:
        targets: Components by kind and name of what scales them.
        labels: Labels of each component's pods.
    """

    def __init__(
        self, targets: Mapping[tuple[str, str], str], labels: Mapping[str, Mapping[str, str]]
    ) -> None:
        self._targets = targets
        self._labels = labels

    @classmethod
    def of_graph(cls, graph: str, parts: list[Part]) -> Scaled:
        """Those of a graph: the operator's adapters, and its labels beside the graph's own."""
        return cls(
            {(ADAPTER, f"{graph}-{part.name.lower()}"): part.name for part in parts},
            {part.name: _graph_labels(graph, part) for part in parts},
        )

    @classmethod
    def of_server(cls, workload: Tree, name: str, worker: str) -> Scaled:
        """The one of a workload that runs ``trtllm-serve``."""
        kind = workload.text("kind") or ""
        return cls({(kind, name): worker}, {worker: labels_of(workload)})

    def autoscalers(self, trees: list[Tree], root: Scope) -> Iterator[Autoscaler]:
        """The autoscalers among objects.

        Raises:
            InputError: A field has a shape that the API server would refuse.
        """
        for tree in trees:
            if tree.text("kind") in LIMITS:
                yield self._autoscaler(tree, root)

    def budgets(self, trees: list[Tree], root: Scope) -> Iterator[Budget]:
        """The budgets among objects.

        Raises:
            InputError: A field has a shape that the API server would refuse.
        """
        for tree in trees:
            if tree.text("kind") == BUDGET:
                yield self._budget(tree, root)

    def _autoscaler(self, tree: Tree, root: Scope) -> Autoscaler:
        kind, name = tree.text("kind") or "", tree.text("metadata", "name") or ""
        spec = a_map(tree.at("spec"), "spec") or Tree({}, tree.place)
        reference = a_map(spec.at("scaleTargetRef"), "scaleTargetRef") or Tree({}, tree.place)
        # KEDA takes a Deployment where nothing is said.
        default = "Deployment" if kind == KEDA else ""
        target = (reference.text("kind") or default, reference.text("name") or "")
        component = self._targets.get(target)
        scope = root.part(paths.autoscalers(component or name))
        fewest, most = LIMITS[kind]
        written = reference.at("kind") or reference
        return Autoscaler(
            kind=kind,
            name=name,
            place=scope.here((tree.at("metadata", "name") or tree).where),
            target_kind=Located(target[0], scope.at("target", written.where)),
            target=scope.text("target", reference.at("name"), "the name of a target"),
            component=component,
            fewest=scope.whole("fewest", spec.at(fewest), fewest),
            most=scope.whole("most", spec.at(most), most),
            idle=scope.whole("fewest", spec.at("idleReplicaCount"), "idleReplicaCount"),
            signals=tuple(_triggers(spec, scope) if kind == KEDA else _metrics(spec, scope)),
            server=_server(spec, scope),
        )

    def _budget(self, tree: Tree, root: Scope) -> Budget:
        name = tree.text("metadata", "name") or ""
        spec = a_map(tree.at("spec"), "spec") or Tree({}, tree.place)
        selector = a_map(spec.at("selector"), "selector")
        component = self._selected(selector) if selector else None
        scope = root.part(paths.budgets(component or name))
        return Budget(
            name=name,
            place=scope.here((tree.at("metadata", "name") or tree).where),
            component=component,
            available=_amount(spec.at("minAvailable"), scope),
            unavailable=_amount(spec.at("maxUnavailable"), scope),
        )

    def _selected(self, selector: Tree) -> str | None:
        """The one component whose pods a selector takes."""
        wanted = string_map(selector.at("matchLabels"), "matchLabels")
        asked = {key: text for key, text, _ in wanted}
        found = [name for name, labels in self._labels.items() if asked.items() <= labels.items()]
        return found[0] if asked and len(found) == 1 else None


def _graph_labels(graph: str, part: Part) -> dict[str, str]:
    operator = {
        GRAPH_LABEL: graph,
        COMPONENT_LABEL: part.name,
        SELECTOR_LABEL: f"{graph}-{part.name.lower()}",
    }
    paths_to_labels = (("extraPodMetadata", "labels"), ("podTemplate", "metadata", "labels"))
    found = next((tree for steps in paths_to_labels if (tree := part.tree.at(*steps))), None)
    return {key: text for key, text, _ in string_map(found, "labels")} | operator


def _triggers(spec: Tree, scope: Scope) -> Iterator[Signal]:
    for trigger in maps(spec.at("triggers"), "triggers"):
        query = trigger.at("metadata", "query")
        text = query.value if query else trigger.text("type")
        where = (query or trigger).where
        by_ratio = trigger.text("metricType") in RATIOS
        amount = _plain(trigger.at("metadata", "threshold") or trigger.at("metadata", "value"))
        yield Signal(str(text), amount, by_ratio, scope.at("signals", where))


def _metrics(spec: Tree, scope: Scope) -> Iterator[Signal]:
    for metric in maps(spec.at("metrics"), "metrics"):
        kind = metric.text("type") or ""
        source = a_map(metric.at(kind[:1].lower() + kind[1:]), kind)
        if source is None:
            continue
        text = source.text("metric", "name") or source.text("name") or kind
        by_ratio = kind in ("Pods", "Resource", "ContainerResource")
        by_ratio = by_ratio or source.text("target", "type") in RATIOS
        amounts = ("averageValue", "value", "averageUtilization")
        written = next((found for a in amounts if (found := source.at("target", a))), None)
        yield Signal(text, _plain(written), by_ratio, scope.at("signals", metric.where))


def _server(spec: Tree, scope: Scope) -> Located[str] | None:
    for trigger in maps(spec.at("triggers"), "triggers"):
        if found := trigger.at("metadata", "serverAddress"):
            return Located(str(found.value), scope.at("signals", found.where))
    return None


def _plain(tree: Tree | None) -> str | None:
    return None if tree is None or tree.value is None else str(tree.value)


def _amount(tree: Tree | None, scope: Scope) -> Located[str] | None:
    """A number of pods or a share of them, as written."""
    if tree is None or tree.value is None:
        return None
    return Located(str(tree.value), scope.at("kept", tree.where))
