"""Predictions in words: amounts, what holds a system up, how far that may be believed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.planning.loops import admission
from gptoss.planning.prediction import Bottleneck

if TYPE_CHECKING:
    from gptoss.planning.layouts import System
    from gptoss.planning.prediction import Prediction

SECOND = 1000.0
NOTHING = 0.005
LONGEST_NAME = 50


def amount(number: float) -> str:
    """A number with three digits at least: 2,946 or 50.6 or 5.49; 0 for next to nothing."""
    if number < NOTHING:
        return "0"
    for least, digits in ((100, 0), (10, 1)):
        if number >= least:
            return f"{number:,.{digits}f}"
    return f"{number:.2f}"


def duration(milliseconds: float) -> str:
    """Milliseconds, or seconds from one second on."""
    if milliseconds >= SECOND:
        return f"{amount(milliseconds / SECOND)} s"
    return f"{amount(milliseconds)} ms"


def short(name: str) -> str:
    """The end of a name that is too long for a line."""
    return name if len(name) <= LONGEST_NAME else f"…{name[-LONGEST_NAME + 1 :]}"


def engines(system: System) -> str:
    """The engines of a system, prefill before decode: ``2 x TP1 + 1 x TP4``."""
    return " + ".join(map(str, system.engines))


def gpus(system: System) -> str:
    """How many GPUs of which kind, those that no engine uses among them."""
    told = " + ".join(f"{count} x {kind}" for kind, count in system.owned.items())
    return f"{told}, {system.unused} of them unused" if system.unused else told


def kv_types(system: System) -> str:
    """Types of the KV caches, each once."""
    return " and ".join(dict.fromkeys(str(engine.layout.kv) for engine in system.engines))


def told_bottleneck(prediction: Prediction) -> str:
    """What would have to grow for more throughput, in one sentence."""
    system, load = prediction.system, prediction.load
    decode = system.decode
    places = decode.max_batch_size * decode.ranks
    taken = f"{round(prediction.decoding):,} of {places:,} places in decode are taken"
    first = f"{round(prediction.queued + prediction.prefilling):,} requests wait for a first token"
    find = admission.answering if system.prefill else admission.aggregated
    at_once = find(decode, load).requests * decode.ranks
    waiting = f"{round(prediction.queued):,} wait"
    return {
        Bottleneck.PREFILL: f"prefill: {first} while {taken}",
        Bottleneck.DECODE: f"decode: {taken}, and one token for each takes "
        f"{duration(prediction.itl)}",
        Bottleneck.KV_ROOM: f"KV room: it holds {at_once:,} requests of {load.isl + load.osl:,} "
        f"tokens, and {waiting}",
        Bottleneck.BATCH: f"batch limit: {at_once:,} requests decode at once, and {waiting}",
        Bottleneck.CLIENTS: "clients: nothing waits, so more of them would give more tokens",
    }[prediction.bottleneck]
