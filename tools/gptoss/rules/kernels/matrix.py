"""Which MoE kernel a worker asks for: backend and activation type on its generation of GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.moe_backends import backend_of
from gptoss.facts.moe_kernels import moe_kernels

if TYPE_CHECKING:
    from gptoss.deployment.model import Worker
    from gptoss.text.command import Variable

OVERRIDE = "OVERRIDE_QUANT_ALGO"


def default_algorithm(worker: Worker) -> str | None:
    """What the engine picks without an override; None when the GPU is not known."""
    kernels = moe_kernels()
    generation = kernels.generation(worker.gpu)
    return kernels.algorithm(backend_of(worker), generation) if generation else None


def override_of(worker: Worker) -> tuple[Variable, str] | None:
    """The override variable with its value as the engine reads it, if it is set."""
    found = worker.pod.environment.get(OVERRIDE)
    return (found, found.value.upper()) if found and found.value else None
