"""Runs held against a baseline, against what was predicted, and by the settings in force."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.benchmarking.metrics import COMPARED, Better, Metric
from gptoss.benchmarking.statistics import change, spread

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gptoss.benchmarking.plans import PredictedPoint
    from gptoss.benchmarking.runs import Point, Run

MISSING = "–"


@dataclass(frozen=True)
class Change:
    """A number beside the baseline's.

    ``percent`` is the difference in percent of the baseline, ``spread`` the run-to-run spread of
    both together (half the distance from least to most, in percent), None with one profile run.
    """

    metric: Metric
    value: float | None
    base: float | None
    percent: float | None
    spread: float | None

    @property
    def verdict(self) -> str:
        """``better``, ``worse``, or ``same``: within the spread, or no number to judge."""
        within = self.percent is None or abs(self.percent) <= (self.spread or 0)
        if within or self.percent == 0 or self.metric.better is Better.NEITHER:
            return "same"
        return "better" if (self.percent or 0) * self.metric.better.value > 0 else "worse"


@dataclass(frozen=True)
class Compared:
    """A run held against a baseline: for each concurrency of both, the changes."""

    run: Run
    base: Run
    rows: tuple[tuple[int | None, tuple[Change, ...]], ...]
    alone: tuple[int | None, ...]


def compared(run: Run, base: Run) -> Compared:
    """A run's points held against those of the same concurrency; single points match always."""
    bases = {point.concurrency: point for point in base.points}
    if len(run.points) == len(base.points) == 1:
        bases = {run.points[0].concurrency: base.points[0]}
    shared = [point for point in run.points if point.concurrency in bases]
    return Compared(
        run,
        base,
        tuple((p.concurrency, tuple(_changes(p, bases[p.concurrency]))) for p in shared),
        tuple(p.concurrency for p in run.points if p.concurrency not in bases),
    )


def _changes(point: Point, base: Point) -> Iterator[Change]:
    for metric in COMPARED:
        value, before = metric.of(point), metric.of(base)
        spreads = [_spread(metric, point), _spread(metric, base)]
        known = [each for each in spreads if each is not None]
        yield Change(metric, value, before, change(value, before), sum(known) if known else None)


def _spread(metric: Metric, point: Point) -> float | None:
    return spread([metric.of(trial) for trial in point.trials])


def predicted(run: Run) -> list[tuple[int, tuple[Change, ...]]]:
    """Each point that was predicted, measured beside the prediction."""
    if run.plan.prediction is None:
        return []
    points = {point.concurrency: point for point in run.points}
    return [
        (told.concurrency, tuple(_against(points[told.concurrency], told)))
        for told in run.plan.prediction.points
        if told.concurrency in points
    ]


def _against(point: Point, told: PredictedPoint) -> Iterator[Change]:
    values = {
        "tokensPerSecondPerGpu": told.tokens_per_second_per_gpu,
        "tokensPerSecondPerUser": told.tokens_per_second_per_user,
        "ttftP50Ms": told.ttft_ms,
        "itlP50Ms": told.itl_ms,
    }
    for metric in COMPARED:
        if values.get(metric.key) is not None:
            value = metric.of(point)
            base = values[metric.key]
            yield Change(metric, value, base, change(value, base), None)


def differences(runs: Sequence[Run]) -> list[tuple[str, tuple[str, ...]]]:
    """What differs in force between runs: a path, and its value in each; a dash where unset."""
    facts = [_facts(run) for run in runs]
    paths = list(dict.fromkeys(path for each in facts for path in each))
    rows = [(path, tuple(each.get(path, MISSING) for each in facts)) for path in paths]
    return [(path, values) for path, values in rows if len(set(values)) > 1]


def _facts(run: Run) -> dict[str, str]:
    """What a run was of, then its settings in force, each as text."""
    plan = run.plan
    facts = {
        "target": plan.target,
        "release": plan.release,
        "runtime": plan.runtime,
        "model": run.model,
        "GPU": plan.gpu,
        "GPUs": str(run.gpus) if run.gpus.owned else None,
        "ISL": plan.isl,
        "OSL": plan.osl,
        "tool": ", ".join(sorted({p.tool for p in run.points if p.tool})),
        **{f"stream_interval of {role}": n for role, n in plan.stream_interval.items()},
        **{path: plan.settings[path] for path in sorted(plan.settings)},
    }
    return {path: _text(value) for path, value in facts.items() if value not in (None, "")}


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
