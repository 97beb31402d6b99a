"""Turns what stands on the command line into deployments."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from gptoss.sources.chart.helm import find_helm, render
from gptoss.sources.request import Plan, Request, plan_of
from gptoss.text.errors import InputError
from gptoss.text.places import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Future

    from gptoss.deployment.model import Deployment
    from gptoss.facts.world import Facts
    from gptoss.sources.chart.helm import Rendering
    from gptoss.sources.given import GivenFile
    from gptoss.sources.kinds import Kind

MANY = 20


@dataclass(frozen=True, slots=True)
class Loaded:
    """Deployments and the facts they were read with."""

    deployments: list[Deployment]
    facts: Facts


@dataclass(frozen=True, slots=True)
class _Given:
    """Deployments that never saw the chart, and load generators' command lines."""

    deployments: list[Deployment] = field(default_factory=list)
    workloads: list[GivenFile] = field(default_factory=list)


def load(request: Request, meanwhile: Callable[[], None] = lambda: None) -> Loaded:
    """Reads every source; without any, every shipped target with every overlay.

    A load generator's command line that is given along is the benchmark of every deployment, in
    place of its own.

    Args:
        request: What is asked for.
        meanwhile: What the caller has to do while Helm works.

    Raises:
        InputError: A source is unknown or cannot be read.
    """
    plan = plan_of(request)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        helm = find_helm() if plan.charts else ""
        renderings = [pool.submit(render, chart, helm) for chart in plan.charts]
        # Imported while Helm works.
        from gptoss.facts.world import Facts

        facts = Facts()
        given = _given(plan, request, facts) if plan.files else _Given()
        deployments = given.deployments
        if renderings:
            from gptoss.sources.chart.build import build_chart

            meanwhile()
            deployments.extend(build_chart(r.result(), facts) for r in _counted(renderings))
    return Loaded(_measured(deployments, given.workloads), facts)


def _given(plan: Plan, request: Request, facts: Facts) -> _Given:
    """Reads files by what they are."""
    from gptoss.sources.kinds import ENGINE, SCRIPT, WORKLOAD, Asked, kind_of

    kinds = [(file, kind_of(file, facts)) for file in plan.files]
    workloads = [file for file, kind in kinds if kind is WORKLOAD]
    others = [(file, kind) for file, kind in kinds if kind is not WORKLOAD]
    if others and (request.files or request.settings):
        label = others[0][0].label
        raise InputError(f"{label}: -f and --set are for targets, not for manifests")
    scripts = any(kind is SCRIPT for _, kind in others)
    beside = {file.name: file.text for file, kind in others if kind is ENGINE} if scripts else {}
    asked = Asked(request, facts, beside)
    found: list[Deployment] = []
    together = []
    for file, kind in others:
        if kind is None or kind.read is None:
            together.append((file, kind))
        elif file.name not in beside:
            found.append(kind.read(file, asked))
    found += _manifests(together, request, facts)
    deployments = [replace(each, problems=(*each.problems, *plan.left_out)) for each in found]
    return _Given(deployments, workloads)


def _manifests(
    kinds: Sequence[tuple[GivenFile, Kind | None]], request: Request, facts: Facts
) -> Iterator[Deployment]:
    """The deployments of manifests, and of what is given along with them."""
    from gptoss.sources.kinds import not_understood
    from gptoss.sources.kubernetes.build import build
    from gptoss.sources.kubernetes.split import split

    if not kinds:
        return
    if all(kind is None for _, kind in kinds):
        raise not_understood(kinds[0][0])
    label = " ".join(dict.fromkeys(file.label for file, _ in kinds))
    parts = split([tree for file, _ in kinds for tree in file.trees])
    for part in parts:
        deployment = build(part, label, facts, release=request.release)
        yield deployment if len(parts) == 1 else deployment.called(f"{label} ({deployment.name})")


def _measured(deployments: list[Deployment], workloads: Sequence[GivenFile]) -> list[Deployment]:
    """The deployments with the benchmark that is given along.

    Raises:
        InputError: There is no deployment, or more than one benchmark.
    """
    if not workloads:
        return deployments
    from gptoss.sources.containers.script import build_workload

    first, *more = workloads
    if not deployments:
        raise InputError(
            "this measures a model and serves none; give the deployment along, "
            f"as in gptoss check disagg-gb200 {first.label}",
            Place(first.name),
        )
    if more:
        raise InputError(
            f"{first.name} measures already; give one benchmark at a time", Place(more[0].name)
        )
    benchmark = build_workload(first.text, first.name)
    return [
        replace(deployment, benchmark=benchmark).called(f"{deployment.source} + {first.label}")
        for deployment in deployments
    ]


def _counted(renderings: list[Future[Rendering]]) -> Iterator[Future[Rendering]]:
    """The renderings, with a progress bar on a terminal when there are many."""
    if len(renderings) < MANY or not sys.stderr.isatty():
        yield from renderings
        return
    import click

    with click.progressbar(renderings, label="checking", file=sys.stderr) as bar:
        yield from bar
