"""What is wrong with a point, so that nobody reads its numbers as if all were well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.facts import folders

if TYPE_CHECKING:
    from gptoss.benchmarking.plans import StepOutcome
    from gptoss.benchmarking.runs import Point

# A run beyond the bounds of the chart's own script is not what was asked for.
BOUNDS = folders.chart_module("benchmark.py")
MISMATCH_SHARE: float = BOUNDS.OTHER_LENGTHS
REACHED_SHARE: float = BOUNDS.IN_FLIGHT
SHORT: float = BOUNDS.SHORT


def problems_of(point: Point, outcome: StepOutcome | None) -> tuple[str, ...]:
    """What is wrong, most serious first: what the run itself noted, else what its numbers show."""
    noted = tuple(_seen(point)) if outcome is None else outcome.problems
    failed = not noted and _failed(point)
    return (*noted, *([failed] if failed else []), *point.problems)


def _seen(point: Point) -> list[str]:
    found = [_failed(point)] if point.errors else []
    if not point.sent or point.tokens_per_second is None:
        found.append("nothing was measured: it was cut off, or every request failed")
    if point.cut_short:
        found.append("it ended before all requests were sent")
    if point.osl_mismatches and point.osl_mismatches > MISMATCH_SHARE * point.sent:
        found.append(
            f"{point.osl_mismatches:,} of {point.sent:,} answers are not as long as was asked"
        )
    if _is_idle(point) and not point.errors and (point.duration or 0) >= SHORT:
        found.append(_in_flight(point))
    return found


def _failed(point: Point) -> str:
    """How many requests failed, or nothing."""
    if not point.errors:
        return ""
    share = point.errors / point.sent
    return f"{point.errors:,} of {point.sent:,} requests failed ({share:.0%})"


def notes_of_point(point: Point, outcome: StepOutcome | None) -> tuple[str, ...]:
    """What to know of a point that is not wrong: what the run noted, or that it was short."""
    if outcome is not None:
        return outcome.notes
    short = point.duration is not None and point.duration < SHORT
    if not short or point.errors or not _is_idle(point):
        return ()
    return (f"{_in_flight(point)}: {point.duration:.1f} s are too short to judge by that",)


def _is_idle(point: Point) -> bool:
    asked, reached = point.concurrency, point.effective_concurrency
    return bool(asked) and reached is not None and reached < REACHED_SHARE * (asked or 0)


def _in_flight(point: Point) -> str:
    return (
        f"{point.effective_concurrency:,.1f} requests were in flight on average, "
        f"{point.concurrency:,} were asked"
    )
