"""Which MoE backend a worker runs on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.facts.moe_kernels import AUTO, moe_kernels

if TYPE_CHECKING:
    from gptoss.deployment.model import Worker


def backend_of(worker: Worker) -> str | None:
    """The MoE backend in force, as the engine resolves it; None when that is not known."""
    named = worker.engine.text("moe_config.backend") or AUTO
    kernels = moe_kernels()
    return kernels.taken(named, kernels.generation(worker.gpu))
