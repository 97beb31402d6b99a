"""Is a variable of the engine spelled as the engine reads it?"""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from gptoss.rules.rule import ANY, ANYWHERE, Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Worker

ALIKE = 0.7
PREFIXES = ("TRTLLM_", "TLLM_", "TRT_LLM_")
# Variables that TensorRT-LLM reads. There are more: what is not like one of these is not judged.
READ = (
    "TLLM_LOG_LEVEL",
    "TLLM_MOE_A2A_COMBINE_BLOCK_SIZE",
    "TLLM_MOE_A2A_DISPATCH_BLOCK_SIZE",
    "TRTLLM_DISABLE_CHUNKED_ATTENTION_IN_GEN_PHASE",
    "TRTLLM_DISABLE_KV_CACHE_TRANSFER_OVERLAP",
    "TRTLLM_DISAGG_BENCHMARK_GEN_ONLY",
    "TRTLLM_DISAGG_ENABLE_INFLIGHT_CANCEL",
    "TRTLLM_DISAGG_LAYERWISE",
    "TRTLLM_ENABLE_KVCACHE_RECEIVE_PARALLEL",
    "TRTLLM_ENABLE_MMHA_MULTI_BLOCK_DEBUG",
    "TRTLLM_ENABLE_PDL",
    "TRTLLM_ENABLE_TRTLLMGEN_MOE_ROUTING_RENORM_PDL",
    "TRTLLM_ENABLE_XQA_JIT",
    "TRTLLM_EPLB_FORCE_GDRCOPY",
    "TRTLLM_FORCE_COMM_METHOD",
    "TRTLLM_FORCE_MNNVL_AR",
    "TRTLLM_FORCE_XQA",
    "TRTLLM_GEN_ENABLE_TILE_SIZE_KV64",
    "TRTLLM_KVCACHE_POOL_USE_FABRIC_MEMORY",
    "TRTLLM_KVCACHE_RECV_BUFFER_COUNT",
    "TRTLLM_KVCACHE_SEND_MAX_CONCURRENCY_NUM",
    "TRTLLM_KVCACHE_TIME_OUTPUT_PATH",
    "TRTLLM_KVCACHE_TRANSFER_ALL_BLOCKS_FOR_WINDOW",
    "TRTLLM_KVCACHE_TRANSFER_BUFFER_SIZE",
    "TRTLLM_KVCACHE_TRANSFER_USE_ASYNC_BUFFER",
    "TRTLLM_KVCACHE_TRANSFER_USE_SYNC_BUFFER",
    "TRTLLM_MMHA_BLOCKS_PER_SEQUENCE",
    "TRTLLM_MMHA_KERNEL_BLOCK_SIZE",
    "TRTLLM_MOE_DISABLE_FINALIZE_FUSION",
    "TRTLLM_MOONCAKE_INTERFACE",
    "TRTLLM_NAN_TRAP",
    "TRTLLM_NIXL_ENABLE_COALESCE",
    "TRTLLM_NIXL_INTERFACE",
    "TRTLLM_NIXL_KVCACHE_BACKEND",
    "TRTLLM_NIXL_PORT",
    "TRTLLM_NO_USAGE_STATS",
    "TRTLLM_PRINT_SKIP_SOFTMAX_STAT",
    "TRTLLM_RAY_PER_WORKER_GPUS",
    "TRTLLM_REQUEST_KV_CACHE_CONCURRENT",
    "TRTLLM_TRY_ZCOPY_FOR_KVCACHE_TRANSFER",
    "TRTLLM_UCX_INTERFACE",
    "TRTLLM_USE_MOONCAKE_KVCACHE",
    "TRTLLM_USE_MPI_KVCACHE",
    "TRTLLM_USE_NIXL_KVCACHE",
    "TRTLLM_USE_UCX_KVCACHE",
    "TRTLLM_WINDOW_SIZE_SHARES",
    "TRTLLM_WORKER_PRINT_STACKS_PERIOD",
    "TRTLLM_XQA_BLOCKS_PER_SEQUENCE",
    "TRT_LLM_DISABLE_LOAD_WEIGHTS_IN_PARALLEL",
)


@rule(
    "C200",
    "variable-misspelt",
    Severity.WARNING,
    of=WORKERS,
    runtimes=ANY,
    platforms=ANYWHERE,
)
def variable_misspelt(worker: Worker) -> Iterator[Said]:
    """A variable differs in one word from one that TensorRT-LLM reads.

    Nobody reads the variable as it is written, and nothing says so.
    """
    for name, variable in worker.pod.environment.items():
        if name.startswith(PREFIXES) and name not in READ and (right := _meant(name)):
            yield Said(
                variable,
                f"{name} is like {right}, which TensorRT-LLM reads, but not the same",
                f"write {right}",
            )


def _meant(name: str) -> str | None:
    """The variable of which one word is misspelt in a name, or None."""
    words = name.split("_")
    for known in READ:
        others = known.split("_")
        differing = [pair for pair in zip(words, others, strict=False) if pair[0] != pair[1]]
        if len(words) == len(others) and len(differing) == 1:
            written, right = differing[0]
            if SequenceMatcher(None, written, right).ratio() >= ALIKE:
                return known
    return None
