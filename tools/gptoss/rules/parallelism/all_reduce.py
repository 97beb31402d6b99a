"""Do tensor parallel ranks add up what they computed exactly enough?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.readings import tensor_parallel_size
from gptoss.rules.rule import Need, Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Worker

IN_32_BITS = "ALL_REDUCE_FUSION_KERNEL_ACC_FP32"
# Strategies with which the kernels of 16 bits may run.
IN_16_BITS = ("AUTO", "ONESHOT", "TWOSHOT", "MIN_LATENCY", "MINLATENCY")
# Ranks that these kernels are made for.
RANKS = (2, 4, 8, 16)


@rule(
    "P013",
    "all-reduce-in-16-bits",
    Severity.WARNING,
    of=WORKERS,
    engine_only=False,
    needs=(Need.ENGINE, Need.MODEL, Need.RELEASE),
)
def all_reduce_in_16_bits(worker: Worker) -> Iterator[Said]:
    """Tensor parallel ranks may add up in 16 bits, which costs gpt-oss-120b accuracy.

    After each layer the ranks add what they computed. The fused kernels do it in bfloat16, and the
    engine picks them or others by speed alone at every start. gpt-oss-120b has values so large that
    this is about 5 points of GPQA, from one start to the next. With attention data parallelism
    nothing is added up. Adding in 32 bits took no more time in NVIDIA's measurements.
    """
    strategy = worker.engine["allreduce_strategy"]
    fused = (worker.engine.text("allreduce_strategy") or "AUTO").upper() in IN_16_BITS
    tp = tensor_parallel_size(worker)
    if worker.attention_dp or tp not in RANKS or not fused:
        return
    if worker.pod.environment.get(IN_32_BITS) is None:
        yield Said(
            strategy if strategy.is_set else worker.engine["tensor_parallel_size"],
            f"the {tp} tensor parallel ranks may add up in 16 bits, which costs about 5 points of "
            "GPQA",
            f'set {IN_32_BITS}: "1" on the worker, or write allreduce_strategy: NCCL',
        )
