"""Benchmark runs as what predictions are calibrated by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.benchmarking.run_folders import read_runs
from gptoss.planning.calibrating.calibration import Seen
from gptoss.planning.layouts import Load
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from gptoss.benchmarking.runs import Point, Run


def seen_in(folders: Sequence[Path]) -> list[Seen]:
    """The points of runs that a prediction can be held against.

    Raises:
        InputError: A folder or a file cannot be read, an engine was simulated, or no point can be
            used.
    """
    runs = [run for folder in folders for run in read_runs(folder)]
    for run in runs:
        if run.plan.simulated:
            raise InputError(f"{run.folder}: its engine was simulated, which says nothing of GPUs")
    found = [seen for run in runs for point in run.points for seen in _seen(run, point)]
    if not found:
        names = ", ".join(str(folder) for folder in folders)
        raise InputError(
            f"{names}: no point to calibrate by: one is needed without errors, with concurrency, "
            "lengths, TTFT and latency of requests"
        )
    return found


def _seen(run: Run, point: Point) -> Iterator[Seen]:
    """A point, if it is whole.

    With chunks of N tokens the first one that a client sees has the N tokens before it in TTFT: the
    first chunk holds only markup, see the notes of reports.
    """
    isl, osl = point.isl_server or point.isl_client, point.osl
    ttft, whole, clients = point.ttft.mean, point.e2el.mean, point.concurrency
    if not (isl and osl and ttft and whole and clients and point.requests):
        return
    intervals = [run.plan.stream_interval.get(role) or 1 for role in ("decode", "aggregated")]
    hidden = max(intervals) if max(intervals) > 1 else 0
    if point.errors or point.cut_short or osl < hidden + 2 or whole <= ttft:
        return
    itl = (whole - ttft) / (osl - 1 - hidden)
    load = Load(clients, round(isl), round(osl))
    each = point.requests / len(point.trials or (point,)) / clients
    yield Seen(load, each, max(1.0, ttft - hidden * itl), itl)
