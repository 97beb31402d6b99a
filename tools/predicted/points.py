"""What is predicted for every point that others have measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gptoss.planning.loops.burst import ttft_of_run
from gptoss.planning.loops.closed_loop import predict
from gptoss.planning.loops.published import measured_sets

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gptoss.planning.loops.published import Measured
    from gptoss.planning.steps.step_times import Times

PLACES = 4


@dataclass(frozen=True, slots=True)
class Held:
    """A measured point with its prediction.

    Attributes:
        measured: The point.
        itl, ttft: Milliseconds as predicted; TTFT with the start of the benchmark in it.
        steady_ttft: TTFT without it.
        per_gpu: Output tokens a second a GPU as predicted, with the start of the benchmark in it.
        bottleneck, belief: In the words of the prediction.
    """

    measured: Measured
    itl: float
    ttft: float
    steady_ttft: float
    per_gpu: float
    bottleneck: str
    belief: str


def name_of(point: Measured) -> str:
    """What a point is called in the record."""
    load = point.load
    return f"{point.system.name}, {load.isl}/{load.osl}, {load.clients} clients"


def predictions(times: Times) -> dict[str, Any]:
    """The prediction of every point, by set and point.

    Raises:
        InputError: There are no times for a layout.
    """
    return {
        each.name: {name_of(point): predictions_of(point, times) for point in each.points}
        for each in measured_sets()
    }


def held(record: Mapping[str, Any]) -> Iterator[Held]:
    """The measured points with what is recorded of them."""
    for each in measured_sets():
        for point in each.points:
            yield Held(point, **record[each.name][name_of(point)])


def predictions_of(point: Measured, times: Times) -> dict[str, Any]:
    """The prediction of a point as it is recorded.

    Raises:
        InputError: There are no times for the layout.
    """
    found = predict(point.system, point.load, times)
    ttft = ttft_of_run(found, point.requests, times)
    answer = ttft + found.itl * (point.load.osl - 1)
    rate = 1000 * point.load.clients * point.load.osl / answer
    return {
        "itl": round(found.itl, PLACES),
        "ttft": round(ttft, PLACES),
        "steady_ttft": round(found.ttft, PLACES),
        "per_gpu": round(rate / point.system.gpus, PLACES),
        "bottleneck": str(found.bottleneck),
        "belief": found.judged.belief.told,
    }
