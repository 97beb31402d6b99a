"""Everything that a number of GPUs of a kind can be: the systems among which a search chooses."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from gptoss.deployment.model import Role
from gptoss.memory.engine_shapes import BLOCK
from gptoss.planning.layouts import Engine, Layout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.facts.world import Gpu
    from gptoss.planning.layouts import KvType
    from gptoss.planning.prediction import Prediction

PARALLEL_SIZES = (1, 2, 4, 8)
# Tokens of one iteration where prompts are computed in pieces. Data of experts end at 16,384.
CHUNKS = (2048, 4096, 8192, 16384)
PROMPTS = (1, 2, 4, 8)
# Requests a prefill engine may hold, those that wait for their transfer included.
PREFILL_BATCH = 64
# The largest batch for which the library's authors trust their data; measured once beyond it, at
# 1,280, an iteration took 13 % longer than they say.
MOST_A_RANK = 1024
# Steps in which batches grow from one power of two to the next: all of them, and a few.
FINE, COARSE = 32, 4
# A search among as many GPUs takes minutes.
MOST_GPUS = 1024
# Replicas do not share clients evenly: a batch has room for a quarter more than its share.
HEADROOM = 1.25
# Tokens that the chat template adds to a prompt, with room to spare.
MARKUP = 256
# Requests that are longer than the mean are served up to this, and at least up to so many tokens.
LONGER, LONGEST = 1.2, 8192


class Serving(StrEnum):
    """Whether one engine prefills and decodes, or two do."""

    AGGREGATED = "aggregated"
    DISAGGREGATED = "disaggregated"


@dataclass(frozen=True, slots=True)
class Limits:
    """What users are promised; milliseconds."""

    ttft: float = math.inf
    itl: float = math.inf

    def hold(self, predicted: Prediction) -> bool:
        """Whether a prediction keeps them."""
        return predicted.ttft <= self.ttft and predicted.itl <= self.itl


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody has and wants.

    Attributes:
        gpu: Kind of GPU.
        gpus: How many.
        isl, osl: Tokens of a prompt and of an answer.
        kv: Type of the KV cache.
        clients: Requests on their way at once; None when as many as the limits bear.
        limits: What each system has to keep.
        serving: Kinds of serving to choose from.
        trtllm: Version of TensorRT-LLM; None when unknown.
        longest: Tokens of the longest sequence that is served; None for what the mean wants.
    """

    gpu: Gpu
    gpus: int
    isl: int
    osl: int
    kv: KvType
    clients: int | None = None
    limits: Limits = field(default_factory=Limits)
    serving: tuple[Serving, ...] = tuple(Serving)
    trtllm: str | None = None
    longest: int | None = None


class Room(Protocol):
    """How many tokens the KV cache of a rank holds."""

    def __call__(self, layout: Layout, role: Role, max_batch_size: int, max_num_tokens: int) -> int:
        """Tokens; 0 where the engine does not fit."""
        ...


@dataclass(frozen=True, slots=True)
class Part:
    """Replicas of a layout, and the tokens of their iterations."""

    layout: Layout
    replicas: int
    max_num_tokens: int

    @property
    def ranks(self) -> int:
        """Attention data parallel ranks of all replicas."""
        return self.layout.ranks * self.replicas


@dataclass(frozen=True, slots=True)
class Shape:
    """A system without its batch limit."""

    decode: Part
    prefill: Part | None = None

    @property
    def without_replicas(self) -> tuple[object, ...]:
        """What it is in any number."""
        parts = [part for part in (self.decode, self.prefill) if part]
        return tuple((part.layout, part.max_num_tokens) for part in parts)

    def __str__(self) -> str:
        """As in ``2 x TP1 + 3 x TP1``, prefill before decode."""
        parts = [self.prefill, self.decode] if self.prefill else [self.decode]
        return " + ".join(f"{part.replicas} x {part.layout}" for part in parts)


def moe_backend(gpu: Gpu) -> str:
    """What the engine takes by itself for gpt-oss, and what the data are of."""
    return "TRITON" if gpu.is_hopper else "TRTLLM"


def layouts(wish: Wish) -> list[Layout]:
    """Layouts of one replica: within a node, experts spread over all of its GPUs."""
    most = min(wish.gpus, wish.gpu.per_node)
    return [
        Layout(wish.gpu.key, size, attention_dp, size, wish.kv)
        for size in PARALLEL_SIZES
        for attention_dp in (False, True)
        if size <= most and (size > 1 or not attention_dp)
    ]


def shapes(wish: Wish) -> list[Shape]:
    """All shapes, in a fixed order.

    Parallel sizes divide a node, so replicas that are no more GPUs than there are fit on nodes.
    GPUs stay unused only where no further replica finds room.
    """
    found = list(_aggregated(wish)) if Serving.AGGREGATED in wish.serving else []
    if Serving.DISAGGREGATED in wish.serving:
        found += _disaggregated(wish)
    return found


def _aggregated(wish: Wish) -> Iterator[Shape]:
    for layout in layouts(wish):
        for chunk in CHUNKS:
            yield Shape(Part(layout, wish.gpus // layout.gpus, chunk))


def _disaggregated(wish: Wish) -> Iterator[Shape]:
    for first in layouts(wish):
        for second in layouts(wish):
            for replicas in range(1, wish.gpus // first.gpus + 1):
                left = wish.gpus - replicas * first.gpus
                unused = left % second.gpus
                if left < second.gpus or unused >= first.gpus:
                    continue
                for tokens in prefill_tokens(wish.isl):
                    decode = Part(second, left // second.gpus, CHUNKS[0])
                    yield Shape(decode, Part(first, replicas, tokens))


def prefill_tokens(isl: int) -> list[int]:
    """Sizes of a prefill iteration: some prompts with their markup, and one at least."""
    sizes = [count * (isl + MARKUP) for count in PROMPTS]
    most = CHUNKS[-1] + PROMPTS[-1] * MARKUP
    return [size for size in sizes if size <= most] or sizes[:1]


def longest_sequence(wish: Wish) -> int:
    """``max_seq_len`` in whole blocks: that of the source, or more than the mean request needs."""
    mean = wish.isl + wish.osl
    longest = wish.longest or max(LONGEST, math.ceil(LONGER * mean))
    return -(-max(longest, mean + MARKUP) // BLOCK) * BLOCK


def batches(steps: int = FINE) -> list[int]:
    """Requests a rank, up to MOST_A_RANK: every one first, then so many steps an octave."""
    found = list(range(1, steps))
    start = steps
    while start < MOST_A_RANK:
        found += range(start, min(2 * start, MOST_A_RANK), start // steps)
        start *= 2
    return [*found, MOST_A_RANK]


def with_headroom(batch: int) -> int:
    """A batch limit for an average of ``batch`` requests, a multiple of 8 from 16 on."""
    limit = math.ceil(batch * HEADROOM)
    return limit if limit < 16 else math.ceil(limit / 8) * 8


def engine_of(part: Part, role: Role, limit: int, wish: Wish, room: Room) -> Engine | None:
    """An engine with a batch limit, lowered to what its KV cache holds; None if that is nothing."""
    held = room(part.layout, role, limit, part.max_num_tokens)
    fitting = held // (wish.isl + wish.osl + MARKUP)
    batch = min(limit, fitting)
    if not batch:
        return None
    return Engine(
        layout=part.layout,
        replicas=part.replicas,
        max_batch_size=batch,
        max_num_tokens=part.max_num_tokens,
        chunked_prefill=role is not Role.DECODE,
        kv_tokens=held,
        moe_backend=moe_backend(wish.gpu),
    )
