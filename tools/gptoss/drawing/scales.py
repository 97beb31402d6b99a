"""Scales with round ticks, linear and logarithmic."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """Values on a stretch of pixels, linear or logarithmic."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]
    logarithmic: bool = False

    def __call__(self, value: float) -> float:
        """Where a value lies."""
        low, high = self.low, self.high
        if self.logarithmic:
            low, high, value = (math.log10(each) for each in (low, high, max(value, low)))
        return self.start + (self.end - self.start) * (value - low) / (high - low)


def linear(high: float, start: float, end: float, count: int = 5) -> Scale:
    """A scale from 0 with round ticks that ends at the first tick above the highest value."""
    step = round_up(high / count) if high > 0 else 1.0
    ticks = [
        step * number for number in range(math.ceil(high / step - 1e-9) + 1 if high > 0 else 2)
    ]
    return Scale(0, ticks[-1], start, end, tuple(ticks))


def logarithmic(low: float, high: float, start: float, end: float) -> Scale:
    """A scale of powers of ten with ticks at 1, 2 and 5, which ends at ticks around the values."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    all_ticks = [part * 10.0**power for power in range(first, last + 1) for part in (1, 2, 5)]
    begin = max(tick for tick in all_ticks if tick <= low * (1 + 1e-9))
    finish = min(tick for tick in all_ticks if tick >= high * (1 - 1e-9) and tick > begin)
    ticks = tuple(tick for tick in all_ticks if begin <= tick <= finish)
    return Scale(begin, finish, start, end, ticks, logarithmic=True)


def round_up(value: float) -> float:
    """The first of 1, 2, 2.5, 5 and 10, times a power of ten, that is not below a value."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(part * power for part in (1, 2, 2.5, 5, 10) if part * power >= value * (1 - 1e-9))
