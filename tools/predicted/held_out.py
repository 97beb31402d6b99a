"""Published sweeps of which every second step calibrates, and the steps between are predicted."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from gptoss.planning.calibrating.calibration import Seen, calibrate
from gptoss.planning.calibrating.correction import CorrectedTimes
from gptoss.planning.loops.burst import ttft_of_run
from gptoss.planning.loops.closed_loop import predict
from gptoss.planning.loops.published import Measured, measured_sets

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gptoss.planning.steps.step_times import Times

SETS = ("b200", "gb200", "h200")
FEWEST = 5
# What calibration leaves of the error at most.
CALIBRATED = {"itl": 0.5, "ttft": 0.85}
PLACES = 4


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Mean errors of the steps that were held out.

    Attributes:
        steps: How many they are.
        itl, ttft: Without calibration, and with it.
    """

    steps: int
    itl: tuple[float, float]
    ttft: tuple[float, float]


def sweeps() -> dict[str, list[Measured]]:
    """Published points of one system and lengths, fewest clients first, by their name."""
    found: dict[str, list[Measured]] = {}
    for each in measured_sets():
        for point in each.points if each.name in SETS else ():
            name = f"{point.system.name}, {point.load.isl}/{point.load.osl}"
            found.setdefault(name, []).append(point)
    return {name: points for name, points in found.items() if len(points) >= FEWEST}


def held_out(times: Times) -> dict[str, Any]:
    """Predicted by measured of the steps that were held out, by sweep.

    Raises:
        InputError: There are no times for a layout.
    """
    return {name: of_sweep(points, times) for name, points in sweeps().items()}


def of_sweep(points: Sequence[Measured], times: Times) -> dict[str, Any]:
    """What the first, third and further steps say of the others.

    Raises:
        InputError: There are no times for the layout.
    """
    # The last has the largest batch limit where that follows the clients.
    by = calibrate(points[-1].system, [_seen(point) for point in points[::2]], times).by
    corrected = CorrectedTimes(times, by)
    fitted = {"prefill": by.prefill, "decode": by.decode, "overhead": by.overhead}
    return {
        "fitted": {name: round(part.value, PLACES) for name, part in fitted.items()},
        "held out": {
            f"{point.load.clients} clients": {
                "library": _ratios(point, times),
                "calibrated": _ratios(point, corrected),
            }
            for point in points[1::2]
        },
    }


def errors(record: Mapping[str, Any]) -> HeldOut:
    """The mean errors in what is recorded."""
    steps = [step for sweep in record.values() for step in sweep["held out"].values()]
    itl, ttft = (
        tuple(fmean(abs(step[of][what] - 1) for step in steps) for of in ("library", "calibrated"))
        for what in ("itl", "ttft")
    )
    return HeldOut(len(steps), (itl[0], itl[1]), (ttft[0], ttft[1]))


def _ratios(point: Measured, times: Times) -> dict[str, float]:
    found = predict(point.system, point.load, times)
    seen = _seen(point)
    ttft = ttft_of_run(found, seen.requests, times)
    return {"itl": round(found.itl / seen.itl, PLACES), "ttft": round(ttft / seen.ttft, PLACES)}


def _seen(point: Measured) -> Seen:
    if point.itl is None or point.ttft is None:
        raise ValueError(f"{point.system.name} has no latencies")
    return Seen(point.load, point.requests, point.ttft, point.itl)
