"""How far a prediction may be believed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gptoss.planning.loops.published import measured_sets
from gptoss.planning.prediction import Belief, Judged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.planning.layouts import Engine, Load, System

# Grid of aiconfigurator-core 0.12.0 (generation_attention, context_attention): lengths by batch for
# 64 heads of a GPU; with fewer heads they go on for longer, up to the longest there are.
TRTLLM = "1.3.0rc20"
# Series of it that published points were measured with.
MEASURED_SERIES = ("gpt-oss-dev", "1.1.", "1.2.", "1.3.")
LONGEST, LONGEST_OF_64 = 131_072, 32_768
FEW, TOKENS_OF_FEW, TOKENS_OF_MANY = 128, 262_144, 131_072
LONGEST_PROMPT = 16_384
# More in a batch than its authors trust their own data with, and more than aggregated serving has
# been published with.
MOST_TRUSTED, MOST_PUBLISHED = 1024, 256
# Kernels of the experts that were measured.
KERNELS = {"b200": "TRTLLM", "gb200": "TRTLLM", "h200": "TRITON", "h100": "TRITON"}
# Tokens of an iteration for which the experts' rows of four B200 are slower than those of two.
WRONG_ROWS = (1100, 8000)
# A published point is near when clients a rank and lengths differ by no more than this factor.
NEAR = 1.5


class Doubt(NamedTuple):
    """A reason to believe no more than so much; some hold for what was measured nearby too."""

    most: Belief
    reason: str
    always: bool = False


def judged(system: System, load: Load, decoding: float | None = None) -> Judged:
    """How far a prediction of a system under a load may be believed.

    Args:
        system: What is predicted.
        load: Under what.
        decoding: Answers that are on their way at once; as many as there can be unless given.
    """
    doubts = list(_doubts(system, load, decoding))
    if is_near(system, load):
        doubts = [doubt for doubt in doubts if doubt.always]
        belief = Belief.MEASURED
    else:
        belief = Belief.WITHIN
    reasons = tuple(dict.fromkeys(doubt.reason for doubt in doubts))
    return Judged(min([belief, *(doubt.most for doubt in doubts)]), reasons)


def is_near(system: System, load: Load) -> bool:
    """Whether the same layouts have been measured under about the same load."""
    return any(
        _same(system, point.system)
        and _close(load.isl, point.load.isl)
        and _close(load.osl, point.load.osl)
        and _close(
            load.clients / system.decode.ranks, point.load.clients / point.system.decode.ranks
        )
        for published in measured_sets()
        for point in published.points
    )


def _doubts(system: System, load: Load, decoding: float | None) -> Iterator[Doubt]:
    decode, prefill = system.decode, system.prefill
    most = min(load.clients / decode.ranks, decode.max_batch_size)
    batch = most if decoding is None else decoding / decode.ranks
    for engine in reversed(system.engines):
        yield from _of_engine(engine)
        isl = load.isl if engine is (prefill or decode) else 0
        yield from _of_experts(engine, isl, batch if engine is decode else 0)
    yield from _of_batch(decode, load, batch)
    if load.isl > LONGEST_PROMPT:
        yield Doubt(
            Belief.EXTRAPOLATED,
            f"prompts of {load.isl:,} tokens; attention was measured up to {LONGEST_PROMPT:,}",
        )
    if system.trtllm is not None and system.trtllm != TRTLLM:
        known = system.trtllm.startswith(MEASURED_SERIES)
        yield Doubt(
            Belief.MEASURED if known else Belief.EXTRAPOLATED,
            f"the data are of TensorRT-LLM {TRTLLM}, and this is {system.trtllm}",
            always=True,
        )


def _of_engine(engine: Engine) -> Iterator[Doubt]:
    layout, gpu = engine.layout, engine.layout.gpu
    if gpu == "h100":
        yield Doubt(
            Belief.UNRELIABLE,
            "all published points of the H100 are two to four times as slow as predicted",
            always=True,
        )
    kernels = KERNELS.get(gpu)
    if kernels and engine.moe_backend != kernels:
        yield Doubt(
            Belief.EXTRAPOLATED,
            f"the experts' kernels are {engine.moe_backend}; {kernels} was measured",
        )
    if layout.moe_ep < layout.gpus:
        yield Doubt(
            Belief.EXTRAPOLATED,
            f"experts cut over the GPUs of {layout} were not measured; spread ones stand in",
        )


def _of_experts(engine: Engine, isl: int, batch: float) -> Iterator[Doubt]:
    layout, (low, high) = engine.layout, WRONG_ROWS
    prompt = layout.ranks * min(isl, engine.max_num_tokens)
    asked = any(low <= tokens <= high for tokens in (prompt, layout.ranks * batch))
    if asked and (layout.gpu, layout.gpus) == ("b200", 4):
        yield Doubt(
            Belief.EXTRAPOLATED,
            f"the experts' times of four B200 are 15 to 40 % too long for {low:,} to {high:,} "
            "tokens of an iteration",
        )


def _of_batch(engine: Engine, load: Load, batch: float) -> Iterator[Doubt]:
    layout = engine.layout
    heads_are_fewer = layout.gpus // layout.ranks
    tokens = TOKENS_OF_FEW if batch <= FEW else TOKENS_OF_MANY
    longest = min(
        LONGEST, heads_are_fewer * LONGEST_OF_64, heads_are_fewer * tokens / max(1.0, batch)
    )
    length = load.isl + load.osl / 2
    if length > longest:
        yield Doubt(
            Belief.EXTRAPOLATED,
            f"{batch:.0f} answers of {length:,.0f} tokens a rank; attention was measured up to "
            f"{longest:,.0f}",
        )
    if batch > MOST_TRUSTED:
        yield Doubt(
            Belief.EXTRAPOLATED,
            f"{batch:.0f} answers a rank; the data's authors trust them up to {MOST_TRUSTED:,}",
        )
    elif batch > MOST_PUBLISHED:
        yield Doubt(
            Belief.WITHIN,
            f"{batch:.0f} answers a rank; hardly a measurement above {MOST_PUBLISHED} is published",
        )


def _same(one: System, other: System) -> bool:
    first, second = one.prefill, other.prefill
    if one.decode.layout != other.decode.layout or (first is None) != (second is None):
        return False
    if one.decode.moe_backend != other.decode.moe_backend:
        return False
    if first is None or second is None:
        return True
    share = first.replicas * other.decode.replicas == second.replicas * one.decode.replicas
    return first.layout == second.layout and share


def _close(one: float, other: float) -> bool:
    return one <= NEAR * other and other <= NEAR * one
