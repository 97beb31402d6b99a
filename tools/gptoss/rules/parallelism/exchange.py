"""How do ranks exchange what they computed: exactly enough, and by a way that there is?"""

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
FORCED = "TRTLLM_FORCE_COMM_METHOD"
WAYS = ("NVLINK_ONE_SIDED", "NVLINK_TWO_SIDED", "DEEPEP", "DEEPEPLOWLATENCY", "ALLGATHER")


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


@rule(
    "P014",
    "forced-exchange-refused",
    Severity.ERROR,
    of=WORKERS,
    needs=(Need.ENGINE, Need.MODEL),
)
def forced_exchange_refused(worker: Worker) -> Iterator[Said]:
    """``TRTLLM_FORCE_COMM_METHOD`` names a way that the engine does not have for the experts.

    With attention data parallelism and experts spread over all ranks the engine takes it at its
    word and stops where it does not know it. NCCL_EP does not take quantised experts, which those
    of gpt-oss are. Without that kind of parallelism nothing reads it.
    """
    forced = worker.pod.environment.get(FORCED)
    ranks = tensor_parallel_size(worker)
    spread = worker.attention_dp and ranks > 1
    if forced is None or not forced.value or not spread:
        return
    if (
        worker.engine.whole("moe_expert_parallel_size") == ranks
        and forced.value.upper() not in WAYS
    ):
        yield Said(
            forced,
            f"{FORCED}={forced.value} is no way that the engine has for these experts, so it stops",
            f"write one of {', '.join(WAYS)}, or remove it",
        )
