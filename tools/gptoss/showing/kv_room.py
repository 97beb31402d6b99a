"""What a worker's KV cache holds, by estimate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.deployment.model import Role
from gptoss.memory.worker_memory import memory_of

if TYPE_CHECKING:
    from gptoss.deployment.model import Deployment, Worker


@dataclass(frozen=True, slots=True)
class KvRoom:
    """Room for the KV cache of one replica.

    Attributes:
        tokens: Tokens that it holds, over all attention data parallel ranks.
        request_tokens: Tokens that a request of the benchmark leaves in it, of a worker that only
            prefills its prompt; None without a benchmark.
        requests: Requests of that length that it holds.
    """

    tokens: int
    request_tokens: int | None
    requests: int | None


def kv_room(worker: Worker, deployment: Deployment) -> KvRoom | None:
    """The room of a worker's replica; None where the estimate does not apply."""
    memory = memory_of(worker, deployment)
    if memory is None:
        return None
    ranks = memory.shape.ranks
    length = _request_tokens(worker, deployment)
    requests = memory.sequences(length) * ranks if length else None
    return KvRoom(memory.kv_tokens * ranks, length, requests)


def in_words(room: KvRoom) -> str:
    """The room in one line."""
    text = f"KV cache: room for about {round(room.tokens, -3):,} tokens a replica"
    if room.requests is not None:
        text += f", {room.requests:,} requests of {room.request_tokens:,} tokens"
    return f"{text} (estimate)"


def _request_tokens(worker: Worker, deployment: Deployment) -> int | None:
    benchmark = deployment.benchmark
    if benchmark is None or benchmark.input_tokens is None or benchmark.output_tokens is None:
        return None
    prompt, answer = benchmark.input_tokens.value, benchmark.output_tokens.value
    return prompt if worker.role is Role.PREFILL else prompt + answer
