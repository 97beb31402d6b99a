"""The report as JSON and as CSV."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from gptoss.benchmarking.comparison import predicted
from gptoss.benchmarking.metrics import METRICS
from gptoss.benchmarking.priced import measured_cost
from gptoss.benchmarking.statistics import spread
from gptoss.planning.costs.cost_words import as_dollars
from gptoss.text.as_json import json_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gptoss.benchmarking.comparison import Change
    from gptoss.benchmarking.run_report import Report
    from gptoss.benchmarking.runs import Point, Run

VERSION = 1


def as_json(report: Report) -> str:
    """The report as one object; numbers in the units of their keys, None where not measured."""
    content = {
        "version": VERSION,
        "runs": [_run(run, report.prices) for run in report.runs],
        "baseline": _run(report.baseline, report.prices) if report.baseline else None,
        "comparisons": [
            {
                "run": each.run.name,
                "baseline": each.base.name,
                "points": _changes(each.rows),
            }
            for each in report.comparisons
        ],
        "differences": [
            {"path": path, "values": dict(zip(_names(report), values, strict=True))}
            for path, values in report.differences
        ],
        "notes": [{"run": run.name, "text": text} for run, text in report.notes],
    }
    return json_text(content)


def _names(report: Report) -> list[str]:
    return [run.name for run in report.shown]


def _run(run: Run, prices: Mapping[str, float]) -> dict[str, Any]:
    told = run.plan.prediction
    return {
        "name": run.name,
        "folder": str(run.folder),
        "target": run.plan.target,
        "release": run.plan.release,
        "model": run.model,
        "gpus": {"owned": run.gpus.owned, "decode": run.gpus.decoding} if run.gpus.owned else None,
        "started": run.started,
        "points": [_point(point) | _cost(run, point, prices) for point in run.points],
        "prediction": told
        and {
            "source": told.source,
            "confidence": told.confidence,
            "reasons": list(told.reasons),
            "points": _changes(predicted(run)),
        },
    }


def _cost(run: Run, point: Point, prices: Mapping[str, float]) -> dict[str, Any]:
    """What the tokens of a point cost, where somebody says what GPUs cost."""
    return {"cost": as_dollars(measured_cost(run, point, prices))} if prices else {}


def _point(point: Point) -> dict[str, Any]:
    spreads = {m.key: spread([m.of(trial) for trial in point.trials]) for m in METRICS}
    return {
        **{metric.key: metric.of(point) for metric in METRICS},
        "tool": point.tool or None,
        "causes": dict(point.causes),
        "problems": list(point.problems),
        "spreadPercent": {key: value for key, value in spreads.items() if value is not None},
    }


def _changes(rows: Sequence[tuple[int | None, tuple[Change, ...]]]) -> list[dict[str, Any]]:
    return [
        {
            "concurrency": concurrency,
            "changes": [
                {
                    "metric": change.metric.key,
                    "value": change.value,
                    "base": change.base,
                    "percent": change.percent,
                    "spreadPercent": change.spread,
                    "verdict": change.verdict,
                }
                for change in changes
            ],
        }
        for concurrency, changes in rows
    ]


def as_csv(report: Report) -> str:
    """One line a point, the baseline's last; cells are empty where nothing was measured."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["run", "role", *(metric.key for metric in METRICS), "problems"])
    for run in report.shown:
        role = "baseline" if run is report.baseline else "run"
        for point in run.points:
            values = [metric.of(point) for metric in METRICS]
            writer.writerow([run.name, role, *values, "; ".join(point.problems)])
    return text.getvalue().rstrip("\n")
