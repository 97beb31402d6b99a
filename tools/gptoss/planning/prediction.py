"""What is predicted of a system under a load, and how far it may be believed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gptoss.planning.layouts import Load, System


class Belief(IntEnum):
    """How far a number may be believed, least first."""

    UNRELIABLE = 0
    EXTRAPOLATED = 1
    WITHIN = 2
    MEASURED = 3

    @property
    def told(self) -> str:
        """In words."""
        words = ("unreliable", "extrapolated", "within the grid", "measured nearby")
        return words[self]


@dataclass(frozen=True, slots=True)
class Judged:
    """A belief with its reasons, one sentence each; few where it is measured nearby."""

    belief: Belief
    reasons: tuple[str, ...] = ()


class Bottleneck(StrEnum):
    """What holds a system up."""

    PREFILL = "prefill"
    DECODE = "decode"
    KV_ROOM = "KV room"
    BATCH = "batch limit"
    CLIENTS = "clients"


@dataclass(frozen=True, slots=True)
class Prediction:
    """A system in the middle of a long benchmark.

    Attributes:
        system, load: What it is of.
        rate: Requests that are answered a second, by all replicas.
        decoding, prefilling, queued: Requests in each state on average; their sum is the clients.
        ttft: Milliseconds until the first token, waiting included.
        wait: Milliseconds of it in a queue.
        itl: Milliseconds between two tokens of an answer.
        bottleneck: What would have to grow for more throughput; CLIENTS when nothing waits.
        judged: How far it may be believed.
    """

    system: System
    load: Load
    rate: float
    decoding: float
    prefilling: float
    queued: float
    ttft: float
    wait: float
    itl: float
    bottleneck: Bottleneck
    judged: Judged

    @property
    def tokens_per_second(self) -> float:
        """Output tokens a second, all GPUs."""
        return self.rate * self.load.osl

    @property
    def per_gpu(self) -> float:
        """Output tokens a second a GPU owned."""
        return self.tokens_per_second / self.system.gpus

    @property
    def per_user(self) -> float:
        """Output tokens a second that one user sees, between first and last token."""
        return 1000 / self.itl
