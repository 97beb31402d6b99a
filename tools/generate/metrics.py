"""The table of docs/benchmarking.md: what each number of a report is, and what others call it."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from generate.markdown import table
from gptoss.benchmarking.metrics import METRICS

if TYPE_CHECKING:
    from gptoss.benchmarking.metrics import Metric

HEAD = ("name", "what it is", "unit", "aiperf", "benchmark_serving")


def metrics_table() -> str:
    """A row a number; the mean and the percentiles of a latency are one."""
    rows = [HEAD, ("---",) * len(HEAD)]
    rows += [_row(list(alike)) for _, alike in groupby(METRICS, key=_alike)]
    return table(rows)


def _alike(metric: Metric) -> object:
    return metric.aiperf if metric.unit == "ms" else metric.key


def _row(alike: list[Metric]) -> tuple[str, ...]:
    first = alike[0]
    name, about = first.head, first.about
    if len(alike) > 1:
        name = f"{name.rpartition(' ')[0]} {', '.join(m.head.rpartition(' ')[2] for m in alike)}"
        about = about.partition(";")[0] + "."
    return (name, about, first.unit, _code(first.aiperf), _code(first.serving))


def _code(name: str) -> str:
    return f"`{name}`" if name else "–"
