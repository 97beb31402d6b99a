"""Does it fit the GPU? Every number here is an estimate and says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.model import Role
from gptoss.memory.engine_shapes import BF16
from gptoss.memory.worker_memory import memory_of
from gptoss.rules.rule import Need, Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Worker
    from gptoss.facts.world import Model
    from gptoss.memory.gpu_memory import GpuMemory

HIGH_FRACTION = 0.95
# What the estimate may be wrong by before it is worth a word.
MARGIN = 0.9


@rule(
    "K001",
    "kv-cache-fraction-too-high",
    Severity.WARNING,
    of=WORKERS,
    needs=(Need.ENGINE,),
)
def kv_cache_fraction_too_high(worker: Worker) -> Iterator[Said]:
    """The KV cache takes nearly all memory that weights leave.

    The fraction is measured after one profiling run. CUDA graphs (up to 200 MB each), transfer
    buffers and longer batches come on top and have to live in what is left; running out of memory
    shows only under load.
    """
    fraction = worker.engine["kv_cache_config.free_gpu_memory_fraction"]
    number = worker.engine.number("kv_cache_config.free_gpu_memory_fraction")
    if number is not None and HIGH_FRACTION < number <= 1:
        yield Said(
            fraction,
            f"free_gpu_memory_fraction {number:g} leaves almost nothing for "
            "CUDA graphs and transfer buffers",
            "use 0.9 or less",
        )


@rule(
    "K002",
    "longest-sequence-does-not-fit",
    Severity.WARNING,
    of=WORKERS,
    needs=(Need.ENGINE, Need.MODEL, Need.GPU),
)
def longest_sequence_does_not_fit(
    worker: Worker, model: Model, deployment: Deployment
) -> Iterator[Said]:
    """By estimate the KV cache cannot hold one sequence of ``max_seq_len`` tokens.

    The engine then quietly shortens its attention window, and requests of the length that it
    promises fail or lose their beginning. The estimate takes padded weights, activations and what
    else ``gptoss plan`` lists, and the free memory fraction of the rest.
    """
    length = worker.engine["max_seq_len"]
    memory = memory_of(worker, deployment)
    wanted = worker.engine.whole("max_seq_len") or model.max_position
    if memory is None or memory.shape.max_kv_tokens or memory.longest >= MARGIN * wanted:
        return
    tokens = memory.longest
    says = f"max_seq_len is {wanted}" if length.is_set else f"sequences may have {wanted} tokens"
    shorter = tokens // 1024 * 1024
    yield Said(
        length,
        f"{says}, but by estimate the KV cache of one {memory.shape.gpu.name} "
        f"holds about {_rounded(tokens)} tokens",
        f"write max_seq_len: {shorter}, or use more GPUs" if shorter else "use more GPUs",
    )


@rule(
    "K003",
    "kv-cache-smaller-than-batch",
    Severity.INFO,
    of=WORKERS,
    needs=(Need.ENGINE, Need.MODEL, Need.GPU),
)
def kv_cache_smaller_than_batch(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """By estimate the KV cache holds fewer requests of the benchmark's length than the batch.

    The rest wait until others finish, although the batch has room: time to first token grows and
    the GPU decodes smaller batches than it was set up for.
    """
    benchmark, memory = deployment.benchmark, memory_of(worker, deployment)
    if benchmark is None or benchmark.input_tokens is None or benchmark.output_tokens is None:
        return
    length = benchmark.input_tokens.value + benchmark.output_tokens.value
    batch = worker.engine.whole("max_batch_size")
    size = worker.engine["max_batch_size"]
    if worker.role is Role.PREFILL or not size.is_set or batch is None or memory is None:
        return
    if memory.shape.max_kv_tokens:
        return
    held = memory.sequences(length)
    if held < batch:
        yield Said(
            size,
            f"by estimate the KV cache holds about {held} requests "
            f"of {length} tokens, but max_batch_size is {batch}",
            f"{_smaller_cache(memory)}lower max_batch_size, or use more GPUs",
            also=[(benchmark.input_tokens, f"the benchmark sends {length} tokens a request")],
        )


def _smaller_cache(memory: GpuMemory) -> str:
    """The advice to store the KV cache in FP8, where it is not and the GPU has it for gpt-oss."""
    able = memory.shape.gpu.is_blackwell and memory.shape.kv == BF16
    return "set kv_cache_config.dtype: fp8, " if able else ""


def _rounded(tokens: int) -> str:
    return f"{round(tokens, -3):,}"


@rule(
    "K004",
    "fp8-kv-cache-on-hopper",
    Severity.WARNING,
    of=WORKERS,
    needs=(Need.ENGINE, Need.MODEL, Need.GPU),
)
def fp8_kv_cache_on_hopper(worker: Worker) -> Iterator[Said]:
    """The KV cache is FP8 on a Hopper GPU, which is not supported for gpt-oss.

    TensorRT-LLM's table for gpt-oss lists bfloat16 as the only KV cache type on Hopper; FP8 is
    for Blackwell.
    """
    dtype = worker.engine["kv_cache_config.dtype"]
    text = worker.engine.text("kv_cache_config.dtype") or "auto"
    if worker.gpu and worker.gpu.is_hopper and text.lower() in ("fp8", "nvfp4"):
        yield Said(
            dtype,
            f"kv_cache_config.dtype {text} is not supported for gpt-oss on {worker.gpu.name}",
            "write kv_cache_config.dtype: auto",
        )
