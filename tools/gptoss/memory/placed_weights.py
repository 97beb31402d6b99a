"""The weights that one GPU holds: exact, from the checkpoint's tensors and the parallel sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.facts.memory_sizes import ExpertKernel, memory_sizes

if TYPE_CHECKING:
    from gptoss.facts.models import Model, Tensor
    from gptoss.memory.engine_shapes import EngineShape

PARTS = ("experts", "attention", "embeddings", "router", "norms")
# MXFP4: two numbers in a byte, and a byte of scale for 32 of them.
NUMBER_BYTES = 1 / 2 + 1 / 32
UNPADDED = ExpertKernel(input=1, output=1, inner=1, bias_bytes=2, source="the checkpoint")


def placed_weights(shape: EngineShape, model: Model) -> dict[str, int]:
    """Bytes on the fullest GPU, by part of the model.

    Experts go by MoE parallel sizes. The rest is cut by tensor parallelism, unless each rank
    attends to requests of its own; router and norms never are
    (NVIDIA/TensorRT-LLM tensorrt_llm/_torch/models/modeling_gpt_oss.py @050b6cb).
    """
    layers = -(-model.layers // shape.pp)
    placed = dict.fromkeys(PARTS, 0)
    for tensor in model.layer_tensors:
        if tensor.part != "experts":
            placed[tensor.part] += layers * _share(tensor, shape, model)
    for tensor in model.model_tensors:
        placed[tensor.part] += _share(tensor, shape, model)
    if shape.pp > 1:
        # The first stage embeds, the last one unembeds.
        placed["embeddings"] //= 2
    placed["experts"] = layers * -(-model.experts // shape.moe_ep) * _expert_bytes(shape, model)
    return placed


def _expert_bytes(shape: EngineShape, model: Model) -> int:
    """One GPU's share of an expert of a layer, padded as its kernels want it."""
    kernel = kernel_of(shape)
    inner = _padded(-(-model.intermediate_size // shape.moe_tp), kernel.inner)
    into, out = (_padded(model.hidden_size, size) for size in (kernel.input, kernel.output))
    weights = (2 * inner * into + inner * out) * NUMBER_BYTES
    return int(weights) + (2 * inner + out) * kernel.bias_bytes


def kernel_of(shape: EngineShape) -> ExpertKernel:
    """How the shape's MoE backend keeps experts; as in the checkpoint where that is not known."""
    return memory_sizes().expert_kernels.get(shape.moe_backend, UNPADDED)


def _share(tensor: Tensor, shape: EngineShape, model: Model) -> int:
    """What one GPU holds of a tensor."""
    match tensor.cut:
        case None:
            return tensor.gpu_bytes
        case "kvHeads":
            heads = max(1, model.kv_heads // shape.attention_tp)
            return tensor.gpu_bytes // model.kv_heads * heads
        case "output" if shape.output_tp:
            return -(-tensor.gpu_bytes // shape.tp)
        case _:
            return -(-tensor.gpu_bytes // shape.attention_tp)


def _padded(size: int, multiple: int) -> int:
    return -(-size // multiple) * multiple
