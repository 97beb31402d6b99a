"""What has to live beside weights and KV cache? Every number here is an estimate and says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.facts.versions import trtllm_number
from gptoss.facts.world import GIB
from gptoss.memory.engine_shapes import SECOND_MANAGER
from gptoss.memory.worker_memory import memory_of
from gptoss.rules.memory.weights import HIGH_FRACTION
from gptoss.rules.rule import Need, Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Worker
    from gptoss.facts.world import Model, Release


@rule(
    "K006",
    "little-room-beside-kv-cache",
    Severity.INFO,
    of=WORKERS,
    needs=(Need.ENGINE, Need.MODEL, Need.GPU),
)
def little_room_beside_kv_cache(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """By estimate the KV cache leaves less than CUDA graphs and transfer buffers may take.

    The engine sizes the KV cache after a profiling run and captures CUDA graphs, up to 200 MB
    each, and allocates transfer buffers afterwards, out of what the free memory fraction leaves.
    On a GPU that the weights nearly fill that is little: the worker runs out of memory at the end
    of its start, or under load.
    """
    memory = memory_of(worker, deployment)
    if memory is None or memory.free == 0 or memory.left >= 0:
        return
    shape = memory.shape
    if shape.free_fraction > HIGH_FRACTION:
        return
    left = (memory.free - memory.kv.bytes) / GIB
    graphs, *buffers = memory.after
    also = "".join(f" and {line.name} {line.gib:.1f} GiB" for line in buffers)
    yield Said(
        worker.engine["kv_cache_config.free_gpu_memory_fraction"],
        f"by estimate free_gpu_memory_fraction {shape.free_fraction:g} "
        f"leaves {left:.1f} GiB of a {shape.gpu.name}, but {len(shape.graph_sizes)} CUDA graphs "
        f"may take up to {graphs.gib:.1f} GiB{also}",
        "lower free_gpu_memory_fraction, or cuda_graph_config.max_batch_size",
    )


@rule(
    "K007",
    "attention-window-too-short",
    Severity.WARNING,
    of=WORKERS,
    needs=(Need.ENGINE, Need.MODEL),
)
def attention_window_too_short(worker: Worker, model: Model) -> Iterator[Said]:
    """A layer that attends to the whole sequence gets a window shorter than ``max_seq_len``.

    gpt-oss alternates layers with a sliding window of 128 tokens and layers without one, beginning
    with a sliding one. The list repeats over the layers. A full layer with a short window forgets
    the beginning of long prompts, and nothing but the quality of answers shows it.
    """
    if 2 * model.sliding_layers != model.layers:
        return
    windows = worker.engine["kv_cache_config.max_attention_window"]
    sizes = windows.value
    if not windows.is_set or not isinstance(sizes, list) or not sizes:
        return
    if not all(isinstance(size, int) and not isinstance(size, bool) for size in sizes):
        return
    length = worker.engine.whole("max_seq_len") or model.max_position
    layers = [sizes[layer % len(sizes)] for layer in range(model.layers)]
    full, sliding = min(layers[1::2]), min(layers[::2])
    if full >= length and sliding >= model.sliding_window:
        return
    which = "full" if full < length else "sliding-window"
    yield Said(
        windows,
        f"max_attention_window {sizes} gives {which} layers "
        f"{full if full < length else sliding} tokens, but they attend to "
        f"{length if full < length else model.sliding_window}",
        f"write max_attention_window: [{model.sliding_window}, {length}]",
    )


@rule(
    "K009",
    "eagle3-may-not-get-its-memory",
    Severity.WARNING,
    of=WORKERS,
    needs=(Need.ENGINE, Need.MODEL, Need.RELEASE),
)
def eagle3_may_not_get_its_memory(worker: Worker, release: Release) -> Iterator[Said]:
    """Eagle3 with block reuse runs on the second KV cache manager, which may refuse to start.

    That manager guesses its memory too high for gpt-oss with Eagle3 and reuse of sliding windows,
    and stops with too little memory though enough is free. It is gpt-oss's own from about
    TensorRT-LLM 1.3.0rc25 on, unless use_kv_cache_manager_v2 says otherwise.
    """
    kind = worker.engine["speculative_config.decoding_type"]
    manager = worker.engine["kv_cache_config.use_kv_cache_manager_v2"].value
    default = manager in (None, "auto") and trtllm_number(release.trtllm) >= SECOND_MANAGER
    reuse = worker.engine["kv_cache_config.enable_block_reuse"].value
    if kind.value in ("Eagle", "Eagle3") and reuse is not False and (manager is True or default):
        yield Said(
            kind,
            "Eagle3 with block reuse may stop the start with too little memory though enough is "
            "free",
            "lower max_batch_size or raise free_gpu_memory_fraction if it does, or set "
            "enable_block_reuse: false",
        )
