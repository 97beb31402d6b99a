"""The memory of workers' GPUs as ``gptoss plan --format json`` has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gptoss.facts.world import GIB
from gptoss.memory.cached_requests import request_of
from gptoss.memory.worker_memory import memory_of

if TYPE_CHECKING:
    from gptoss.deployment.model import Deployment, Worker


def memory_data(
    deployment: Deployment, isl: int | None = None, osl: int | None = None
) -> list[dict[str, Any]]:
    """The memory of each worker that is known, as ``memory_lines``; sizes in GiB."""
    every = (_of_worker(worker, deployment, isl, osl) for worker in deployment.workers)
    return [data for data in every if data]


def _of_worker(
    worker: Worker, deployment: Deployment, isl: int | None, osl: int | None
) -> dict[str, Any] | None:
    memory = memory_of(worker, deployment)
    if memory is None:
        return None
    request = request_of(worker, deployment, isl, osl)
    windowed, plain = memory.with_windows(), memory.without_windows()
    lines = (*memory.weights, *memory.working, memory.kv, *memory.after)
    return {
        "worker": worker.name,
        "gpu": memory.shape.gpu.key,
        "gib": round(memory.shape.gpu.memory_gib, 2),
        "lines": [
            {"name": i.name, "gib": round(i.gib, 3), "exact": i.exact, "source": i.source}
            for i in lines
        ],
        "not_counted": ["speculative_config"] if worker.engine.under("speculative_config") else [],
        "left_gib": round(memory.left / GIB, 2),
        "attention_ranks": memory.shape.ranks,
        "kv_cache_tokens_per_rank": memory.kv_tokens,
        "longest_sequence": min(memory.longest, memory.model.max_position),
        "request_tokens": request.tokens if request else None,
        "requests_per_rank": memory.sequences(request.tokens) if request else None,
        "without_windows": plain.sequences(request.tokens) if request else None,
        "with_windows_on_second_manager": windowed.sequences(request.tokens) if request else None,
    }
