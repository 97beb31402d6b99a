"""Estimates of GPU memory, in GiB a GPU. None of them is measured.

Weights follow the padding of the MoE kernels (schema/models), the KV cache the formula of
NVIDIA/TensorRT-LLM tensorrt_llm/_torch/pyexecutor/_util.py: a fraction of what weights and
activations leave free.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.facts import GIB

if TYPE_CHECKING:
    from gptoss.facts import Gpu, Model
    from gptoss.model import Worker

# Activations, NCCL and CUDA contexts (ai-dynamo/aiconfigurator systems "other_mem" @095f58a).
OTHER_GIB = 3.5
KV_BYTES = {"fp8": 1.0, "nvfp4": 0.5625}
BF16_BYTES = 2.0


def weights(worker: Worker, model: Model, backend: str) -> float:
    """Weights on one GPU.

    Experts are shared by all ranks. Attention and embeddings are shared by tensor parallel ranks,
    except with attention data parallelism, where each keeps all of them.
    """
    tp = worker.engine.whole("tensor_parallel_size") or 1
    pp = worker.engine.whole("pipeline_parallel_size") or 1
    other = model.other_gib / pp / (1 if worker.attention_dp else tp)
    return _experts(worker, model, backend) / (tp * pp) + other


def _experts(worker: Worker, model: Model, backend: str) -> float:
    """All experts with the padding of the backend's kernels."""
    tp = worker.engine.whole("tensor_parallel_size") or 1
    ep = worker.engine.whole("moe_expert_parallel_size") or 1
    moe_tp = max(1, tp // max(1, ep))
    padded = model.padded_expert_gib.get(backend, {})
    return next((padded[size] for size in sorted(padded) if moe_tp <= size), model.expert_gib)


def kv_cache(worker: Worker, model: Model, gpu: Gpu, backend: str) -> float:
    """KV cache on one GPU."""
    fraction = worker.engine.number("kv_cache_config.free_gpu_memory_fraction") or 0.9
    free = gpu.memory_gib - weights(worker, model, backend) - OTHER_GIB
    return max(0.0, free) * fraction


def token_bytes(worker: Worker, model: Model) -> float:
    """Bytes of KV cache that one token takes on one GPU, all layers billed in full."""
    tp = 1 if worker.attention_dp else worker.engine.whole("tensor_parallel_size") or 1
    pp = worker.engine.whole("pipeline_parallel_size") or 1
    dtype = (worker.engine.text("kv_cache_config.dtype") or "auto").lower()
    heads = max(1, model.kv_heads // tp)
    width = KV_BYTES.get(dtype, BF16_BYTES)
    return 2 * model.layers / pp * model.head_dimension * heads * width


def kv_tokens(worker: Worker, model: Model, gpu: Gpu, backend: str) -> int:
    """Tokens whose KV cache fits on one attention data parallel rank."""
    return int(kv_cache(worker, model, gpu, backend) * GIB / token_bytes(worker, model))
