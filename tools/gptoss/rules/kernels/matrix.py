"""Which MoE kernels exist: backend × activation type × generation of the GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gptoss.deployment.model import Worker
    from gptoss.facts.world import Gpu
    from gptoss.text.command import Variable

OVERRIDE = "OVERRIDE_QUANT_ALGO"
ALGORITHMS = ("W4A16_MXFP4", "W4A8_MXFP4_MXFP8", "W4A8_MXFP4_FP8")
RESOLVER = "NVIDIA/TensorRT-LLM tensorrt_llm/_torch/model_config.py @0004396"
README = "NVIDIA/TensorRT-LLM examples/models/core/gpt_oss/README.md @d513eea"

# Algorithms that a backend has kernels for, on Hopper (SM 90) and on Blackwell (SM 100 and 103).
# Cells that the sources contradict each other about are filled in: they are not refused.
KERNELS: dict[str, dict[str, tuple[str, ...]]] = {
    "CUTLASS": {"hopper": ("W4A16_MXFP4",), "blackwell": ("W4A8_MXFP4_MXFP8", "W4A8_MXFP4_FP8")},
    "TRTLLM": {"hopper": (), "blackwell": ALGORITHMS},
    "TRITON": {
        "hopper": ("W4A16_MXFP4", "W4A8_MXFP4_FP8"),
        "blackwell": ("W4A16_MXFP4", "W4A8_MXFP4_FP8"),
    },
}
# From this release on the engine picks another backend than TRTLLM on Hopper instead of failing.
DEGRADES_FROM = (1, 5)


def generation(gpu: Gpu | None) -> str | None:
    """``hopper`` or ``blackwell``, or None for any other GPU."""
    if gpu is None:
        return None
    return "hopper" if gpu.is_hopper else "blackwell" if gpu.is_blackwell else None


def backend_of(worker: Worker) -> str | None:
    """The MoE backend in force, AUTO resolved as the engine does; None when that is not known."""
    named = worker.engine.text("moe_config.backend") or "AUTO"
    if named != "AUTO":
        return named
    return {"hopper": "TRITON", "blackwell": "TRTLLM"}.get(generation(worker.gpu) or "")


def default_algorithm(worker: Worker) -> str | None:
    """What the engine picks without an override; None when the GPU is not known."""
    match generation(worker.gpu):
        case "hopper":
            return "W4A16_MXFP4"
        case "blackwell" if backend_of(worker) == "TRITON":
            return "W4A8_MXFP4_FP8"
        case "blackwell":
            return "W4A8_MXFP4_MXFP8"
        case _:
            return None


def override_of(worker: Worker) -> tuple[Variable, str] | None:
    """The override variable with its value as the engine reads it, if it is set."""
    found = worker.pod.environment.get(OVERRIDE)
    return (found, found.value.upper()) if found and found.value else None
