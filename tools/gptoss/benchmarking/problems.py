"""What is wrong with a point, so that nobody reads its numbers as if all were well."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gptoss.benchmarking.plans import StepOutcome
    from gptoss.benchmarking.runs import Point

# The same bounds as benchmark.py: above and below these a run is not what was asked for.
MISMATCH_SHARE = 0.01
REACHED_SHARE = 0.9


def problems_of(point: Point, outcome: StepOutcome) -> tuple[str, ...]:
    """What is wrong, most serious first: what the run itself noted, else what its numbers show."""
    noted = outcome.problems or tuple(_seen(point, outcome))
    return (*noted, *(text for text in point.problems if text not in noted))


def _seen(point: Point, outcome: StepOutcome) -> list[str]:
    found = []
    if not point.sent or point.tokens_per_second is None:
        found.append("it left no summary: it was cut off, or every request failed")
    if point.errors:
        total = point.sent
        found.append(f"{point.errors:,} of {total:,} requests failed ({point.errors / total:.0%})")
    if point.cut_short or outcome.complete is False:
        found.append("it ended before all requests were sent")
    if point.osl_mismatches and point.osl_mismatches > MISMATCH_SHARE * point.sent:
        found.append(
            f"{point.osl_mismatches:,} of {point.sent:,} answers are not as long as was asked"
        )
    asked, reached = point.concurrency, point.effective_concurrency
    if asked and reached is not None and reached < REACHED_SHARE * asked:
        found.append(
            f"only {reached:,.1f} of {asked:,} requests were in flight on the mean; "
            "send more, so that start and end weigh less"
        )
    return found
