"""Could a pod land on a node that cannot run it?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.rules.placement.node_choice import ARCHITECTURE_LABEL, blackwell_needs
from gptoss.rules.readings import quoted
from gptoss.rules.rule import Need, Said, Severity, rule
from gptoss.rules.subjects import COMPONENTS, WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Component, Deployment, Worker
    from gptoss.deployment.pods import NodeRequirement, Pod
    from gptoss.facts.world import Facts, Gpu

GPU_LABEL = "nvidia.com/gpu.product"
TAG_ARCHITECTURE = re.compile(r":[^/]*\b(amd64|arm64)\b")


def asked_architectures(pod: Pod) -> tuple[str, ...]:
    """The CPU architectures that a pod's placement allows; () when it allows any."""
    for node in pod.nodes:
        if node.required and node.operator == "In" and node.key == ARCHITECTURE_LABEL:
            return node.values
    return ()


def image_architecture(component: Component) -> str | None:
    """The one CPU architecture that an image's tag says it is for."""
    image = component.pod.image
    found = TAG_ARCHITECTURE.search(image.value) if image else None
    return found[1] if found else None


@rule(
    "L006",
    "image-of-another-architecture",
    Severity.ERROR,
    of=COMPONENTS,
)
def image_of_another_architecture(component: Component, deployment: Deployment) -> Iterator[Said]:
    """An image is made for another CPU architecture than the nodes that its pod asks for.

    Its programs cannot be executed there ("exec format error").
    """
    gpus = {worker.name: worker.gpu for worker in deployment.workers}
    image, made_for = component.pod.image, image_architecture(component)
    gpu = gpus.get(component.name)
    asked = (gpu.architecture,) if gpu else asked_architectures(component.pod)
    if image is None or made_for is None or not asked or made_for in asked:
        return
    nodes = f"{gpu.name} nodes are" if gpu else "it asks for nodes that are"
    yield Said(
        image,
        f"image {image.value} is for {made_for}, but {nodes} {quoted(asked)}",
        "use the tag without an architecture, which has both",
    )


@rule(
    "L007",
    "image-cannot-run-everywhere",
    Severity.WARNING,
    of=COMPONENTS,
)
def image_cannot_run_everywhere(component: Component, deployment: Deployment) -> Iterator[Said]:
    """An image is for one CPU architecture, and its pod may land on nodes of another.

    The workers ask for nodes of that other architecture, so the cluster has them.
    """
    workers = {worker.name for worker in deployment.workers}
    there = {worker.gpu.architecture for worker in deployment.workers if worker.gpu}
    image, made_for = component.pod.image, image_architecture(component)
    if component.name in workers or image is None or made_for is None:
        return
    other = sorted(there - {made_for})
    pinned = any(node.required and "gpu" not in node.key for node in component.pod.nodes)
    if other and not pinned:
        yield Said(
            image,
            f"image {image.value} is for {made_for}, but the pod may land on "
            f"the {other[0]} nodes of the workers",
            f"use the tag without an architecture, or add {ARCHITECTURE_LABEL}: {made_for}",
        )


@rule(
    "L008",
    "placement-allows-wrong-gpu",
    Severity.WARNING,
    of=WORKERS,
    needs=(Need.ENGINE,),
)
def placement_allows_wrong_gpu(worker: Worker, facts: Facts) -> Iterator[Said]:
    """A worker may land on several kinds of GPU, and its settings do not work on one of them.

    It starts where there is room: on the wrong kind it loads for half an hour and fails, or runs
    another kernel than it was tuned for.
    """
    needs = blackwell_needs(worker)
    for node in worker.pod.nodes if worker.gpu is None and needs else ():
        wrong = [gpu for gpu in _allowed(node, worker.pod, facts) if not gpu.is_blackwell]
        if wrong:
            yield Said(
                node,
                f"the pod may land on {quoted(gpu.name for gpu in wrong)}, but "
                f"{quoted(needs)} {'needs' if len(needs) == 1 else 'need'} Blackwell",
                "allow Blackwell GPUs only, or give each kind a worker with settings of its own",
            )


def _allowed(node: NodeRequirement, pod: Pod, facts: Facts) -> list[Gpu]:
    """The kinds of GPU that a requirement allows, of those whose nodes the pod may use."""
    if node.key != GPU_LABEL or not node.required or node.operator != "In":
        return []
    known = [gpu for value in node.values if (gpu := facts.gpu_of(value))]
    architectures = asked_architectures(pod)
    return [gpu for gpu in known if not architectures or gpu.architecture in architectures]
