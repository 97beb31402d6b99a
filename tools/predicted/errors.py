"""How far predictions are from measurements, by group, and how far they may be."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING

from gptoss.planning.loops.published import measured_sets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from predicted.points import Held


@dataclass(frozen=True, slots=True)
class Error:
    """Predictions of a number against its measurements.

    Attributes:
        ratios: Predicted by measured, of each point.
    """

    ratios: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean distance, as a part of what was measured."""
        return fmean(abs(ratio - 1) for ratio in self.ratios)

    @property
    def middle(self) -> float:
        """The median of predicted by measured."""
        return median(self.ratios)


@dataclass(frozen=True, slots=True)
class Group:
    """Points that are looked at together.

    Attributes:
        name: What they are.
        itl, per_gpu: Errors of ITL and of output tokens a second a GPU.
        ttft, steady_ttft: Errors of TTFT, with the start of the benchmark and without it.
    """

    name: str
    points: int
    itl: Error | None
    per_gpu: Error
    ttft: Error | None
    steady_ttft: Error | None


@dataclass(frozen=True, slots=True)
class Limit:
    """What an error must not exceed.

    Attributes:
        of: Whose error.
        sets: Names of the sets that it is about.
        what: The number, an attribute of a group.
        most: The greatest mean error.
    """

    of: str
    sets: tuple[str, ...]
    what: str
    most: float


LIMITS = (
    Limit("ITL, B200 and H200, aggregated", ("b200", "h200"), "itl", 0.10),
    Limit("tokens/s/GPU, GB200, split", ("gb200",), "per_gpu", 0.15),
    Limit("tokens/s/GPU, B200, the record of a blog", ("b200-blog",), "per_gpu", 0.15),
)


def groups(points: Sequence[Held]) -> Iterator[Group]:
    """Every set, and below it each layout where there are several."""
    for each in measured_sets():
        mine = [point for point in points if point.measured.group == each.name]
        yield group(each.title, mine)
        layouts = dict.fromkeys(_layout(point) for point in mine)
        for layout in layouts if len(layouts) > 1 else ():
            yield group(f"  {layout}", [point for point in mine if _layout(point) == layout])


def limited(points: Sequence[Held]) -> Iterator[tuple[Limit, float]]:
    """Each limit with the error that it is for."""
    for limit in LIMITS:
        mine = [point for point in points if point.measured.group in limit.sets]
        yield limit, getattr(group(limit.of, mine), limit.what).mean


def group(name: str, points: Sequence[Held]) -> Group:
    """The errors of points."""
    return Group(
        name,
        len(points),
        _error(points, lambda point: (point.itl, point.measured.itl)),
        Error(tuple(point.per_gpu / point.measured.per_gpu for point in points)),
        _error(points, lambda point: (point.ttft, point.measured.ttft)),
        _error(points, lambda point: (point.steady_ttft, point.measured.ttft)),
    )


def _layout(point: Held) -> str:
    return point.measured.system.name.partition(", ")[2]


def _error(
    points: Sequence[Held], of: Callable[[Held], tuple[float, float | None]]
) -> Error | None:
    """The error of a number; None where nobody has measured it."""
    found = tuple(mine / theirs for mine, theirs in map(of, points) if theirs)
    return Error(found) if found else None
