"""What a source would install: its objects as the API server would get them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gptoss.cluster.pod_sets import PodSet, pod_sets
from gptoss.deployment.model import Platform
from gptoss.sources.kubernetes.graph import KIND
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from gptoss.cluster.live_cluster import Object
    from gptoss.deployment.model import Deployment
    from gptoss.facts.world import Facts
    from gptoss.sources.chart.helm import ChartSource
    from gptoss.sources.request import Request

HOOK = "helm.sh/hook"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a source would install.

    Attributes:
        label: What the user called it.
        release: Name of the Helm release; '' for manifests.
        namespace: Where it is installed.
        objects: Its objects, without those that are made for a test only.
        deployment: The same as it is read.
        facts: What it was read with.
    """

    label: str
    release: str
    namespace: str
    objects: tuple[Object, ...]
    deployment: Deployment
    facts: Facts

    @property
    def pods(self) -> list[PodSet]:
        """The pods that its objects bring."""
        return pod_sets(self.objects)

    @property
    def graph(self) -> Object | None:
        """The graph among its objects, if there is one."""
        return next((o for o in self.objects if o["kind"] == KIND), None)

    def makes(self, kind: str, name: str) -> bool:
        """Whether an object is among its own."""
        return any(o["kind"] == kind and o["metadata"]["name"] == name for o in self.objects)


def wanted(request: Request, namespace: str) -> Wanted:
    """What the one source of a request installs into a namespace, unless manifests name another.

    Raises:
        InputError: There is not exactly one, it cannot be read, Helm refuses it, or it is nothing
            that Kubernetes runs.
    """
    from gptoss.facts.world import Facts
    from gptoss.sources.request import plan_of

    plan, facts = plan_of(request), Facts()
    if not request.sources or len(plan.charts) > 1:
        raise InputError("give one target, or the manifests of one deployment")
    if plan.charts:
        return _of_chart(replace(plan.charts[0], with_benchmark=False), namespace, facts)
    from gptoss.sources.load import load

    deployments = load(request).deployments
    if len(deployments) != 1:
        raise InputError(f"{request.sources[0]}: it holds several deployments; give one")
    (deployment,) = deployments
    if deployment.platform is not Platform.KUBERNETES or deployment.engine_only:
        raise InputError(f"{deployment.source}: it is nothing that Kubernetes runs; give manifests")
    objects = [o for file in plan.files for tree in file.trees for o in _flat(tree.plain())]
    namespace = deployment.namespace.value if deployment.namespace else namespace
    return Wanted(deployment.source, "", namespace, tuple(objects), deployment, facts)


def _of_chart(source: ChartSource, namespace: str, facts: Facts) -> Wanted:
    from gptoss.sources.chart.build import build_chart
    from gptoss.sources.chart.helm import find_helm, run_helm
    from gptoss.sources.chart.on_disk import on_disk
    from gptoss.text.plain_yaml import load_all

    with on_disk() as laid:
        words = source.argv(find_helm(), laid)
        rendering = run_helm(source, [*words, "--namespace", namespace])
    deployment = build_chart(rendering, facts)
    if deployment.is_refused:
        problem = deployment.problems[0]
        raise InputError(
            f"{problem.message} (gptoss check {source.label} says more)", problem.place
        )
    objects = [o for document in load_all(rendering.output) for o in _flat(document)]
    kept = tuple(o for o in objects if HOOK not in (o["metadata"].get("annotations") or {}))
    return Wanted(source.label, source.name, namespace, kept, deployment, facts)


def _flat(document: Any) -> list[Object]:
    """The objects of a document; a List holds several."""
    if not isinstance(document, dict) or "kind" not in document:
        return []
    if document["kind"] == "List":
        return [found for each in document.get("items") or [] for found in _flat(each)]
    return [document]
