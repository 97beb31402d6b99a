"""What a pool of KV cache holds: tokens and sequences, by the manager that divides it.

The first KV cache manager of TensorRT-LLM gives each attention window an equal part of the memory,
so nearly half of it lies idle behind a short one, unless ``TRTLLM_WINDOW_SIZE_SHARES`` says
otherwise (tensorrt_llm/_torch/pyexecutor/resource_manager.py, calculate_max_num_blocks_for_vswa).
The second one frees what lies before a window and lets other layers have it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gptoss.facts.models import Model
    from gptoss.memory.engine_shapes import EngineShape

# NVFP4 has a byte of scale for 16 numbers.
NUMBER_BYTES = {"bfloat16": 2.0, "fp8": 1.0, "nvfp4": 0.5625}


def layer_bytes(shape: EngineShape, model: Model) -> float:
    """Bytes of a token in one layer on one GPU, which keeps one KV head at least."""
    heads = max(1, model.kv_heads // shape.attention_tp)
    return 2 * model.head_dimension * heads * NUMBER_BYTES[shape.kv]


def token_bytes(shape: EngineShape, model: Model) -> float:
    """Bytes of a token on one GPU, all of its layers at full length."""
    return model.layers / shape.pp * layer_bytes(shape, model)


def pool_bytes(free: float, shape: EngineShape, model: Model) -> int:
    """The pool of one GPU out of its free memory."""
    limit = free * shape.free_fraction
    if shape.max_kv_tokens is not None and len(windows(shape, model)) == 1:
        limit = min(limit, shape.max_kv_tokens * token_bytes(shape, model))
    return max(0, int(limit))


def windows(shape: EngineShape, model: Model) -> dict[int, float]:
    """Layers of one GPU by the tokens that they keep of the longest sequence."""
    kept = shape.attention_windows or (shape.max_seq_len,)
    layers = (min(kept[n % len(kept)], shape.max_seq_len) for n in range(model.layers))
    return {window: count / shape.pp for window, count in sorted(Counter(layers).items())}


def sequences(pool: int, length: int, shape: EngineShape, model: Model) -> int:
    """Sequences of a length that a rank's pool holds."""
    kept = windows(shape, model)
    size = layer_bytes(shape, model)
    if shape.second_manager:
        a_sequence = sum(n * size * _held(length, window, shape) for window, n in kept.items())
        return int(pool / a_sequence)
    share = pool / len(kept)
    return min(int(share / (n * size * _held(length, w, shape))) for w, n in kept.items())


def longest(pool: int, shape: EngineShape, model: Model) -> int:
    """Tokens of the longest sequence that a rank's pool holds, whatever ``max_seq_len`` says."""
    low, high = 0, int(pool / layer_bytes(shape, model)) // shape.block + 1
    while high - low > 1:
        middle = (low + high) // 2
        fits = sequences(pool, middle * shape.block, shape, model)
        low, high = (middle, high) if fits else (low, middle)
    return low * shape.block


def _held(length: int, window: int, shape: EngineShape) -> int:
    """Tokens that a layer keeps of a sequence, in whole blocks; a window may begin within one."""
    blocks = -(-length // shape.block)
    if window < shape.max_seq_len:
        blocks = min(blocks, -(-window // shape.block) + 1)
    return blocks * shape.block


def full_tokens(pool: int, shape: EngineShape, model: Model) -> int:
    """Tokens that a rank's pool holds where each lies in every layer that keeps the whole sequence.

    Behind attention windows the second manager holds more sequences than this number tells.
    """
    kept = windows(shape, model)
    if shape.second_manager:
        return int(pool / token_bytes(shape, model))
    return int(pool / len(kept) / (kept[max(kept)] * layer_bytes(shape, model)))
