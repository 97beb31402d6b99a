"""Engines to ask for, deployed by nobody."""

from __future__ import annotations

from typing import Any

from gptoss.facts.world import Facts
from gptoss.memory.engine_shapes import EngineShape
from gptoss.memory.gpu_memory import GpuMemory, gpu_memory

FACTS = Facts()
MODEL = FACTS.models["openai/gpt-oss-120b"]
GIB = 2**30


def shaped(gpu: str, tp: int = 1, **settings: Any) -> EngineShape:
    """A TRTLLM engine on a kind of GPU whose experts are spread over all of its GPUs."""
    sizes = {"moe_ep": tp, "moe_backend": "TRTLLM", "max_batch_size": 64, "max_num_tokens": 8192}
    return EngineShape(gpu=FACTS.gpus[gpu], tp=tp, **{**sizes, "max_seq_len": 8192, **settings})


def memory(gpu: str, tp: int = 1, **settings: Any) -> GpuMemory:
    """Its memory."""
    return gpu_memory(shaped(gpu, tp, **settings), MODEL)


def taken(of: GpuMemory, *names: str) -> dict[str, float]:
    """GiB of some lines, all without names."""
    lines = (*of.weights, *of.working, of.kv, *of.after)
    return {line.name: line.gib for line in lines if not names or line.name in names}
