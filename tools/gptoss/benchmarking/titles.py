"""Runs and points in words, the same in every form of the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.benchmarking.runs import Point, Run


def about(run: Run) -> str:
    """What ran, in one line."""
    return " · ".join(facts_of(run))


def facts_of(run: Run) -> list[str]:
    """What ran: target, model, release, GPUs, lengths, tool, when; as far as it is known."""
    return [text for text in _facts(run) if text]


def _facts(run: Run) -> Iterator[str | None]:
    plan = run.plan
    yield plan.target
    yield run.model
    release = plan.release and f" {plan.release}"
    yield f"{plan.runtime or 'release'}{release or ''}" if plan.runtime or release else None
    gpu = f" ({plan.gpu.upper()})" if plan.gpu else ""
    yield f"{run.gpus}{gpu}" if run.gpus.owned else None
    yield "simulated engine" if plan.simulated else None
    yield f"scale {plan.scale:g}" if plan.scale != 1 else None
    yield f"ISL {plan.isl:,}, OSL {plan.osl:,}" if plan.isl and plan.osl else None
    yield ", ".join(sorted({point.tool for point in run.points if point.tool}))
    trials = max((len(point.trials) for point in run.points), default=0)
    yield f"{trials} profile runs" if trials else None
    yield run.started and when(run.started)


def when(started: str) -> str:
    """A time without its parts of a second."""
    return started.partition(".")[0].replace("T", " ").replace("Z", " UTC")


def point_name(run: Run, point: Point) -> str:
    """A point in words."""
    at = f", concurrency {point.concurrency:,}" if point.concurrency else ""
    return f"{run.name}{at}"


def problem_line(run: Run, point: Point, text: str) -> str:
    """A problem with where it is."""
    return f"{point_name(run, point)}: {text}"
