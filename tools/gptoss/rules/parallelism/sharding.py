"""Are the parallel sizes a good choice for this model, this GPU and these kernels?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.moe_backends import backend_of
from gptoss.rules.readings import tensor_parallel_size
from gptoss.rules.rule import Need, Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Worker
    from gptoss.facts.world import Model


@rule(
    "P006",
    "kv-heads-duplicated",
    Severity.WARNING,
    of=WORKERS,
    needs=(Need.ENGINE, Need.MODEL),
)
def kv_heads_duplicated(worker: Worker, model: Model) -> Iterator[Said]:
    """The tensor parallel size is larger than the model's number of KV heads.

    KV heads are shared out one a rank and copied beyond that: from there on more ranks hold the
    same KV cache again instead of more of it.
    """
    size = worker.engine["tensor_parallel_size"]
    tp = tensor_parallel_size(worker)
    if not worker.attention_dp and tp > model.kv_heads:
        yield Said(
            size,
            f"tensor_parallel_size {tp} is larger than the {model.kv_heads} KV "
            f"heads of {model.id}, so {tp // model.kv_heads} ranks keep copies of each",
            f"use {model.kv_heads} GPUs a replica and more replicas, or enable_attention_dp",
        )


@rule(
    "P007",
    "attention-dp-on-one-gpu",
    Severity.WARNING,
    of=WORKERS,
    needs=(Need.ENGINE,),
)
def attention_dp_on_one_gpu(worker: Worker) -> Iterator[Said]:
    """Attention data parallelism is on for a single tensor parallel rank.

    It hands requests to the tensor parallel ranks; with one rank there is nothing to hand out,
    only its bookkeeping remains.
    """
    tp = tensor_parallel_size(worker)
    if worker.attention_dp and tp == 1:
        yield Said(
            worker.engine["enable_attention_dp"],
            "enable_attention_dp has no effect with tensor_parallel_size 1",
            "remove enable_attention_dp, or raise tensor_parallel_size",
        )


@rule(
    "P008",
    "attention-dp-config-unused",
    Severity.INFO,
    of=WORKERS,
    needs=(Need.ENGINE,),
)
def attention_dp_config_unused(worker: Worker) -> Iterator[Said]:
    """``attention_dp_config`` is set while attention data parallelism is off.

    The block only tells how requests are balanced between attention data parallel ranks. Whoever
    wrote it meant to have some.
    """
    settings = worker.engine.under("attention_dp_config")
    if not settings or worker.attention_dp:
        return
    switch = worker.engine["enable_attention_dp"]
    also = [(switch, "enable_attention_dp is false")] if switch.is_set else []
    first = settings[0]
    yield Said(
        first,
        f"{first.key} {_shown(first.value)} has no effect while enable_attention_dp is off",
        "remove attention_dp_config, or set enable_attention_dp: true",
        also=also,
    )


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@rule(
    "P009",
    "more-gpus-than-a-node-has",
    Severity.ERROR,
    of=WORKERS,
    needs=(Need.GPU,),
)
def more_gpus_than_a_node_has(worker: Worker) -> Iterator[Said]:
    """A pod asks for more GPUs than a node of this kind has.

    It stays Pending for ever. A replica spans nodes only as multinode, which makes one pod a node.
    """
    asked, gpu = worker.gpus_per_pod, worker.gpu
    if asked is None or gpu is None or asked.value <= gpu.per_node:
        return
    nodes = -(-asked.value // gpu.per_node)
    yield Said(
        asked,
        f"a pod asks for {asked.value} GPUs, but a {gpu.name} node has {gpu.per_node}",
        f"write multinode: {{nodeCount: {nodes}}} with a GPU limit of "
        f"{asked.value // nodes}, or use smaller parallel sizes",
    )


@rule(
    "P010",
    "triton-without-expert-parallel",
    Severity.INFO,
    of=WORKERS,
    needs=(Need.ENGINE, Need.MODEL),
)
def triton_without_expert_parallel(worker: Worker) -> Iterator[Said]:
    """The TRITON MoE backend runs with experts split by tensor parallelism.

    TensorRT-LLM's table for gpt-oss lists expert parallelism only for it, and NVIDIA's own
    configurations for Hopper set the expert parallel size to the tensor parallel size. Its loader
    can split experts otherwise too, which nobody publishes numbers of. On Hopper AUTO is TRITON.
    """
    backend = worker.engine["moe_config.backend"]
    tp = tensor_parallel_size(worker)
    ep = worker.engine.whole("moe_expert_parallel_size") or 1
    if backend_of(worker) != "TRITON" or tp == 1 or ep == tp:
        return
    size = worker.engine["moe_expert_parallel_size"]
    named = (
        "moe_config.backend TRITON" if backend.value == "TRITON" else "TRITON, which AUTO picks,"
    )
    yield Said(
        size if size.is_set else backend,
        f"{named} is meant for expert parallelism, but moe_expert_parallel_size is {ep} of "
        f"tensor_parallel_size {tp}",
        f"write moe_expert_parallel_size: {tp}",
        also=[(backend, "moe_config.backend is TRITON")] if backend.value == "TRITON" else [],
    )


@rule(
    "P011",
    "attention-dp-without-expert-parallel",
    Severity.INFO,
    of=WORKERS,
    needs=(Need.ENGINE, Need.MODEL),
)
def attention_dp_without_expert_parallel(worker: Worker) -> Iterator[Said]:
    """CUTLASS with attention data parallelism runs with less than full expert parallelism.

    With attention data parallelism each rank brings tokens of its own. They go to the rank that has
    their expert only with pure expert parallelism; else every rank gathers those of all others.
    """
    backend = worker.engine["moe_config.backend"]
    tp = tensor_parallel_size(worker)
    ep = worker.engine.whole("moe_expert_parallel_size") or 1
    if backend.value == "CUTLASS" and worker.attention_dp and ep != tp:
        size = worker.engine["moe_expert_parallel_size"]
        yield Said(
            size if size.is_set else backend,
            f"moe_config.backend CUTLASS with enable_attention_dp wants pure expert parallelism, "
            f"but moe_expert_parallel_size is {ep} of tensor_parallel_size {tp}",
            f"write moe_expert_parallel_size: {tp}",
            also=[(backend, "moe_config.backend is CUTLASS")],
        )
