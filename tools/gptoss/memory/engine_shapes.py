"""An engine in plain numbers: all that its memory depends on, deployed or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.deployment.model import Role
from gptoss.deployment.moe_backends import backend_of
from gptoss.facts.versions import trtllm_number

if TYPE_CHECKING:
    from gptoss.deployment.model import Worker
    from gptoss.deployment.settings import Settings
    from gptoss.facts.world import Gpu, Model, Release

BF16 = "bfloat16"
DEFAULT_FRACTION = 0.9
DEFAULT_BATCH, DEFAULT_TOKENS, DEFAULT_GRAPH_BATCH = 2048, 8192, 128
# Tokens of a block of the KV cache (KvCacheConfig.tokens_per_block).
BLOCK = 32
# The first version in which gpt-oss runs on the second KV cache manager by default.
SECOND_MANAGER = trtllm_number("1.3.0rc25")


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineShape:
    """One replica of an engine.

    Attributes:
        gpu: Its kind of GPU.
        tp, pp: Tensor and pipeline parallel size.
        attention_dp: Whether each GPU of ``tp`` attends to requests of its own.
        moe_tp, moe_ep: GPUs that cut each expert, and GPUs that the experts are spread over.
        moe_backend: Kernels of the experts, as in ``TRTLLM``.
        kv: Type of the KV cache: ``bfloat16``, ``fp8`` or ``nvfp4``.
        max_batch_size, max_num_tokens: Requests and tokens of one iteration, a rank.
        max_seq_len: Tokens of the longest sequence.
        free_fraction: Part of the free memory that the KV cache takes.
        graph_sizes: Batches with a CUDA graph of their own.
        attention_windows: ``max_attention_window``; empty when nobody sets it.
        second_manager: Whether the second KV cache manager runs, which frees what lies before a
            window.
        max_kv_tokens: ``kv_cache_config.max_tokens``; None when nobody sets it.
        block: Tokens of one KV block.
        output_tp: Whether the output head is cut under attention data parallelism too.
        transfers: Whether KV cache is sent or received.
        buffer_tokens: Tokens of a transfer buffer; None for the engine's own size.
    """

    gpu: Gpu
    tp: int
    pp: int = 1
    attention_dp: bool = False
    moe_tp: int = 1
    moe_ep: int = 1
    moe_backend: str
    kv: str = BF16
    max_batch_size: int
    max_num_tokens: int
    max_seq_len: int
    free_fraction: float = DEFAULT_FRACTION
    graph_sizes: tuple[int, ...] = ()
    attention_windows: tuple[int, ...] = ()
    second_manager: bool = False
    max_kv_tokens: int | None = None
    block: int = BLOCK
    output_tp: bool = False
    transfers: bool = False
    buffer_tokens: int | None = None

    @property
    def attention_tp(self) -> int:
        """GPUs that share the attention of a request."""
        return 1 if self.attention_dp else self.tp

    @property
    def ranks(self) -> int:
        """Attention data parallel ranks; each has its own batch and KV cache."""
        return self.tp if self.attention_dp else 1


def shape_of(worker: Worker, model: Model, release: Release | None) -> EngineShape | None:
    """The shape of a worker's engine; None where its GPU or MoE backend is not known."""
    engine, backend = worker.engine, backend_of(worker)
    if worker.gpu is None or backend is None:
        return None
    tp = engine.positive("tensor_parallel_size") or 1
    moe_tp, moe_ep = _moe_sizes(engine, tp)
    windows = engine["kv_cache_config.max_attention_window"].value
    return EngineShape(
        gpu=worker.gpu,
        tp=tp,
        pp=engine.positive("pipeline_parallel_size") or 1,
        attention_dp=worker.attention_dp,
        moe_tp=moe_tp,
        moe_ep=moe_ep,
        moe_backend=backend,
        kv=_kv_type(engine),
        max_batch_size=engine.positive("max_batch_size") or DEFAULT_BATCH,
        max_num_tokens=engine.positive("max_num_tokens") or DEFAULT_TOKENS,
        max_seq_len=engine.positive("max_seq_len") or model.max_position,
        free_fraction=_fraction(engine),
        graph_sizes=graph_sizes_of(engine),
        attention_windows=_whole_numbers(windows),
        second_manager=_second_manager(worker, release),
        max_kv_tokens=engine.positive("kv_cache_config.max_tokens"),
        block=engine.positive("kv_cache_config.tokens_per_block") or BLOCK,
        output_tp=engine.switch("enable_lm_head_tp_in_adp"),
        transfers=worker.role is not Role.AGGREGATED,
        buffer_tokens=engine.positive("cache_transceiver_config.max_tokens_in_buffer"),
    )


