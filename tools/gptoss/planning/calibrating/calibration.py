"""What one's own benchmarks say of step times: least squares, with error bars."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.planning.calibrating.correction import CorrectedTimes, Correction, Estimate
from gptoss.planning.loops.burst import ttft_of_run
from gptoss.planning.loops.closed_loop import predict
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.planning.layouts import Load, System
    from gptoss.planning.steps.step_times import Times

# How far a measured mean is from the next run's: of ITL, and of TTFT, which varies more.
ITL_SPREAD, TTFT_SPREAD = 0.03, 0.1
# What is believed before anything is measured: factors near one, a few milliseconds. It keeps the
# fit of one point near what the library says.
PRIOR = (0.3, 0.15, 10.0)
# A fit that stays farther from ITL than this is of something else.
MOST_OFF = 0.25
ROUNDS, STEP, FARTHEST = 3, 0.02, 0.5
SCALE = (1.0, 1.0, 10.0)


@dataclass(frozen=True, slots=True)
class Seen:
    """One point of a benchmark.

    Attributes:
        load: Clients and mean lengths.
        requests: Requests of each client, all of which started at once.
        ttft, itl: Means in milliseconds.
    """

    load: Load
    requests: float
    ttft: float
    itl: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """A correction, and what it was fitted to.

    Attributes:
        by: The correction.
        points: What was measured.
        before, after: Mean error of ITL and TTFT of these points, without it and with it.
    """

    by: Correction
    points: int
    before: tuple[float, float]
    after: tuple[float, float]


def calibrate(system: System, seen: Sequence[Seen], times: Times) -> Calibration:
    """Fits prefill, decode and overhead of a system to what was measured of it.

    The logarithms of ITL and TTFT are near straight lines in the parameters: a few rounds of
    weighted least squares, each in closed form.

    Raises:
        InputError: Nothing was measured, no such factors explain it, or there are no times for a
            layout.
    """
    if not seen:
        raise InputError("the runs hold no point to calibrate by: none has both TTFT and ITL")
    at = [0.0, 0.0, 0.0]
    for _ in range(ROUNDS):
        here, slopes = _around(system, seen, times, at)
        matrix, right = _normal(seen, here, slopes, at)
        moves = _solved(matrix, right)
        at = [x + max(-FARTHEST, min(FARTHEST, move)) for x, move in zip(at, moves, strict=True)]
    here, slopes = _around(system, seen, times, at)
    matrix, _ = _normal(seen, here, slopes, at)
    by = _correction(at, _errors(matrix, seen, here))
    before = _mean_errors(seen, _predicted(system, seen, times, [0.0, 0.0, 0.0]))
    after = _mean_errors(seen, here)
    if after[0] > MOST_OFF:
        raise InputError(
            f"the runs do not look like this deployment: ITL differs by {before[0]:.0%} from what "
            f"is predicted, and {after[0]:.0%} when calibrated; were they of other engines?"
        )
    return Calibration(by, len(seen), before, after)


def _correction(at: Sequence[float], errors: Sequence[float] = (0.0, 0.0, 0.0)) -> Correction:
    """The correction at a place: two logarithms of factors, and tens of milliseconds."""
    prefill, decode = math.exp(at[0]), math.exp(at[1])
    return Correction(
        Estimate(prefill, prefill * errors[0]),
        Estimate(decode, decode * errors[1]),
        Estimate(at[2] * SCALE[2], errors[2] * SCALE[2]),
    )


def _predicted(
    system: System, seen: Sequence[Seen], times: Times, at: Sequence[float]
) -> list[float]:
    """Logarithms of ITL and TTFT of each point, in turn."""
    corrected = CorrectedTimes(times, _correction(at))
    found = []
    for point in seen:
        prediction = predict(system, point.load, corrected)
        ttft = ttft_of_run(prediction, point.requests, corrected)
        found += [math.log(prediction.itl), math.log(ttft)]
    return found


def _around(
    system: System, seen: Sequence[Seen], times: Times, at: Sequence[float]
) -> tuple[list[float], list[list[float]]]:
    """What is predicted at a place, and how it changes with each parameter."""
    here = _predicted(system, seen, times, at)
    slopes = []
    for number in range(len(at)):
        beside = [x + STEP * (number == other) for other, x in enumerate(at)]
        there = _predicted(system, seen, times, beside)
        slopes.append([(b - a) / STEP for a, b in zip(here, there, strict=True)])
    return here, slopes


def _normal(
    seen: Sequence[Seen],
    here: Sequence[float],
    slopes: Sequence[Sequence[float]],
    at: Sequence[float],
) -> tuple[list[list[float]], list[float]]:
    """The normal equations, with what is believed beforehand as further observations."""
    weights = [1 / ITL_SPREAD**2, 1 / TTFT_SPREAD**2] * len(seen)
    left = [measured - told for measured, told in zip(_measured(seen), here, strict=True)]
    believed = [scale**2 / prior**2 for scale, prior in zip(SCALE, PRIOR, strict=True)]
    matrix = [
        [
            sum(w * x * y for w, x, y in zip(weights, one, other, strict=True))
            + believed[row] * (row == column)
            for column, other in enumerate(slopes)
        ]
        for row, one in enumerate(slopes)
    ]
    right = [
        sum(w * x * r for w, x, r in zip(weights, slope, left, strict=True)) - believed[row] * x0
        for row, (slope, x0) in enumerate(zip(slopes, at, strict=True))
    ]
    return matrix, right


def _measured(seen: Sequence[Seen]) -> list[float]:
    return [math.log(value) for point in seen for value in (point.itl, point.ttft)]


def _errors(
    matrix: Sequence[Sequence[float]], seen: Sequence[Seen], here: Sequence[float]
) -> list[float]:
    """Standard errors: wider where points lie farther from the fit than runs from each other."""
    spreads = [ITL_SPREAD, TTFT_SPREAD] * len(seen)
    pairs = zip(_measured(seen), here, spreads, strict=True)
    square = sum(((measured - told) / spread) ** 2 for measured, told, spread in pairs)
    wider = max(1.0, square / max(1, len(spreads) - len(matrix)))
    units = [[float(row == column) for column in range(len(matrix))] for row in range(len(matrix))]
    return [math.sqrt(wider * _solved(matrix, unit)[number]) for number, unit in enumerate(units)]


def _mean_errors(seen: Sequence[Seen], told: Sequence[float]) -> tuple[float, float]:
    """Mean distance of ITL and of TTFT, as parts of what was measured."""
    off = [abs(math.expm1(x - y)) for x, y in zip(told, _measured(seen), strict=True)]
    return sum(off[::2]) / len(seen), sum(off[1::2]) / len(seen)


def _solved(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """Gauss and Jordan's elimination; what is believed beforehand keeps the matrix regular."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    size = len(rows)
    for number in range(size):
        best = max(range(number, size), key=lambda row: abs(rows[row][number]))
        rows[number], rows[best] = rows[best], rows[number]
        for other in range(size):
            if other != number:
                share = rows[other][number] / rows[number][number]
                rows[other] = [
                    x - share * y for x, y in zip(rows[other], rows[number], strict=True)
                ]
    return [row[size] / row[number] for number, row in enumerate(rows)]
