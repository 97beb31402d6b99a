"""Estimates of GPU memory, in GiB a GPU. None of them is measured.

Weights follow the padding of the MoE kernels (schema/models), the KV cache the formula of
NVIDIA/TensorRT-LLM tensorrt_llm/_torch/pyexecutor/_util.py: a fraction of what weights and
activations leave free.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.facts.world import GIB
from gptoss.rules.kernels.matrix import backend_of
from gptoss.rules.readings import tensor_parallel_size

if TYPE_CHECKING:
    from gptoss.deployment.model import Worker
    from gptoss.facts.world import Gpu, Model

# Activations, NCCL and CUDA contexts (ai-dynamo/aiconfigurator systems "other_mem" @095f58a).
OTHER_GIB = 3.5
KV_BYTES = {"fp8": 1.0, "nvfp4": 0.5625}
BF16_BYTES = 2.0
DEFAULT_FRACTION = 0.9
# A CUDA graph takes up to 200 MB (NVIDIA/TensorRT-LLM llm_args.py, CudaGraphConfig).
GRAPH_GIB = 200e6 / GIB
DEFAULT_GRAPH_BATCH = 128


def weights(worker: Worker, model: Model, backend: str) -> float:
    """Weights on one GPU.

    Experts are shared by all ranks. Attention and embeddings are shared by tensor parallel ranks,
    except with attention data parallelism, where each keeps all of them.
    """
    tp = tensor_parallel_size(worker)
    pp = worker.engine.whole("pipeline_parallel_size") or 1
    other = model.other_gib / pp / (1 if worker.attention_dp else tp)
    return _experts(worker, model, backend) / (tp * pp) + other


def _experts(worker: Worker, model: Model, backend: str) -> float:
    """All experts with the padding of the backend's kernels."""
    moe_tp = worker.engine.whole("moe_tensor_parallel_size") or 0
    if moe_tp < 1:
        tp = tensor_parallel_size(worker)
        moe_tp = max(1, tp // max(1, worker.engine.whole("moe_expert_parallel_size") or 1))
    padded = model.padded_expert_gib.get(backend, {})
    return next((padded[size] for size in sorted(padded) if moe_tp <= size), model.expert_gib)


def kv_cache(worker: Worker, model: Model, gpu: Gpu, backend: str) -> float:
    """KV cache on one GPU."""
    return free(worker, model, gpu, backend) * fraction(worker)


def fraction(worker: Worker) -> float:
    """The part of free memory that the KV cache takes."""
    return worker.engine.number("kv_cache_config.free_gpu_memory_fraction") or DEFAULT_FRACTION


def free(worker: Worker, model: Model, gpu: Gpu, backend: str) -> float:
    """What weights and activations leave on one GPU."""
    return max(0.0, gpu.memory_gib - weights(worker, model, backend) - OTHER_GIB)


def token_bytes(worker: Worker, model: Model) -> float:
    """Bytes of KV cache that one token takes on one GPU, all layers billed in full."""
    tp = 1 if worker.attention_dp else tensor_parallel_size(worker)
    pp = worker.engine.whole("pipeline_parallel_size") or 1
    dtype = (worker.engine.text("kv_cache_config.dtype") or "auto").lower()
    heads = max(1, model.kv_heads // tp)
    width = KV_BYTES.get(dtype, BF16_BYTES)
    return 2 * model.layers / pp * model.head_dimension * heads * width


def kv_tokens(worker: Worker, model: Model, gpu: Gpu, backend: str) -> int:
    """Tokens whose KV cache fits on one attention data parallel rank."""
    return int(kv_cache(worker, model, gpu, backend) * GIB / token_bytes(worker, model))


def fitting_tokens(worker: Worker, model: Model | None) -> int | None:
    """Tokens whose KV cache fits on a rank; None when the estimate does not apply.

    It does not where model, GPU or backend are unknown, nor beside attention windows of the user's
    own, with which tokens take fewer bytes.
    """
    backend = backend_of(worker)
    windows = worker.engine["kv_cache_config.max_attention_window"].is_set
    if model is None or worker.gpu is None or backend is None or windows:
        return None
    return kv_tokens(worker, model, worker.gpu, backend)


def graphs(worker: Worker) -> int:
    """CUDA graphs that a worker captures, one a batch size; the fewest that any version makes.

    With padding 1, 2, 4, multiples of 8 up to 128 and powers of two above; without it 1 to 31, 32,
    64, 128 and powers of two above (NVIDIA/TensorRT-LLM llm_args.py, CudaGraphConfig).
    """
    block = worker.engine["cuda_graph_config"]
    if block.is_set and block.value is None:
        return 0
    sizes = worker.engine["cuda_graph_config.batch_sizes"].value
    if isinstance(sizes, list):
        return len(sizes)
    batch = worker.engine.whole("max_batch_size") or DEFAULT_GRAPH_BATCH
    largest = min(
        worker.engine.whole("cuda_graph_config.max_batch_size") or DEFAULT_GRAPH_BATCH, batch
    )
    padded = worker.engine.switch("cuda_graph_config.enable_padding")
    small = {1, 2, 4, *range(8, 129, 8)} if padded else {*range(1, 33), 64, 128}
    powers = {2**n for n in range(8, largest.bit_length())}
    return len({size for size in small | powers if size < largest}) + 1