def _moe_sizes(engine: Settings, tp: int) -> tuple[int, int]:
    """MoE tensor and expert parallel size: a size that is left out is what the other leaves."""
    moe_tp = engine.positive("moe_tensor_parallel_size")
    moe_ep = engine.positive("moe_expert_parallel_size")
    if moe_tp is None:
        moe_tp = max(1, tp // (moe_ep or 1))
    return moe_tp, moe_ep or max(1, tp // moe_tp)


def _kv_type(engine: Settings) -> str:
    named = (engine.text("kv_cache_config.dtype") or "auto").lower()
    return named if named in ("fp8", "nvfp4") else BF16


def _fraction(engine: Settings) -> float:
    number = engine.number("kv_cache_config.free_gpu_memory_fraction")
    return number if number is not None and 0 < number <= 1 else DEFAULT_FRACTION


def _whole_numbers(value: object) -> tuple[int, ...]:
    """A list of sizes; nothing where it is none, which other rules say."""
    sizes = value if isinstance(value, list) else []
    whole = tuple(size for size in sizes if type(size) is int and size > 0)
    return whole if len(whole) == len(sizes) else ()


def _second_manager(worker: Worker, release: Release | None) -> bool:
    """Newer versions take it by themselves; disaggregated only with the Python transceiver.

    Read in NVIDIA/TensorRT-LLM#16942.
    """
    engine = worker.engine
    chosen = engine["kv_cache_config.use_kv_cache_manager_v2"]
    if chosen.is_set and isinstance(chosen.value, bool):
        return chosen.value
    if worker.role is not Role.AGGREGATED:
        runtime = engine.text("cache_transceiver_config.transceiver_runtime") or ""
        if runtime.upper() != "PYTHON":
            return False
    return release is not None and trtllm_number(release.trtllm) >= SECOND_MANAGER


def graph_sizes_of(engine: Settings) -> tuple[int, ...]:
    """Batch sizes that get a CUDA graph; the fewest that any version captures.

    With padding 1, 2, 4, multiples of 8 up to 128 and powers of two above; without it 1 to 31, 32,
    64, 128 and powers of two above (NVIDIA/TensorRT-LLM llm_args.py, CudaGraphConfig).
    """
    block = engine["cuda_graph_config"]
    if block.is_set and block.value is None:
        return ()
    named = engine["cuda_graph_config.batch_sizes"].value
    if isinstance(named, list):
        return _whole_numbers(named)
    batch = engine.positive("max_batch_size") or DEFAULT_GRAPH_BATCH
    asked = engine.positive("cuda_graph_config.max_batch_size") or DEFAULT_GRAPH_BATCH
    return graph_sizes(min(asked, batch), padded=engine.switch("cuda_graph_config.enable_padding"))


def graph_sizes(largest: int, *, padded: bool) -> tuple[int, ...]:
    """The sizes that the engine takes by itself up to a largest."""
    small = {1, 2, 4, *range(8, 129, 8)} if padded else {*range(1, 33), 64, 128}
    powers = {2**n for n in range(8, largest.bit_length())}
    return (*sorted(size for size in small | powers if size < largest), largest)
