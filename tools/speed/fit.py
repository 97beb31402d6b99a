"""Coefficients from 0 on with which a sum of terms is nowhere far from what was asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from speed.grid import Sample

ROUNDS = 30
SWEEPS = 300
DIGITS = 4


def fitted(samples: Sequence[Sample]) -> tuple[float, ...]:
    """The coefficients with the least worst error, of some rounds of weighted least squares."""
    rows = [[term / sample.time for term in sample.terms] for sample in samples]
    weights = [1.0] * len(rows)
    best: tuple[float, ...] = ()
    least = float("inf")
    for _ in range(ROUNDS):
        found = _least_squares(rows, weights)
        errors = [abs(_error(row, found)) for row in rows]
        if (worst := max(errors)) < least:
            best, least = found, worst
        # What is far off weighs more in the next round.
        weights = [
            weight * (0.3 + error / worst) for weight, error in zip(weights, errors, strict=True)
        ]
        weights = [weight * len(rows) / sum(weights) for weight in weights]
    return tuple(float(f"{each:.{DIGITS}g}") for each in best)


def worst_error(coefficients: Sequence[float], samples: Sequence[Sample]) -> float:
    """The furthest that a sum is off its sample, as a part of it."""
    return max(
        abs(_error([term / sample.time for term in sample.terms], coefficients))
        for sample in samples
    )


def _error(row: Sequence[float], coefficients: Sequence[float]) -> float:
    return sum(each * part for each, part in zip(coefficients, row, strict=True)) - 1


def _least_squares(rows: Sequence[Sequence[float]], weights: Sequence[float]) -> tuple[float, ...]:
    """Weighted least squares of rows that should come to 1, one coefficient at a time."""
    size = range(len(rows[0]))
    weighed = list(zip(weights, rows, strict=True))
    products = [[sum(w * row[i] * row[j] for w, row in weighed) for j in size] for i in size]
    sums = [sum(w * row[i] for w, row in weighed) for i in size]
    found = [0.0 for _ in size]
    for _ in range(SWEEPS):
        for i in size:
            others = sum(products[i][j] * found[j] for j in size if j != i)
            if products[i][i] > 0:
                found[i] = max(0.0, (sums[i] - others) / products[i][i])
    return tuple(found)
