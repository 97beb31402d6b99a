"""Is there memory for a single request, and for the programs themselves?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.rule import ANY, Need, Said, Severity, rule
from gptoss.rules.subjects import PODS, WORKERS
from gptoss.text.quantity import amount

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Worker
    from gptoss.deployment.pods import Pod

TOKENS = "kv_cache_config.max_tokens"


@rule(
    "K210",
    "cache-smaller-than-a-request",
    Severity.WARNING,
    of=WORKERS,
    runtimes=ANY,
    needs=(Need.ENGINE,),
)
def cache_smaller_than_a_request(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """``kv_cache_config.max_tokens`` holds fewer tokens than one request of the benchmark has.

    The number is that of all requests of a rank together. Left out, the cache takes what
    free_gpu_memory_fraction leaves it.
    """
    room, load = worker.engine.whole(TOKENS), deployment.benchmark
    if room is None or load is None or load.input_tokens is None or load.output_tokens is None:
        return
    asked = load.input_tokens.value + load.output_tokens.value
    if room < asked:
        yield Said(
            worker.engine[TOKENS],
            f"{TOKENS} is {room:,}, but one request of the benchmark has {asked:,} tokens",
            "leave it out, or write what all requests at once have",
            also=[(load.input_tokens, f"{load.input_tokens.value:,} tokens of prompt")],
        )


# What a Python program starts in, and each rank of an engine beside it with its CUDA context.
PROGRAM_GIB, RANK_GIB = 0.25, 2


@rule(
    "K211",
    "memory-limit-below-start",
    Severity.WARNING,
    of=PODS,
    runtimes=ANY,
    engine_only=False,
)
def memory_limit_below_start(pod: Pod, deployment: Deployment) -> Iterator[Said]:
    """A container may use less memory than its program starts in.

    The kernel ends it while it starts, and Kubernetes starts it again and again. Each rank of an
    engine is a process of its own with a CUDA context.
    """
    limit = pod.limits.get("memory")
    size = amount(limit.value) if limit else None
    if limit is None or size is None:
        return
    ranks = sum(-(-w.ranks // max(1, w.nodes.value)) for w in deployment.workers if w.pod is pod)
    least = PROGRAM_GIB + RANK_GIB * ranks
    if size < least * 2**30:
        starts = f"{ranks} ranks of an engine start" if ranks else "its program starts"
        yield Said(
            limit,
            f"the memory limit {limit.value} is less than {starts} in",
            f"write {max(1, round(least))}Gi or more, or no limit",
        )
