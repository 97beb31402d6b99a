"""The memory of a GPU as a bar: how much of it weights, KV cache and the rest take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.model import Role
from gptoss.drawing.bars import Bar, Piece
from gptoss.facts.world import GIB
from gptoss.memory.worker_memory import memory_of

if TYPE_CHECKING:
    from gptoss.deployment.model import Deployment
    from gptoss.memory.gpu_memory import GpuMemory

# Parts of the bar with their colours, each of the lines that begin with one of these.
PARTS = {
    "weights": (0, ("weights",)),
    "KV cache": (2, ("KV cache",)),
    "activations, MoE workspace": (1, ("activations", "MoE workspace")),
    "CUDA graphs": (3, ("CUDA graphs",)),
    "transfer buffers": (4, ("transfer buffers",)),
}
OTHERS = ("NCCL, other", 5)
LEFT = "free"


def memory_bars(deployment: Deployment) -> list[Bar]:
    """A bar for each worker whose memory is known, prefill first."""
    workers = sorted(deployment.workers, key=lambda worker: worker.role is not Role.PREFILL)
    return [
        memory_bar(f"{worker.name}: one {memory.shape.gpu.name}", memory)
        for worker in workers
        if (memory := memory_of(worker, deployment))
    ]


def memory_bar(name: str, memory: GpuMemory) -> Bar:
    """The bar of one GPU; what nothing takes is at its end."""
    lines = [*memory.weights, memory.kv, *memory.working, *memory.after]
    pieces = []
    for part, series in (*((part, series) for part, (series, _) in PARTS.items()), OTHERS):
        of = [line for line in lines if series_of(line.name) == series]
        if of:
            exact = all(line.exact for line in of)
            pieces.append(Piece(part, sum(line.gib for line in of), series, exact))
    if memory.left > 0:
        pieces.append(Piece(LEFT, memory.left / GIB, None, is_exact=False))
    return Bar(name, "GiB", memory.total / GIB, tuple(pieces))


def series_of(name: str) -> int:
    """The colour of a line of memory."""
    known = (series for series, names in PARTS.values() if name.startswith(names))
    return next(known, OTHERS[1])
