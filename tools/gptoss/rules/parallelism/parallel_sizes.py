"""Do the parallel sizes fit the GPUs, the model and each other?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.readings import parallel_size, tensor_parallel_size
from gptoss.rules.rule import Need, Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Worker
    from gptoss.deployment.settings import Setting
    from gptoss.facts.world import Model

SIZES = ("tensor_parallel_size", "pipeline_parallel_size", "context_parallel_size")


def _product(worker: Worker) -> str:
    """The parallel sizes above 1 as a product: ``tensor_parallel_size 4 × … 2``."""
    named = [f"{size} {n}" for size in SIZES if (n := worker.engine.whole(size) or 1) > 1]
    return " × ".join(named) or "tensor_parallel_size 1"


@rule(
    "P001",
    "too-few-gpus",
    Severity.ERROR,
    of=WORKERS,
    needs=(Need.ENGINE,),
)
def too_few_gpus(worker: Worker) -> Iterator[Said]:
    """A worker's parallel sizes need more GPUs than it gets.

    One GPU serves one rank, and there are tensor × pipeline × context parallel size ranks. The
    engine stops while it starts, and the pod restarts for ever. Expert parallelism and attention
    data parallelism divide the same ranks and need no more.
    """
    if worker.gpus_per_pod and worker.gpus < worker.ranks:
        yield Said(
            worker.gpus_per_pod,
            f"{_product(worker)} needs {_count(worker.ranks)}, but a replica gets {_gpus(worker)}",
            _gpu_hint(worker),
            also=[(_largest(worker), f"{_product(worker)} = {worker.ranks}")],
        )


@rule(
    "P002",
    "idle-gpus",
    Severity.WARNING,
    of=WORKERS,
    needs=(Need.ENGINE,),
)
def idle_gpus(worker: Worker) -> Iterator[Said]:
    """A worker gets more GPUs than its parallel sizes use.

    The engine starts one rank for each of tensor × pipeline × context parallel size and leaves the
    other GPUs idle, reserved and paid for.
    """
    if worker.gpus_per_pod and worker.gpus > worker.ranks:
        yield Said(
            worker.gpus_per_pod,
            f"{_product(worker)} uses {_count(worker.ranks)}, but a replica gets {_gpus(worker)}",
            _gpu_hint(worker),
            also=[(_largest(worker), f"{_product(worker)} = {worker.ranks}")],
        )


def _count(gpus: int) -> str:
    return "1 GPU" if gpus == 1 else f"{gpus} GPUs"


def _gpus(worker: Worker) -> str:
    nodes = worker.nodes.value
    pod = worker.gpus_per_pod.value if worker.gpus_per_pod else 0
    return f"{worker.gpus} ({pod} on each of {nodes} nodes)" if nodes > 1 else str(worker.gpus)


def _gpu_hint(worker: Worker) -> str:
    if worker.ranks % worker.nodes.value == 0:
        return f"set the GPU limit to {worker.ranks // worker.nodes.value}, or change the sizes"
    return f"choose sizes whose product is {worker.gpus}"


def _largest(worker: Worker) -> Setting:
    return max((worker.engine[s] for s in SIZES), key=lambda s: worker.engine.whole(s.key) or 0)


@rule(
    "P003",
    "expert-sizes-do-not-multiply",
    Severity.ERROR,
    of=WORKERS,
    needs=(Need.ENGINE,),
)
def expert_sizes_do_not_multiply(worker: Worker) -> Iterator[Said]:
    """MoE tensor and expert parallel size do not multiply to the tensor parallel size.

    The expert layers run on the same ranks as the rest, so the two must share them out exactly.
    When only one is set the engine derives the other, which takes a whole quotient.
    """
    if (worker.engine.whole("context_parallel_size") or 1) > 1:
        return
    tp = tensor_parallel_size(worker)
    ep = parallel_size(worker, "moe_expert_parallel_size")
    moe_tp = parallel_size(worker, "moe_tensor_parallel_size")
    cluster = parallel_size(worker, "moe_cluster_parallel_size") or 1
    if ep and moe_tp and ep * moe_tp * cluster != tp:
        product = f"moe_tensor_parallel_size {moe_tp} × moe_expert_parallel_size {ep}"
        if cluster > 1:
            product += f" × moe_cluster_parallel_size {cluster}"
        told = f"{product} = {moe_tp * ep * cluster}, but tensor_parallel_size is {tp}"
    elif (ep or moe_tp) and tp % (ep or moe_tp or 1):
        key = "moe_expert_parallel_size" if ep else "moe_tensor_parallel_size"
        told = f"{key} {ep or moe_tp} does not divide tensor_parallel_size {tp}"
    else:
        return
    at = worker.engine["moe_expert_parallel_size" if ep else "moe_tensor_parallel_size"]
    yield Said(
        at,
        told,
        f"choose sizes whose product is {tp}, as in moe_expert_parallel_size: {tp} alone",
        also=[(worker.engine["tensor_parallel_size"], f"tensor_parallel_size is {tp}")],
    )


@rule(
    "P004",
    "heads-not-divisible",
    Severity.ERROR,
    of=WORKERS,
    needs=(Need.ENGINE, Need.MODEL),
)
def heads_not_divisible(worker: Worker, model: Model) -> Iterator[Said]:
    """The tensor parallel size does not divide the model's attention heads.

    Each rank takes an equal share of the heads, so the model cannot be built. With attention data
    parallelism every rank has all heads and any size will do.
    """
    tp = tensor_parallel_size(worker)
    if not worker.attention_dp and model.attention_heads % tp:
        yield Said(
            worker.engine["tensor_parallel_size"],
            f"tensor_parallel_size {tp} does not divide the "
            f"{model.attention_heads} attention heads of {model.id}",
            f"use a divisor of {model.attention_heads}: 1, 2, 4, 8",
        )


@rule(
    "P005",
    "experts-not-divisible",
    Severity.WARNING,
    of=WORKERS,
    needs=(Need.ENGINE, Need.MODEL),
)
def experts_not_divisible(worker: Worker, model: Model) -> Iterator[Said]:
    """The expert parallel size does not divide the model's experts.

    gpt-oss's expert layer counts the same number of experts for every rank and leaves the remainder
    out. From about TensorRT-LLM 1.3.0rc18 on ranks may hold different numbers, but that layer still
    counts as before. (With an expert load balancer its slots have to divide evenly instead.)
    """
    ep = parallel_size(worker, "moe_expert_parallel_size")
    balanced = worker.engine.under("moe_config.load_balancer")
    if ep and model.experts % ep and not balanced:
        yield Said(
            worker.engine["moe_expert_parallel_size"],
            f"moe_expert_parallel_size {ep} does not divide the "
            f"{model.experts} experts of {model.id}",
            f"use a divisor of {model.experts}: 1, 2, 4, 8",
        )


@rule(
    "P012",
    "pipeline-parallelism-not-supported",
    Severity.ERROR,
    of=WORKERS,
    needs=(Need.ENGINE, Need.MODEL),
)
def pipeline_parallelism_not_supported(worker: Worker, model: Model) -> Iterator[Said]:
    """Pipeline parallelism is asked for, which TensorRT-LLM does not have for the model.

    Its gpt-oss asserts a pipeline parallel size of 1 while it is built, so the worker does not
    start.
    """
    size = parallel_size(worker, "pipeline_parallel_size") or 1
    if size > 1:
        yield Said(
            worker.engine["pipeline_parallel_size"],
            f"pipeline_parallel_size is {size}, but {model.id} runs without pipeline parallelism",
            f"remove it, and write tensor_parallel_size: {tensor_parallel_size(worker) * size}",
        )
