"""What tokens cost in a benchmark: measured rates and somebody's prices."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gptoss.benchmarking.metrics import shown
from gptoss.planning.costs.cost import Cost
from gptoss.planning.costs.cost_words import HEAD, cells, told_break_even, unpriced

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.benchmarking.run_report import Report
    from gptoss.benchmarking.runs import Point, Run

COST_HEAD = ("run", "concurrency", *HEAD)


class Priced(NamedTuple):
    """A point with what its tokens cost."""

    run: Run
    point: Point
    cost: Cost

    @property
    def row(self) -> tuple[str, ...]:
        """What stands below the head."""
        return (self.run.name, shown(self.point.concurrency), *cells(self.cost))


def priced(report: Report) -> list[Priced]:
    """The points whose GPUs have a price and whose rates are known."""
    found = ((r, p, measured_cost(r, p, report.prices)) for r in report.shown for p in r.points)
    return [Priced(run, point, cost) for run, point, cost in found if cost]


def measured_cost(run: Run, point: Point, prices: Mapping[str, float]) -> Cost | None:
    """What the tokens of a point cost; None where its GPUs, their price or its rate is unknown.

    Where a run does not say its kind of GPU, the only price that is given is taken.
    """
    gpu = run.plan.gpu or (next(iter(prices)) if len(prices) == 1 else None)
    output, gpus = point.tokens_per_second, run.gpus.owned
    if gpu is None or gpu not in prices or not output or not gpus:
        return None
    total = point.total_tokens_per_second
    prompts = (point.requests_per_second or 0) * (point.isl_client or run.plan.isl or 0)
    return Cost(gpus * prices[gpu], output, total - output if total else prompts)


def break_evens(report: Report) -> list[str]:
    """From where on each run is cheaper than the first, the baseline where there is one.

    Each is taken at the concurrency at which its tokens cost least.
    """
    best: dict[str, Cost] = {}
    for run, _, cost in sorted(priced(report), key=lambda each: each.cost.per_million_output):
        best.setdefault(run.name, cost)
    first = (report.baseline or report.runs[0]).name
    if first not in best:
        return []
    return [
        told_break_even((first, name), (best[first], cost))
        for name, cost in best.items()
        if name != first
    ]


def without_price(report: Report) -> str:
    """What to give where a run's GPU has no price; empty where all have one."""
    named = [run.plan.gpu for run in report.shown if run.plan.gpu]
    missing = [gpu for gpu in named if gpu not in report.prices]
    return unpriced(missing) if report.prices and missing else ""
