"""The memory of one GPU of an engine, line by line."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gptoss.facts.memory_sizes import memory_sizes
from gptoss.facts.world import GIB
from gptoss.memory import kv_pool
from gptoss.memory.placed_weights import kernel_of, placed_weights

if TYPE_CHECKING:
    from gptoss.facts.models import Model
    from gptoss.memory.engine_shapes import EngineShape

KV_SOURCE = "TensorRT-LLM _torch/pyexecutor/_util.py, _cal_max_memory"


@dataclass(frozen=True, slots=True)
class Line:
    """What one thing takes.

    Attributes:
        name: What it is, as in ``attention weights``.
        bytes: Its size.
        exact: Whether the size follows from shapes alone; an estimate otherwise.
        source: Where the formula or the number is from.
    """

    name: str
    bytes: int
    exact: bool
    source: str

    @property
    def gib(self) -> float:
        """Its size in GiB."""
        return self.bytes / GIB


@dataclass(frozen=True, slots=True)
class GpuMemory:
    """One GPU of an engine while it serves.

    Attributes:
        shape, model: The engine and what it serves.
        weights: Weights by part.
        working: What is taken before the KV cache is sized.
        kv: The pool of the KV cache.
        after: What is taken afterwards, out of what the pool leaves.
    """

    shape: EngineShape
    model: Model
    weights: tuple[Line, ...]
    working: tuple[Line, ...]
    kv: Line
    after: tuple[Line, ...]

    @property
    def total(self) -> int:
        """Bytes of the whole GPU."""
        return int(self.shape.gpu.memory_gib * GIB)

    @property
    def free(self) -> int:
        """Bytes that weights and working memory leave; the KV cache takes its part of them."""
        return max(0, self.total - sum(line.bytes for line in (*self.weights, *self.working)))

    @property
    def left(self) -> int:
        """Bytes that nothing takes; negative where it does not fit."""
        lines = (*self.weights, *self.working, self.kv, *self.after)
        return self.total - sum(line.bytes for line in lines)

    @property
    def token_bytes(self) -> float:
        """Bytes of KV cache that a token takes on this GPU, in full length in every layer."""
        return kv_pool.token_bytes(self.shape, self.model)

    @property
    def kv_tokens(self) -> int:
        """Tokens that the KV cache of a rank holds, see ``kv_pool.full_tokens``."""
        return kv_pool.full_tokens(self.kv.bytes, self.shape, self.model)

    @property
    def longest(self) -> int:
        """Tokens of the longest sequence that the KV cache of a rank has room for."""
        return kv_pool.longest(self.kv.bytes, self.shape, self.model)

    def sequences(self, length: int) -> int:
        """Sequences of so many tokens that the KV cache of a rank holds."""
        return kv_pool.sequences(self.kv.bytes, length, self.shape, self.model)

    def with_windows(self) -> GpuMemory:
        """The same with attention windows, on the manager that makes use of them."""
        of_model = (self.model.sliding_window, self.shape.max_seq_len)
        windows = self.shape.attention_windows or of_model
        shape = replace(self.shape, attention_windows=windows, second_manager=True)
        return gpu_memory(shape, self.model)

    def without_windows(self) -> GpuMemory:
        """The same with every layer at full length."""
        return gpu_memory(replace(self.shape, attention_windows=()), self.model)


def gpu_memory(shape: EngineShape, model: Model) -> GpuMemory:
    """The memory of the fullest GPU of an engine."""
    weights, working = _weights(shape, model), _working(shape, model)
    taken = sum(line.bytes for line in (*weights, *working))
    free = max(0.0, shape.gpu.memory_gib * GIB - taken)
    pool = kv_pool.pool_bytes(free, shape, model)
    kv = Line("KV cache", pool, exact=False, source=KV_SOURCE)
    return GpuMemory(shape, model, weights, working, kv, _after(shape, model))


def _weights(shape: EngineShape, model: Model) -> tuple[Line, ...]:
    placed = placed_weights(shape, model)
    source = f"checkpoint of {model.id}"
    sources = {"experts": f"{source}, padded for {shape.moe_backend}: {kernel_of(shape).source}"}
    return tuple(
        Line(f"weights: {part}", size, exact=True, source=sources.get(part, source))
        for part, size in placed.items()
    )


def _working(shape: EngineShape, model: Model) -> tuple[Line, ...]:
    sizes = memory_sizes()
    width = model.attention_heads * model.head_dimension
    of_tp = sizes.activations["perToken"][_known(shape.attention_tp)]
    activations = max(sizes.activations["least"], 2 * shape.max_num_tokens * width * of_tp)
    scale = sizes.moe_workspace["scaleBytes"] / sizes.moe_workspace["scaleBlock"]
    routed = shape.max_num_tokens * width * shape.ranks * model.experts * model.experts_per_token
    workspace = int(routed / shape.moe_ep * scale)
    buffers = sizes.communication["bytes"][_known(shape.tp)]
    return (
        Line("activations", activations, exact=False, source=sizes.activations["source"]),
        Line("MoE workspace", workspace, exact=False, source=sizes.moe_workspace["source"]),
        Line("NCCL", buffers, exact=False, source=sizes.communication["source"]),
        Line("other", sizes.other["bytes"], exact=False, source=sizes.other["source"]),
    )


def _after(shape: EngineShape, model: Model) -> tuple[Line, ...]:
    sizes = memory_sizes()
    graphs = len(shape.graph_sizes) * sizes.graph["bytes"]
    lines = [Line("CUDA graphs", graphs, exact=False, source=sizes.graph["source"])]
    if shape.transfers:
        facts = sizes.transfer_buffer
        one = facts["bytes"]
        if shape.buffer_tokens is not None:
            one = (shape.buffer_tokens + shape.block) * kv_pool.token_bytes(shape, model)
        buffers = int(facts["count"] * one)
        lines.append(Line("transfer buffers", buffers, exact=False, source=facts["source"]))
    return tuple(lines)


def _known(size: int) -> int:
    """The size among those of the facts that is nearest below."""
    return max(known for known in (1, 2, 4, 8) if known <= size)
