"""What a folder holds: runs with a plan, artifacts of aiperf, results of benchmark_serving."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from gptoss.benchmarking import aiperf_summary, serving_json
from gptoss.benchmarking.gpus import Gpus
from gptoss.benchmarking.plans import Outcome, Plan, StepOutcome, read
from gptoss.benchmarking.problems import notes_of_point, problems_of
from gptoss.benchmarking.runs import Point, Run, together
from gptoss.text.bounds import found_file, refuse_link
from gptoss.text.errors import InputError
from gptoss.text.files import is_there

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PLAN, OUTCOME = "plan.json", "outcome.json"
# aiperf's copies a phase (0.13), and its means over runs and sweeps, beside the runs themselves.
NOT_RUNS = {"phases", "aggregate", "sweep_aggregate"}
# benchmark.py names folders by the time in UTC and a hash of the plan.
GENERATED = re.compile(r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-[0-9a-f]{8}")
TRIAL = re.compile(r"profile_runs|(run|trial)_\d+")


def read_runs(folder: Path, gpus: Gpus | None = None) -> list[Run]:
    """The runs in a folder, or the one result that a file is.

    Args:
        folder: A run's folder, a folder of runs, or a result of benchmark_serving.
        gpus: The GPUs of runs whose plan does not say them.

    Raises:
        InputError: There is nothing to report, a file of it cannot be read, or a link leads out.
    """
    if not is_there(folder):
        raise InputError(f"{folder}: there is no such folder of a benchmark run")
    refuse_link(folder)
    if folder.is_file() and serving_json.is_result(folder):
        return [_run(folder, [serving_json.read_result(folder)], Plan(), Outcome(), gpus)]
    if not folder.is_dir():
        raise InputError(f"{folder}: this is no folder of a benchmark run")
    if found_file(folder / PLAN):
        return [_planned(folder, gpus)]
    planned = [path.parent for path in folder.rglob(PLAN) if found_file(path)]
    if planned:
        return [_planned(each, gpus) for each in sorted(planned, key=lambda run: run.name)]
    found = _points(folder)
    if not found:
        raise InputError(
            f"{folder}: nothing to report: no {aiperf_summary.NAME} and no result of "
            "benchmark_serving; a run in which every request failed leaves none"
        )
    return [_run(folder, found, Plan(), _outcome(folder), gpus)]


def _planned(folder: Path, gpus: Gpus | None) -> Run:
    """A run with a plan: a point for each of its steps, measured or not."""
    plan = read(Plan, folder / PLAN)
    found = _points(folder)
    measured = {point.concurrency for point in found}
    missing = [
        Point(folder / step.folder, concurrency=step.concurrency)
        for step in plan.steps
        if step.concurrency not in measured
    ]
    return _run(folder, found + missing, plan, _outcome(folder), gpus)


def _outcome(folder: Path) -> Outcome:
    path = folder / OUTCOME
    return read(Outcome, path) if found_file(path) else Outcome()


def _run(folder: Path, points: list[Point], plan: Plan, outcome: Outcome, gpus: Gpus | None) -> Run:
    told = Gpus(**plan.gpus.model_dump()) if plan.gpus else gpus or Gpus()
    outcomes = {step.concurrency: step for step in outcome.steps}
    judged = [
        _judged(point, outcomes.get(point.concurrency), told)
        for point in sorted(points, key=lambda p: (p.concurrency or 0, p.folder))
    ]
    return Run(_name(folder, plan), folder, tuple(judged), plan)


def _name(folder: Path, plan: Plan) -> str:
    """What to call a run: as its folder, or by target and time where a program named that."""
    name = folder.stem if folder.is_file() else folder.resolve().name
    made = GENERATED.fullmatch(name)
    if not made or not plan.target:
        return name
    year, month, day, *time = made.groups()
    return f"{plan.target} {year}-{month}-{day} {':'.join(time)}"


def _judged(point: Point, outcome: StepOutcome | None, gpus: Gpus) -> Point:
    """A point with its GPUs, and what is wrong with it; what it lacks comes from the outcome."""
    if point.sent == 0 and outcome:
        causes = {each.cause: each.count for each in outcome.causes}
        point = replace(point, requests=outcome.requests, errors=outcome.errors, causes=causes)
    return replace(
        point,
        gpus=gpus,
        problems=problems_of(point, outcome),
        notes=notes_of_point(point, outcome),
        trials=tuple(replace(trial, gpus=gpus) for trial in point.trials),
    )


def _points(folder: Path) -> list[Point]:
    """The points below a folder; profile runs of one setting are one point."""
    settings: dict[Path, list[Point]] = {}
    for path in _summaries(folder):
        parts = path.parent.relative_to(folder).parts
        setting = folder.joinpath(*(part for part in parts if not TRIAL.fullmatch(part)))
        settings.setdefault(setting, []).append(aiperf_summary.read_summary(path))
    points = [replace(together(trials), folder=at) for at, trials in settings.items()]
    found = [path for path in sorted(folder.glob("*.json")) if found_file(path)]
    results = [path for path in found if serving_json.is_result(path)]
    return points + [serving_json.read_result(path) for path in results]


def _summaries(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob(aiperf_summary.NAME)):
        if found_file(path) and not NOT_RUNS & set(path.relative_to(folder).parts):
            yield path
