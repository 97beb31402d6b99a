"""Percentiles, the Pareto front, changes and spread."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def percentile(values: Sequence[float], percent: float) -> float | None:
    """A percentile by linear interpolation between order statistics, as aiperf and numpy have it.

    Args:
        values: The values in any order.
        percent: From 0 to 100.

    Returns:
        None when there are no values.
    """
    if not values:
        return None
    ordered = sorted(values)
    place = (len(ordered) - 1) * percent / 100
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    low, high = ordered[below], ordered[above]
    return min(high, low + (high - low) * (place - below))


def front(points: Sequence[tuple[float, float]]) -> list[int]:
    """Which points no other beats in both coordinates, by rising first coordinate.

    A point is beaten by one that is at least as good in both and better in one.
    """
    best = float("-inf")
    kept = []
    for index in sorted(range(len(points)), key=lambda i: points[i], reverse=True):
        if points[index][1] > best:
            best = points[index][1]
            kept.append(index)
        elif kept and points[index] == points[kept[-1]]:
            kept.append(index)
    return kept[::-1]


def change(value: float | None, base: float | None) -> float | None:
    """The difference from a base in percent of it; None where either is missing or the base 0."""
    if value is None or not base:
        return None
    return (value - base) / abs(base) * 100


def spread(values: Sequence[float | None]) -> float | None:
    """Half the distance from least to most in percent of the mean; None for fewer than two."""
    known = [value for value in values if value is not None]
    mean = sum(known) / len(known) if known else 0
    if len(known) < 2 or not mean:
        return None
    return (max(known) - min(known)) / 2 / abs(mean) * 100
