"""Which iterations of which layouts the closed form is fitted to: those near what was measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.facts.speeds import decode_terms, prefill_terms
from gptoss.planning.layouts import KvType, Layout

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gptoss.planning.steps.step_times import StepTimes

# Hopper has no FP8 KV cache for gpt-oss, H100 no measured data that hold, and a GB200 node 4 GPUs.
LAYOUTS = {
    "gb200": ((KvType.BF16, KvType.FP8), (1, 2, 4)),
    "b200": ((KvType.BF16, KvType.FP8), (1, 2, 4, 8)),
    "h200": ((KvType.BF16,), (1, 2, 4, 8)),
}
BATCHES = (1, 2, 4, 8, 16, 32, 64, 80, 96, 128, 192, 256, 320, 384, 512, 768, 1024)
LENGTHS = (128, 256, 512, 1024, 1536, 2048, 4096, 8192, 16384)
PROMPTS = (1, 2, 4, 8, 16)
# Tokens of all sequences of a batch up to which decode attention was measured; heads that tensor
# parallelism divides leave room for more.
ATTENDED = 262_144
# Tokens of one prefill iteration up to which the experts were measured, and a little more.
PREFILLED = 20_480


@dataclass(frozen=True, slots=True)
class Sample:
    """One iteration: what its time is a sum of, and the time in milliseconds."""

    terms: Sequence[float]
    time: float


def layouts() -> Iterator[Layout]:
    """Every layout that the closed form is for."""
    for gpu, (types, sizes) in LAYOUTS.items():
        for kv in types:
            for gpus in sizes:
                for attention_dp in (False, True) if gpus > 1 else (False,):
                    yield Layout(gpu, gpus, attention_dp, gpus, kv)


def decode_samples(layout: Layout, times: StepTimes) -> list[Sample]:
    """Decode iterations of a layout."""
    room = ATTENDED * layout.gpus // layout.ranks
    return [
        Sample(decode_terms(batch, length, layout.ranks, layout.gpus), times.decode(batch, length))
        for batch in BATCHES
        for length in LENGTHS
        if batch * length <= room
    ]


def prefill_samples(layout: Layout, times: StepTimes) -> list[Sample]:
    """Prefill iterations of a layout."""
    return [
        Sample(
            prefill_terms(prompts * isl, isl, layout.ranks, layout.gpus),
            times.prefill(prompts, isl),
        )
        for prompts in PROMPTS
        for isl in LENGTHS
        if prompts * isl <= PREFILLED
    ]
