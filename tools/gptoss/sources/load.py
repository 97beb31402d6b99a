"""Turns what stands on the command line into deployments."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gptoss.sources.chart.helm import find_helm, render
from gptoss.sources.request import Plan, Request, plan_of
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Future

    from gptoss.deployment.model import Deployment
    from gptoss.facts.world import Facts
    from gptoss.sources.chart.helm import Rendering
    from gptoss.sources.given import GivenFile
    from gptoss.sources.kinds import Asked, Kind

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

    A load generator's command line that is given along is the benchmark of the deployment that it
    measures, in place of its own.

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
    if given.workloads:
        from gptoss.sources.measured import measured

        deployments = measured(deployments, given.workloads)
    return Loaded(deployments, facts)


def _given(plan: Plan, request: Request, facts: Facts) -> _Given:
    """Reads files by what they are."""
    from gptoss.sources.kinds import (
        DISAGGREGATED,
        ENGINE,
        MANIFESTS,
        SCRIPT,
        WORKLOAD,
        Asked,
        kind_of,
    )

    kinds = [(file, kind_of(file, facts)) for file in plan.files if not file.beside_scripts]
    kinds += _engine_files((file for file in plan.files if file.beside_scripts), facts)
    workloads = [file for file, kind in kinds if kind is WORKLOAD]
    others = [(file, kind) for file, kind in kinds if kind is not WORKLOAD]
    if others and (request.files or request.settings or request.typed):
        label = others[0][0].label
        raise InputError(f"{label}: -f and --set are for targets, not for manifests")
    scripts = [file for file, kind in others if kind is SCRIPT]
    engines = [file for file, kind in others if kind is ENGINE]
    configs = [file for file, kind in others if kind is DISAGGREGATED]
    asked = Asked(request, facts)
    found: list[Deployment] = []
    together = []
    if scripts:
        found += _scripts(scripts, asked, engines, configs)
        engines, configs = [file for file in engines if _is_left(file, found)], []
    if engines or configs:
        from gptoss.sources.engines_together import deployments_of_engines

        found += deployments_of_engines(engines, configs, request, facts)
    for file, kind in others:
        if kind is None or kind is MANIFESTS:
            together.append((file, kind))
        elif kind.read:
            found.append(kind.read(file, asked))
    found += _manifests(together, request, facts)
    deployments = [replace(each, problems=(*each.problems, *plan.left_out)) for each in found]
    return _Given(deployments, workloads)


def _engine_files(
    files: Iterable[GivenFile], facts: Facts
) -> Iterator[tuple[GivenFile, Kind | None]]:
    """Those of the files beside scripts that are about an engine; nobody named any of them."""
    from gptoss.sources.kinds import DISAGGREGATED, ENGINE, kind_of

    for file in files:
        with suppress(InputError):
            kind = kind_of(file, facts)
            if kind in (DISAGGREGATED, ENGINE):
                yield file, kind


def _is_left(file: GivenFile, found: Sequence[Deployment]) -> bool:
    """Whether an engine file stands beside scripts of which none names it."""
    named = {Path(worker.engine.home.file) for each in found for worker in each.workers}
    return file.beside_scripts and file.path.resolve() not in {path.resolve() for path in named}


def _scripts(
    files: Sequence[GivenFile],
    asked: Asked,
    engines: Sequence[GivenFile],
    configs: Sequence[GivenFile],
) -> Iterator[Deployment]:
    """The deployments that scripts start, with the engine files that are given along."""
    from gptoss.sources.containers.script import build_script
    from gptoss.sources.containers.script_files import Beside
    from gptoss.sources.containers.script_group import GivenScript, deployments_of

    request = asked.request
    beside = Beside(
        engines={file.name: file.text for file in engines},
        servers={file.name: file.text for file in configs},
        by_folder=all(file.beside_scripts for file in (*engines, *configs)),
    )
    told = (request.release, request.gpu, request.gpus)
    for scripts in deployments_of([GivenScript(file.text, file.name) for file in files]):
        yield build_script(scripts, asked.facts, *told, beside)


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


def _counted(renderings: list[Future[Rendering]]) -> Iterator[Future[Rendering]]:
    """The renderings, with a progress bar on a terminal when there are many."""
    if len(renderings) < MANY or not sys.stderr.isatty():
        yield from renderings
        return
    import click

    with click.progressbar(renderings, label="checking", file=sys.stderr) as bar:
        yield from bar
