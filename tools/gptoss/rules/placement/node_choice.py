"""Will pods land on nodes that can run them?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.kernels.matrix import override_of
from gptoss.rules.readings import quoted
from gptoss.rules.rule import DYNAMO, Need, Said, Severity, rule
from gptoss.rules.subjects import COMPONENTS, WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Component, Deployment, Worker

GRAPH_LABEL = "nvidia.com/dynamo-graph-deployment-name"
ARCHITECTURE_LABEL = "kubernetes.io/arch"
GPU_TAINT = "nvidia.com/gpu"
# Labels that say nothing about the kind of GPU.
WIDE_LABELS = (
    ARCHITECTURE_LABEL,
    "kubernetes.io/os",
    "nvidia.com/gpu.present",
    "nvidia.com/gpu.count",
    "nvidia.com/gpu.deploy.driver",
)


@rule(
    "L001",
    "anti-affinity-matches-nothing",
    Severity.INFO,
    of=COMPONENTS,
    runtimes=DYNAMO,
)
def anti_affinity_matches_nothing(component: Component, deployment: Deployment) -> Iterator[Said]:
    """An anti-affinity names a pod label value that no pod has.

    nvidia.com/dynamo-graph-deployment-name holds the name of the deployment, not that of a
    component or Service. The rule that was meant to spread pods does nothing.
    """
    names = {f"{deployment.name}-{c.name}".lower(): c.name for c in deployment.components}
    for affinity in component.pod.anti_affinity:
        for key, values in affinity.labels:
            wrong = [value for value in values if value.lower() in names]
            if key != GRAPH_LABEL or not wrong or deployment.name in values:
                continue
            yield Said(
                affinity,
                f"the pod keeps away from pods with {key} {wrong[0]!r}, but the label "
                f"holds the deployment's name, {deployment.name!r}: it matches no pod",
                f"match {key}: {deployment.name} and nvidia.com/dynamo-component: "
                f"{names[wrong[0].lower()]}",
                also=[(deployment, f"the deployment is called {deployment.name}")],
            )


@rule(
    "L002",
    "any-gpu-will-do",
    Severity.INFO,
    of=WORKERS,
)
def any_gpu_will_do(worker: Worker) -> Iterator[Said]:
    """A worker may be scheduled on any kind of GPU.

    Its engine YAML was made for one kind: kernels, memory and parallel sizes follow from it. On a
    cluster with several kinds the worker starts where there is room, loads for half an hour and
    fails, or runs with another kernel.
    """
    if worker.gpu is not None:
        return
    if any(n.required and n.key not in WIDE_LABELS for n in worker.pod.nodes):
        return
    needs = blackwell_needs(worker)
    why = f", but {quoted(needs)} need Blackwell" if len(needs) > 1 else ""
    why = f", but {needs[0]} needs Blackwell" if len(needs) == 1 else why
    asked = [node for node in worker.pod.nodes if node.required]
    yield Said(
        asked[0] if asked else worker,
        f"the pod asks for no kind of GPU and may land on any{why}",
        "add a node selector such as nvidia.com/gpu.product: NVIDIA-GB200, and "
        "kubernetes.io/arch with it",
    )


def blackwell_needs(worker: Worker) -> list[str]:
    """What of a worker's settings exists on Blackwell only."""
    if not worker.engine_known:
        return []
    needs = []
    if worker.engine.text("moe_config.backend") == "TRTLLM":
        needs.append("moe_config.backend TRTLLM")
    override = override_of(worker)
    if override and override[1] == "W4A8_MXFP4_MXFP8":
        needs.append(f"{override[0].name} {override[1]}")
    if (worker.engine.text("kv_cache_config.dtype") or "").lower() in ("fp8", "nvfp4"):
        needs.append(f"kv_cache_config.dtype {worker.engine.text('kv_cache_config.dtype')}")
    return needs


@rule(
    "L003",
    "gpu-and-architecture-disagree",
    Severity.ERROR,
    of=WORKERS,
    needs=(Need.GPU,),
)
def gpu_and_architecture_disagree(worker: Worker) -> Iterator[Said]:
    """A worker asks for a GPU and for a CPU architecture that its nodes do not have.

    No node has both labels, so the pod stays Pending for ever.
    """
    gpu = worker.gpu
    for node in worker.pod.nodes:
        asks = node.required and node.operator == "In" and node.key == ARCHITECTURE_LABEL
        if gpu and asks and gpu.architecture not in node.values:
            yield Said(
                node,
                f"the pod asks for {gpu.name} and for {node.key} "
                f"{quoted(node.values)}; its nodes are {gpu.architecture}",
                f"write {ARCHITECTURE_LABEL}: {gpu.architecture}",
            )


@rule(
    "L004",
    "no-cpu-or-memory-request",
    Severity.INFO,
    of=WORKERS,
)
def no_cpu_or_memory_request(worker: Worker) -> Iterator[Said]:
    """A worker requests no CPU or no memory.

    The scheduler counts it as free and packs other pods beside it. Loading 61 GiB of weights then
    competes for CPU, and under memory pressure the worker is evicted among the first.
    """
    asked = {*worker.pod.requests, *worker.pod.limits}
    missing = [name for name in ("cpu", "memory") if name not in asked]
    if missing:
        yield Said(
            worker.gpus_per_pod or worker,
            f"the pod requests no {' and no '.join(missing)}",
            "add requests, such as cpu 24 and memory 128Gi for each GPU of a GB200 node",
        )


@rule(
    "L005",
    "gpu-taint-not-tolerated",
    Severity.INFO,
    of=WORKERS,
)
def gpu_taint_not_tolerated(worker: Worker) -> Iterator[Said]:
    """A worker does not tolerate the taint that GPU nodes usually have.

    Managed clusters keep other pods off GPU nodes with the taint nvidia.com/gpu. Without the
    toleration the worker stays Pending there; elsewhere it does no harm.
    """
    keys = {toleration.key for toleration in worker.pod.tolerations}
    if not keys & {GPU_TAINT, ""}:
        yield Said(
            worker,
            f"the pod does not tolerate {GPU_TAINT}, the usual taint of GPU nodes",
            f"add the toleration {{key: {GPU_TAINT}, operator: Exists}}",
        )
