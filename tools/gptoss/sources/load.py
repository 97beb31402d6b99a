"""Turns what stands on the command line into deployments."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.sources.chart.helm import find_helm, render
from gptoss.sources.request import Plan, Request, plan_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Future

    from gptoss.deployment.model import Deployment
    from gptoss.facts.world import Facts
    from gptoss.sources.chart.helm import Rendering

MANY = 20


@dataclass(frozen=True, slots=True)
class Loaded:
    """Deployments and the facts they were read with."""

    deployments: list[Deployment]
    facts: Facts


def load(request: Request) -> Loaded:
    """Reads every source; without any, every shipped target with every overlay.

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
        deployments = list(_given(plan, request, facts))
        if renderings:
            from gptoss.sources.chart.build import build_chart

            deployments.extend(build_chart(r.result(), facts) for r in _counted(renderings))
    return Loaded(deployments, facts)


def _given(plan: Plan, request: Request, facts: Facts) -> Iterator[Deployment]:
    """Deployments that never saw the chart."""
    if not plan.files:
        return
    from gptoss.deployment.model import Deployment
    from gptoss.sources.given import files_of_scripts, read_given
    from gptoss.sources.kubernetes.build import build
    from gptoss.sources.kubernetes.split import split

    documents = []
    manifests = []
    beside = files_of_scripts(plan.files, facts)
    for name in plan.files:
        if name in beside:
            continue
        found = read_given(name, request, facts, beside)
        if isinstance(found, Deployment):
            yield found
        else:
            manifests.append(name)
            documents += found
    if not manifests:
        return
    label = " ".join(manifests)
    parts = split(documents)
    for part in parts:
        deployment = build(part, label, facts, release=request.release)
        yield deployment if len(parts) == 1 else deployment.called(f"{label} ({deployment.name})")


def _counted(renderings: list[Future[Rendering]]) -> Iterator[Future[Rendering]]:
    """The renderings, with a progress bar on a terminal when there are many."""
    if len(renderings) < MANY or not sys.stderr.isatty():
        yield from renderings
        return
    import click

    with click.progressbar(renderings, label="checking", file=sys.stderr) as bar:
        yield from bar
