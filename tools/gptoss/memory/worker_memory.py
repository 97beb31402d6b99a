"""The memory of a deployed worker's GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.memory.engine_shapes import shape_of
from gptoss.memory.gpu_memory import GpuMemory, gpu_memory

if TYPE_CHECKING:
    from gptoss.deployment.model import Deployment, Worker


def memory_of(worker: Worker, deployment: Deployment) -> GpuMemory | None:
    """The memory of one GPU of a worker; None where model, GPU or MoE backend is not known."""
    model = deployment.model
    shape = shape_of(worker, model, deployment.release) if model else None
    return gpu_memory(shape, model) if shape and model else None
