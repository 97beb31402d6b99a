"""What a request leaves in the KV cache of a worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.deployment.model import Role

if TYPE_CHECKING:
    from gptoss.deployment.model import Deployment, Worker


@dataclass(frozen=True, slots=True)
class CachedRequest:
    """A request in the KV cache.

    Attributes:
        tokens: Its length; of a worker that only prefills its prompt's.
        told: In words, as in ``8,192 + 1,024 tokens``.
    """

    tokens: int
    told: str


def request_of(
    worker: Worker, deployment: Deployment, isl: int | None = None, osl: int | None = None
) -> CachedRequest | None:
    """A request of the benchmark, or of the lengths that are given; None where neither says."""
    load = deployment.benchmark
    if load is not None:
        isl = isl or (load.input_tokens.value if load.input_tokens else None)
        osl = osl or (load.output_tokens.value if load.output_tokens else None)
    if isl and worker.role is Role.PREFILL:
        return CachedRequest(isl, f"{isl:,} tokens of prompt")
    return CachedRequest(isl + osl, f"{isl:,} + {osl:,} tokens") if isl and osl else None
