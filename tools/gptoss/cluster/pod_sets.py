"""The pods that objects bring, as they will stand before the scheduler and admission."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from gptoss.sources.kubernetes.graph import KIND
from gptoss.text.quantity import amount

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gptoss.cluster.live_cluster import Object

GPU = "nvidia.com/gpu"


@dataclass(frozen=True, slots=True)
class PodSet:
    """Pods that are alike.

    Attributes:
        name: What a person calls them, as in ``decode``.
        kind: Kind of the object that brings them.
        spec: Their spec; containers have their resources as Kubernetes names them.
        count: How many there are.
        everywhere: Whether there is one on each node that fits instead.
    """

    name: str
    kind: str
    spec: dict[str, Any]
    count: int
    everywhere: bool = False

    @property
    def containers(self) -> list[dict[str, Any]]:
        """Every container, those that run before the others first."""
        return [*(self.spec.get("initContainers") or []), *(self.spec.get("containers") or [])]

    @property
    def is_worker(self) -> bool:
        """Whether its pods ask for GPUs."""
        return requests(self.spec).get(GPU, 0) > 0


def pod_sets(objects: Iterable[Object]) -> list[PodSet]:
    """The pods that objects bring, in their order."""
    return [found for each in objects for found in _of(each)]


def requests(spec: dict[str, Any], kind: str = "requests") -> dict[str, Fraction]:
    """What a pod takes of its node: its containers together, or the largest that runs before.

    Args:
        spec: The pod's spec.
        kind: ``requests``, where a limit counts without a request, or ``limits``.

    Source: k8s.io/component-helpers v0.36.3 resource/helpers.go (PodRequests).
    """
    together: dict[str, Fraction] = {}
    before: dict[str, Fraction] = {}
    beside: dict[str, Fraction] = {}
    for container in spec.get("initContainers") or []:
        wanted = _amounts(container, kind)
        if container.get("restartPolicy") == "Always":
            _add(beside, wanted)
            continue
        _add(wanted, beside)
        for name, value in wanted.items():
            before[name] = max(before.get(name, Fraction()), value)
    _add(together, beside)
    for container in spec.get("containers") or []:
        _add(together, _amounts(container, kind))
    names = {*together, *before}
    found = {n: max(together.get(n, Fraction()), before.get(n, Fraction())) for n in names}
    _add(found, {n: amount(str(v)) or Fraction() for n, v in (spec.get("overhead") or {}).items()})
    return found


def _amounts(container: dict[str, Any], kind: str) -> dict[str, Fraction]:
    resources = container.get("resources") or {}
    limits = resources.get("limits") or {}
    asked = {**limits, **(resources.get("requests") or {})} if kind == "requests" else limits
    return {name: amount(str(value)) or Fraction() for name, value in asked.items()}


def _add(total: dict[str, Fraction], more: dict[str, Fraction]) -> None:
    for name, value in more.items():
        total[name] = total.get(name, Fraction()) + value


def _of(thing: Object) -> Iterator[PodSet]:
    kind, spec = thing["kind"], thing.get("spec") or {}
    if kind == KIND:
        yield from _of_graph(spec)
    elif kind == "Pod":
        yield PodSet(thing["metadata"]["name"], kind, spec, 1)
    elif kind in ("Deployment", "StatefulSet", "DaemonSet", "Job"):
        template = spec.get("template") or {}
        labels = (template.get("metadata") or {}).get("labels") or {}
        name = labels.get("app.kubernetes.io/component") or thing["metadata"]["name"]
        count = spec.get("parallelism" if kind == "Job" else "replicas")
        everywhere = kind == "DaemonSet"
        count = 0 if everywhere else 1 if count is None else int(count)
        yield PodSet(str(name), kind, template.get("spec") or {}, count, everywhere)


def _of_graph(spec: dict[str, Any]) -> Iterator[PodSet]:
    """Components in either version of the resource; a replica may have several nodes."""
    for name, service in (spec.get("services") or {}).items():
        yield PodSet(str(name), KIND, _service_spec(service), pods_of_component(service))
    for each in spec.get("components") or []:
        pod = (each.get("podTemplate") or {}).get("spec") or {}
        yield PodSet(str(each["name"]), KIND, pod, pods_of_component(each))


def pods_of_component(component: Mapping[str, Any]) -> int:
    """How many pods a component of a graph has; on several nodes, two unless it says how many."""
    replicas, several = component.get("replicas"), component.get("multinode")
    nodes = 1 if several is None else several.get("nodeCount") or 2
    return int(1 if replicas is None else replicas) * int(nodes)


def _service_spec(service: dict[str, Any]) -> dict[str, Any]:
    """The pod of a v1alpha1 service, as the operator makes it of what stands beside it."""
    pod = dict(service.get("extraPodSpec") or {})
    main = {"name": "main", **(pod.pop("mainContainer", None) or {})}
    main["resources"] = {**(main.get("resources") or {}), **_resources(service)}
    if secret := service.get("envFromSecret"):
        main["envFrom"] = [*(main.get("envFrom") or []), {"secretRef": {"name": secret}}]
    mounts = service.get("volumeMounts") or []
    volumes = [{"persistentVolumeClaim": {"claimName": mount.get("name")}} for mount in mounts]
    return {
        **pod,
        "containers": [main, *(pod.get("containers") or [])],
        "volumes": [*(pod.get("volumes") or []), *volumes],
    }


def _resources(service: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for kind, amounts in (service.get("resources") or {}).items():
        if kind in ("requests", "limits"):
            both = {**amounts, **(amounts.get("custom") or {})}
            gpu = amounts.get("gpuType") or GPU
            left = {k: v for k, v in both.items() if k not in ("custom", "gpuType")}
            found[kind] = {gpu if name == "gpu" else name: value for name, value in left.items()}
    return found
