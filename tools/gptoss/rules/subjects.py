"""What rules are about: the engine walks over a deployment and gives a rule each of its subjects.

A rule is declared ``of`` a subject. Its function takes the subject by the names below and, where it
asks for them by name, what it needs beside: the ``deployment``, ``facts``, the ``model``, the
``release``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from gptoss.deployment.model import Role, Runtime
from gptoss.rules.readings import asking_pods, job_pods, pods

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from gptoss.deployment.model import Deployment, Worker
    from gptoss.deployment.pods import Pod


class Case(NamedTuple):
    """One thing that a rule judges.

    Attributes:
        name: What findings call it; '' where their message names what it is about.
        parts: What the rule's function gets.
        workers: Workers whose GPU and engine YAML the rule may look at.
    """

    name: str
    parts: tuple[Any, ...]
    workers: tuple[Worker, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """What a rule is about.

    Attributes:
        parameters: Types of what a rule's function gets, by the names it gets them under.
        cases: Finds every one in a deployment.
    """

    parameters: Mapping[str, str]
    cases: Callable[[Deployment], Iterable[Case]]


def _workers(deployment: Deployment, *roles: Role) -> Iterator[Case]:
    for worker in deployment.workers:
        if worker.role in (roles or Role):
            yield Case(worker.name, (worker,), (worker,))


def _pairs(deployment: Deployment) -> Iterator[Case]:
    for prefill in deployment.workers_with(Role.PREFILL):
        for decode in deployment.workers_with(Role.DECODE):
            yield Case("", (prefill, decode), (prefill, decode))


def _frontend(deployment: Deployment) -> Iterator[Case]:
    if deployment.frontend:
        yield Case(deployment.frontend.name, (deployment.frontend,))


def _entrances(deployment: Deployment) -> Iterator[Case]:
    if deployment.runtime is Runtime.SERVE:
        return _workers(deployment, Role.AGGREGATED)
    return _frontend(deployment)


def _benchmark(deployment: Deployment) -> Iterator[Case]:
    if deployment.benchmark:
        yield Case("", (deployment.benchmark,), deployment.workers)


def _named(pods: Iterable[tuple[str, Pod]]) -> Iterator[Case]:
    return (Case(name, (name, pod)) for name, pod in pods)


DEPLOYMENT = Subject({}, lambda d: [Case("", (), d.workers)])
WORKERS = Subject({"worker": "Worker"}, _workers)
PREFILL_WORKERS = Subject({"worker": "Worker"}, lambda d: _workers(d, Role.PREFILL))
# Those of disaggregated serving.
SPLIT_WORKERS = Subject({"worker": "Worker"}, lambda d: _workers(d, Role.PREFILL, Role.DECODE))
# Workers in front of which requests arrive, and those that write answers.
PREFILLING = Subject({"worker": "Worker"}, lambda d: _workers(d, Role.AGGREGATED, Role.PREFILL))
DECODING = Subject({"worker": "Worker"}, lambda d: _workers(d, Role.AGGREGATED, Role.DECODE))
# Every prefill worker with every decode worker.
PAIRS = Subject({"prefill": "Worker", "decode": "Worker"}, _pairs)
COMPONENTS = Subject(
    {"component": "Component"}, lambda d: (Case(c.name, (c,)) for c in d.components)
)
FRONTEND = Subject({"frontend": "Frontend"}, _frontend)
# What answers clients: the frontend, or the server of trtllm-serve that has no role.
ENTRANCES = Subject({"entrance": "Frontend | Worker"}, _entrances)
PODS = Subject({"name": "str", "pod": "Pod"}, lambda d: _named(pods(d)))
# Those that run to an end.
JOB_PODS = Subject({"name": "str", "pod": "Pod"}, lambda d: _named(job_pods(d)))
ASKING_PODS = Subject({"name": "str", "pod": "Pod"}, lambda d: _named(asking_pods(d)))
DOWNLOADS = Subject(
    {"job": "Download"}, lambda d: (Case(f"{job.kind} {job.name}", (job,)) for job in d.downloads)
)
# Ingresses and routes.
WAYS_IN = Subject({"way": "WayIn"}, lambda d: (Case(str(way), (way,)) for way in d.ways_in))
BENCHMARK = Subject({"benchmark": "Benchmark"}, _benchmark)
# What is found outside the deployment; somebody else reports it.
ELSEWHERE = Subject({}, lambda _deployment: ())


def problems(kind: str) -> Subject:
    """What the reader found wrong, of one kind."""
    return Subject(
        {"problem": "Problem"},
        lambda d: (Case("", (problem,)) for problem in d.problems if problem.kind == kind),
    )
