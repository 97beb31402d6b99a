"""Family disagg: is the KV cache laid out as the transfer between roles expects?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.rule import Need, Said, Severity, rule
from gptoss.rules.subjects import PAIRS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Worker

BACKEND = "attn_backend"
EXPECTED = "TRTLLM"
SIZE = "tensor_parallel_size"


@rule(
    "D013",
    "kv-layout-not-split",
    Severity.WARNING,
    of=PAIRS,
    needs=(Need.ENGINE,),
)
def kv_layout_not_split(prefill: Worker, decode: Worker) -> Iterator[Said]:
    """Prefill and decode split KV heads differently while the attention backend is not TRTLLM.

    What splits and joins the cache between them expects the layout of TRTLLM. With FLASHINFER it
    has moved the wrong heads: answers are wrong and nothing fails.
    """
    parts = (_parts(prefill), _parts(decode))
    if parts[0] == parts[1]:
        return
    for worker in (prefill, decode):
        backend = worker.engine[BACKEND]
        if backend.is_set and str(backend.value).upper() != EXPECTED:
            yield Said(
                backend,
                f"{worker.name} has {BACKEND} {backend.value} while prefill and decode split "
                f"KV heads by {parts[0]} and {parts[1]}: the transferred cache may be wrong",
                f"use {EXPECTED}, or the same size on both sides",
            )


def _parts(worker: Worker) -> int:
    """Ranks that share the KV heads of a sequence; attention data parallelism keeps them whole."""
    return (worker.engine.whole(SIZE) or 1) // worker.attention_ranks
