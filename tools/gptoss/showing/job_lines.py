"""When the Jobs that ask the model begin, end and go.

Of a target the benchmark's is told even where it is not turned on, as by ``gptoss bench``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment
    from gptoss.deployment.pods import Pod

# Init containers of the chart's Jobs.
ROLLOUT, MODEL = "wait-for-rollout", "wait-for-model"


def job_lines(deployment: Deployment) -> Iterator[str]:
    """A line for each: what it waits for, and its times in seconds."""
    for kind, _, pod in _jobs(deployment):
        told = []
        if ROLLOUT in _before(pod):
            told.append("begins when the rollout is over and the model answers")
        elif MODEL in _before(pod):
            told.append("begins when the model answers, even where pods of before do")
        if pod.deadline:
            told.append(f"is ended after {pod.deadline.value:,} s")
        if pod.kept:
            told.append(f"is deleted {pod.kept.value:,} s after its end")
        if told:
            yield f"{kind}: its Job {', '.join(told)}"


def jobs_json(deployment: Deployment) -> list[dict[str, Any]]:
    """The same as data."""
    return [
        {
            "kind": kind,
            "name": name,
            "waits_for_rollout": ROLLOUT in _before(pod),
            "active_deadline_seconds": pod.deadline.value if pod.deadline else None,
            "ttl_seconds_after_finished": pod.kept.value if pod.kept else None,
        }
        for kind, name, pod in _jobs(deployment)
    ]


def _jobs(deployment: Deployment) -> Iterator[tuple[str, str, Pod]]:
    benchmark, accuracy = deployment.benchmark, deployment.accuracy
    if benchmark and benchmark.is_job:
        yield "benchmark", benchmark.name, benchmark.pod
    if accuracy:
        yield "accuracy", accuracy.name, accuracy.pod


def _before(pod: Pod) -> set[str]:
    return {each.value for each in pod.before}
