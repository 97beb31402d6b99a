"""Step times at any batch: between those that are asked, straight lines."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from gptoss.planning.layouts import Load
    from gptoss.planning.steps.step_times import StepTimes


def _knots() -> tuple[int, ...]:
    """Whole numbers that lie a twelfth apart: candidates of a search share what they ask."""
    found = list(range(1, 13))
    while found[-1] < 1 << 20:
        found.append(found[-1] + found[-1] // 12)
    return tuple(found)


KNOTS = _knots()
# What the library does not count, in milliseconds: an iteration with prompts runs without a CUDA
# graph, and the host has work for each answer. Chosen so that published points are met.
WITHOUT_GRAPH = 2.0
HOST_PER_ANSWER = 0.002


@dataclass(frozen=True, slots=True)
class Curves:
    """The times of one layout under one load, in milliseconds.

    Attributes:
        times: Times of the layout.
        load: Gives lengths of prompts and answers.
    """

    times: StepTimes
    load: Load

    def decode(self, batch: float, length: int = 0) -> float:
        """An iteration of ``batch`` answers, each half done unless a length is given."""
        of = length or self.load.isl + self.load.osl // 2
        return between(lambda at: self.times.decode(at, of), batch) + HOST_PER_ANSWER * batch

    def prefill(self, prompts: float) -> float:
        """A pass over so many prompts; a part of a prompt takes its share of one."""
        isl = self.load.isl
        whole = between(lambda at: self.times.prefill(at, isl), prompts)
        return whole * min(1.0, prompts) + WITHOUT_GRAPH

    def mixed(self, prompts: float, batch: float) -> float:
        """An iteration with so many prompts, or a part of one, beside ``batch`` answers."""
        host, isl = WITHOUT_GRAPH + HOST_PER_ANSWER * batch, self.load.isl
        if prompts < 1:
            # Lengths of pieces vary without end: those between knots are not asked.
            return between(lambda at: self._beside(at, batch), prompts * isl) + host
        return between(lambda at: self._beside(at * isl, batch), prompts) + host

    def _beside(self, tokens: int, batch: float) -> float:
        load = self.load
        return between(lambda at: self.times.mixed(tokens, load.isl, at, load.osl), batch)


def between(known: Callable[[int], float], at: float) -> float:
    """A function of whole numbers from one on, at any number."""
    above = bisect_right(KNOTS, at)
    if above == 0:
        return known(1)
    low, high = KNOTS[above - 1], KNOTS[above]
    share = (at - low) / (high - low)
    return known(low) if not share else known(low) * (1 - share) + known(high) * share


def lockstep(most: float, mean: float) -> float:
    """Prompts of each rank that take as long as those of ranks that step together.

    Attention is as slow as the rank with most of them, experts are shared by all: half and half.
    """
    return (most + mean) / 2


def crossing(rises: Callable[[float], float], level: float, most: float) -> float:
    """Where a rising function reaches a level, between zero and ``most``; ``most`` if nowhere."""
    if rises(most) <= level:
        return most
    low, high = 0.0, most
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        if rises(middle) < level:
            low = middle
        else:
            high = middle
    return high
