"""Which charts a report has, each with its title and what it shows in a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.benchmarking import charts
from gptoss.benchmarking.timeline import timeline
from gptoss.benchmarking.titles import point_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gptoss.benchmarking.run_report import Report
    from gptoss.benchmarking.runs import Latency, Point, Run
    from gptoss.benchmarking.timeline import Timeline
    from gptoss.drawing.svg import Drawing


@dataclass(frozen=True)
class Picture:
    """A chart that can be drawn in any width; ``open`` ones are seen without asking."""

    name: str
    title: str
    text: str
    draw: Callable[[int], Drawing]
    over_time: bool = False
    open: bool = True


def pictures(report: Report) -> list[Picture]:
    """The charts of a report.

    Raises:
        InputError: Records of requests cannot be read.
    """
    return [*_of_all(report), *_over_time(report)]


def _of_all(report: Report) -> Iterator[Picture]:
    runs = report.shown
    a_gpu = any(run.gpus.owned for run in runs)
    if charts.pareto(runs):
        yield Picture(
            "pareto",
            "Throughput against speed",
            f"What {'a GPU' if a_gpu else 'the deployment'} delivers over how fast one user is "
            "answered; each mark is a concurrency. The dashed line is the Pareto front; hollow "
            "marks are beaten by another in both, or had failed requests.",
            lambda width: _drawn(charts.pareto(runs, width)),
        )
    for name, of, text in (
        ("TTFT", lambda p: p.ttft, "Time until the first visible token of an answer."),
        ("ITL", lambda p: p.itl, "Time between the tokens of an answer, the mean of a request."),
    ):
        if charts.latencies(runs, of, name):
            yield _latency(runs, of, name, text)


def _latency(
    runs: tuple[Run, ...], of: Callable[[Point], Latency], name: str, text: str
) -> Picture:
    return Picture(
        name.lower(),
        f"{name} over concurrency",
        f"{text} Solid: p50; dashed: p99" + ("; dotted: p90." if len(runs) <= 2 else "."),
        lambda width: _drawn(charts.latencies(runs, of, name, width)),
    )


def _over_time(report: Report) -> Iterator[Picture]:
    for run in report.shown:
        for point in run.points:
            for trial in point.trials or (point,):
                if found := timeline(trial.folder):
                    yield _timeline(run, point, trial, found)


def _timeline(run: Run, point: Point, trial: Point, found: Timeline) -> Picture:
    name = point_name(run, point)
    if trial is not point:
        name += f", profile run {point.trials.index(trial) + 1}"
    failed = f" ({point.errors:,} failed)" if point.errors else ""
    return Picture(
        "timeline-" + "".join(letter if letter.isalnum() else "-" for letter in name),
        f"{name}{failed}",
        "Requests that ended, answered and failed, in each second.",
        lambda width: charts.over_time(found, name, width),
        over_time=True,
        open=bool(point.errors) or len(run.points) == 1,
    )


def _drawn(drawing: Drawing | None) -> Drawing:
    assert drawing is not None  # noqa: S101 (it was drawn once before)
    return drawing
