"""Is there memory for the requests that the batch promises, where no benchmark says how long?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.memory.worker_memory import memory_of
from gptoss.rules.rule import Need, Said, Severity, rule
from gptoss.rules.subjects import DECODING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Worker
    from gptoss.memory.gpu_memory import GpuMemory

# Fewer tokens than this a request of gpt-oss hardly has with its instructions and its reasoning.
SHORT = 1024


@rule(
    "T004",
    "kv-room-below-the-batch",
    Severity.INFO,
    of=DECODING,
    needs=(Need.ENGINE, Need.MODEL, Need.GPU),
    engine_only=True,
)
def kv_room_below_the_batch(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """By estimate the KV cache has less than 1,024 tokens for each request of max_batch_size.

    The batch can then never be filled with requests of usual length: they wait, though the batch
    has room. Where a benchmark says how long requests are, K003 judges by that.
    """
    load = deployment.benchmark
    if load is not None and load.input_tokens is not None and load.output_tokens is not None:
        return
    size, batch = worker.engine["max_batch_size"], worker.engine.whole("max_batch_size")
    memory = memory_of(worker, deployment)
    if not size.is_set or batch is None or batch < 1 or memory is None:
        return
    length = min(SHORT, memory.shape.max_seq_len)
    held = memory.sequences(length)
    if held < batch:
        yield Said(
            size,
            f"by estimate the KV cache holds about {held:,} requests of only {length:,} tokens, "
            f"but max_batch_size is {batch:,}",
            _advice(memory, held),
        )


def _advice(memory: GpuMemory, held: int) -> str:
    """What to do: a smaller batch helps only where the cache holds any, more GPUs only uncapped."""
    lower = f"lower max_batch_size to about {held:,}, or " if held else ""
    capped = memory.shape.max_kv_tokens is not None
    return f"{lower}{'raise kv_cache_config.max_tokens' if capped else 'use more GPUs'}"
