"""What the operator's webhook refuses.

Source: ai-dynamo/dynamo deploy/operator/internal/webhook/validation @015d780 (1.2), and what 1.5
has added. What CEL can say is a rule of the definition. Left out: ingress, EPP, GPU memory service,
failover, topology.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from testcluster.operator.component_conversion import MAIN
from testcluster.operator.conversion import ALPHA, BETA, components, convert

if TYPE_CHECKING:
    from collections.abc import Iterator

    from testcluster.operator.releases import Release

# Who may change replicas that an adapter owns.
OPERATOR = "system:serviceaccount:dynamo-system:dynamo-operator"
WORKERS = ("worker", "prefill", "decode")
ORIGIN_VERSION = re.compile(r"^v?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$")
CHOICES = {
    "nvidia.com/vllm-distributed-executor-backend": ("mp", "ray"),
    "nvidia.com/dynamo-kube-discovery-mode": ("pod", "container"),
}
ORIGIN = "nvidia.com/dynamo-operator-origin-version"
GROVE = "nvidia.com/enable-grove"
LONGEST_NAME, KEPT_OF_NAME = 45, 8

Graph = dict[str, Any]


@dataclass(frozen=True)
class Change:
    """A graph that somebody wants to make or to change.

    Attributes:
        release: The operator's.
        new: As it would be, in v1beta1.
        old: As it is, in v1beta1; None for a new one.
        user: Whose name stands under it.
    """

    release: Release
    new: Graph
    old: Graph | None
    user: str

    def place(self, name: str) -> str:
        """A component, in the words of the version that the release stores."""
        return f"spec.{'components' if self.release.is_strict else 'services'}[{name}]"


def refusals(change: Change) -> list[str]:
    """Everything that is wrong with a change; nothing for one that is taken."""
    found = [*_of_the_graph(change)]
    for component in components(change.new):
        found += _of_a_component(change, component)
    if change.old is not None:
        found += _of_an_update(change, change.old)
    return found


def warnings(written: Graph) -> list[str]:
    """What a graph says in vain, in the version that it was written in."""
    alpha = convert(written, ALPHA)
    services = (alpha.get("spec") or {}).get("services") or {}
    return [
        f"spec.services[{name}].{field} is deprecated and ignored"
        for name, service in services.items()
        for field in ("dynamoNamespace", "autoscaling")
        if (service or {}).get(field)
    ]


def _of_the_graph(change: Change) -> Iterator[str]:
    annotations = change.new["metadata"].get("annotations") or {}
    if ORIGIN in annotations and not ORIGIN_VERSION.match(annotations[ORIGIN]):
        yield f"annotation {ORIGIN} has invalid value {annotations[ORIGIN]!r}: must be valid semver"
    for annotation, choices in CHOICES.items():
        if annotations.get(annotation, choices[0]) not in choices:
            yield f"annotation {annotation} must be one of {', '.join(choices)}"
    strategy = (change.new["spec"].get("restart") or {}).get("strategy") or {}
    order = strategy.get("order") or []
    named = [component["name"] for component in components(change.new)]
    if order and strategy.get("type") == "Parallel":
        yield "spec.restart.strategy.order cannot be specified when strategy is parallel"
    elif order and sorted(order) != sorted(named):
        yield "spec.restart.strategy.order must have every service once, and no other"


def _of_a_component(change: Change, component: Graph) -> Iterator[str]:
    place = change.place(component["name"])
    spec = (component.get("podTemplate") or {}).get("spec") or {}
    main: Graph = next((one for one in spec.get("containers") or [] if one["name"] == MAIN), {})
    yield from _of_a_name(change, component)
    if component.get("compilationCache") is not None:
        yield from _of_a_cache(place, component["compilationCache"])
    if not change.release.is_strict:
        return
    if not main.get("image"):
        yield f"{place}.podTemplate.spec.containers[{MAIN}].image is required"
    elif not _is_version(main["image"]) and not component.get("runtimeVersionOverride"):
        yield (
            f"{place}: the tag of image {main['image']!r} is no semantic version; "
            "set runtimeVersionOverride"
        )
    if component.get("multinode") and component.get("type") not in WORKERS:
        yield f"{place}.multinode is only supported for worker, prefill and decode"
    sidecar = component.get("frontendSidecar")
    if sidecar and sidecar not in [one["name"] for one in spec.get("containers") or []]:
        yield f"{place}.frontendSidecar: no container is named {sidecar!r}"


def _of_a_name(change: Change, component: Graph) -> Iterator[str]:
    """Grove's names have at most 45 characters; of the graph's 8 are kept if they must be."""
    annotations = change.new["metadata"].get("annotations") or {}
    if annotations.get(GROVE, "").lower() == "false":
        return
    name, graph = component["name"].lower(), change.new["metadata"].get("name", "")[:KEPT_OF_NAME]
    whole = f"{graph}{name}{name}-ldr" if component.get("multinode") else f"{graph}{name}"
    if len(whole) > LONGEST_NAME:
        yield (
            f"{change.place(component['name'])}: combined resource name length {len(whole)} "
            f"exceeds {LONGEST_NAME}-character limit required for pod naming"
        )


def _of_a_cache(place: str, cache: Graph) -> Iterator[str]:
    if not cache.get("pvcName"):
        yield f"{place}.compilationCache.pvcName is required"


def _is_version(image: str) -> bool:
    name, _, digest = image.partition("@")
    tag = name.rsplit("/", 1)[-1].partition(":")[2]
    return not digest and bool(ORIGIN_VERSION.match(tag))


def _of_an_update(change: Change, old: Graph) -> Iterator[str]:
    before = {component["name"]: component for component in components(old)}
    after = {component["name"]: component for component in components(change.new)}
    for name in sorted(set(before) & set(after)):
        yield from _of_a_changed_component(change, name, before[name], after[name])
    rolling = ((old.get("status") or {}).get("rollingUpdate") or {}).get("phase")
    ids = [(graph["spec"].get("restart") or {}).get("id") for graph in (old, change.new)]
    if rolling in ("Pending", "InProgress") and ids[0] != ids[1]:
        yield "spec.restart.id cannot be changed while a rolling update is in progress"


def _of_a_changed_component(change: Change, name: str, old: Graph, new: Graph) -> Iterator[str]:
    place = change.place(name)
    replicas = [component.get("replicas", 1) for component in (old, new)]
    if "scalingAdapter" in new and replicas[0] != replicas[1] and change.user != OPERATOR:
        yield (
            f"{place}.replicas cannot be modified directly when scaling adapter is enabled; "
            "scale or update the related DynamoGraphDeploymentScalingAdapter instead"
        )


def as_beta(graph: Graph) -> Graph:
    """A graph in the version that the rules are written for."""
    return convert(graph, BETA)
