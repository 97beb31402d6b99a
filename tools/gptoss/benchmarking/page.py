"""The report as one page of HTML that needs nothing from anywhere."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from gptoss.benchmarking.comparison import predicted
from gptoss.benchmarking.metrics import METRICS, shown, signed
from gptoss.benchmarking.pictures import Picture, pictures
from gptoss.benchmarking.priced import COST_HEAD, break_evens, priced, without_price
from gptoss.benchmarking.titles import facts_of, point_name
from gptoss.drawing.marks import mark_alone
from gptoss.drawing.pareto import NARROW, WIDE
from gptoss.drawing.style import DARK, LIGHT, MARKS, SERIES, variables
from gptoss.planning.costs.cost_words import title

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gptoss.benchmarking.comparison import Change
    from gptoss.benchmarking.run_report import Report
    from gptoss.benchmarking.runs import Point, Run


def as_html(report: Report) -> str:
    """The report as a page."""
    drawn = pictures(report)
    content: dict[str, Any] = {
        "title": _title(report),
        "style": _style(),
        "runs": [_run(report, number, run) for number, run in enumerate(report.shown)],
        "problems": [
            {"at": point_name(run, point), "text": text} for run, point, text in report.problems
        ],
        "sent": sum(point.sent for run in report.shown for point in run.points),
        "charts": [_figure(each) for each in drawn if not each.over_time],
        "timelines": [_figure(each) for each in drawn if each.over_time],
        "head": METRICS,
        "comparisons": [
            {
                "run": each.run.name,
                "base": each.base.name,
                "head": [change.metric for change in each.rows[0][1]] if each.rows else [],
                "rows": [(shown(at), [_change(c) for c in row]) for at, row in each.rows],
                "alone": [shown(at) for at in each.alone],
            }
            for each in report.comparisons
        ],
        "predictions": [_prediction(run) for run in report.runs if predicted(run)],
        "cost": _cost(report),
        "causes": [
            {"count": f"{count:,}", "cause": cause, "at": point_name(run, point)}
            for run in report.shown
            for point in run.points
            for cause, count in point.causes.items()
        ],
        "differences": report.differences,
        "names": [run.name for run in report.shown],
        "notes": _notes(report),
    }
    return _environment().get_template("report.html.j2").render(**content)


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _style() -> str:
    return (
        f":root{{color-scheme:light dark;{variables(LIGHT)}}}"
        f"@media(prefers-color-scheme:dark){{:root{{{variables(DARK)}}}}}{MARKS}"
    )


def _title(report: Report) -> str:
    models = list(dict.fromkeys(run.model for run in report.shown if run.model))
    return f"Benchmark of {', '.join(models)}" if models else "Benchmark"


def _run(report: Report, number: int, run: Run) -> dict[str, Any]:
    best = _most(run, lambda p: p.tokens_per_second_per_gpu or p.tokens_per_second)
    quick = _most(run, lambda p: None if p.ttft.p50 is None else -p.ttft.p50)
    return {
        "name": run.name,
        "series": number % SERIES,
        "mark": mark_alone(number),
        "is_baseline": run is report.baseline,
        "facts": facts_of(run),
        "best": best and _best(run, best),
        "quick": quick and {"value": shown(quick.ttft.p50), "at": shown(quick.concurrency)},
        "waits": _waits(run.points[0]) if len(run.points) == 1 else [],
        "errors": sum(point.errors or 0 for point in run.points),
        "sent": sum(point.sent for point in run.points),
        "rows": [_row(point) for point in run.points],
    }


def _waits(point: Point) -> list[tuple[str, str]]:
    """Latencies in full, for a run of one point needs no chart of them."""
    return [
        (name, " / ".join(map(shown, (found.p50, found.p90, found.p99))))
        for name, found in (("TTFT", point.ttft), ("ITL", point.itl))
    ]


def _best(run: Run, point: Point) -> dict[str, str]:
    value = point.tokens_per_second_per_gpu or point.tokens_per_second
    return {
        "value": shown(value),
        "unit": "tokens/s/GPU" if run.gpus.owned else "tokens/s",
        "at": shown(point.concurrency),
        "user": shown(point.tokens_per_second_per_user),
    }


def _most(run: Run, of: Callable[[Point], float | None]) -> Point | None:
    known = [(value, point) for point in run.points if (value := of(point)) is not None]
    return max(known, key=lambda pair: pair[0])[1] if known else None


def _row(point: Point) -> dict[str, Any]:
    return {
        "cells": [(metric.key, shown(metric.of(point))) for metric in METRICS],
        "bad": bool(point.errors) or point.tokens_per_second is None,
    }


def _cost(report: Report) -> dict[str, Any] | None:
    found, missing = priced(report), without_price(report)
    if not found and not missing:
        return None
    return {
        "title": title(report.prices),
        "head": COST_HEAD,
        "rows": [each.row for each in found],
        "told": [*break_evens(report), *filter(None, [missing])],
    }


def _change(change: Change) -> dict[str, str]:
    return {
        "value": shown(change.value),
        "base": shown(change.base),
        "percent": signed(change.percent, change.spread),
        "verdict": change.verdict if change.percent is not None else "",
    }


def _prediction(run: Run) -> dict[str, Any]:
    told = run.plan.prediction
    rows = [
        (shown(at), change.metric, _change(change))
        for at, changes in predicted(run)
        for change in changes
    ]
    return {
        "run": run.name,
        "source": told.source if told else "",
        "confidence": told.confidence if told else "",
        "reasons": told.reasons if told else (),
        "rows": rows,
    }


def _figure(picture: Picture) -> dict[str, Any]:
    return {
        "title": picture.title,
        "text": picture.text,
        "open": picture.open,
        "wide": picture.draw(WIDE).render(),
        "narrow": picture.draw(NARROW).render(),
    }


def _notes(report: Report) -> Sequence[tuple[str, str]]:
    runs: dict[str, list[str]] = {}
    for run, text in report.notes:
        runs.setdefault(text, []).append(run.name)
    return [(", ".join(names), text) for text, names in runs.items()]
