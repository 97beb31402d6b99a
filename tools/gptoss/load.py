"""Turns what stands on the command line into deployments."""

from __future__ import annotations

import difflib
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gptoss import resources
from gptoss.errors import InputError
from gptoss.sources.helm import ChartSource, find_helm, render

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from concurrent.futures import Future

    from gptoss.facts import Facts
    from gptoss.model import Deployment
    from gptoss.sources.helm import Rendering

MANIFEST = re.compile(r"^(apiVersion|kind):", re.MULTILINE)
WORKERS = re.compile(r"^workers:", re.MULTILINE)
STDIN = "-"
MANY = 20


@dataclass(frozen=True, slots=True)
class Loaded:
    """Deployments and the facts they were read with."""

    deployments: list[Deployment]
    facts: Facts


@dataclass(frozen=True, slots=True)
class _Plan:
    """What the sources are: targets to render, and manifests that are one deployment."""

    charts: list[ChartSource]
    manifests: list[str]


def load(
    sources: Sequence[str], files: Sequence[str], settings: Sequence[str], release: str | None
) -> Loaded:
    """Reads every source; without any, every shipped target with every overlay.

    Args:
        sources: Targets, values files, manifests, folders or ``-``.
        files: Values files laid over each target.
        settings: ``--set`` arguments laid over each target.
        release: Dynamo release to read them as.

    Raises:
        InputError: A source is unknown or cannot be read.
    """
    plan = _plan(sources, files, settings, release)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        helm = find_helm() if plan.charts else ""
        renderings = [pool.submit(render, chart, helm) for chart in plan.charts]
        # Imported while Helm works.
        from gptoss.facts import Facts

        facts = Facts()
        if release and release not in facts.releases:
            known = ", ".join(facts.releases)
            raise InputError(f"--release: {release} is not known; it is one of {known}")
        deployments = []
        if plan.manifests:
            from gptoss.sources.files import read
            from gptoss.sources.manifests import build

            documents = [tree for name in plan.manifests for tree in read(name)]
            deployments.append(build(documents, " ".join(plan.manifests), facts, release=release))
        if renderings:
            from gptoss.sources.chart import build_chart

            deployments.extend(build_chart(r.result(), facts) for r in _counted(renderings))
    return Loaded(deployments, facts)


def _counted(renderings: list[Future[Rendering]]) -> Iterator[Future[Rendering]]:
    """The renderings, with a progress bar on a terminal when there are many."""
    if len(renderings) < MANY or not sys.stderr.isatty():
        yield from renderings
        return
    import click

    with click.progressbar(renderings, label="checking", file=sys.stderr) as bar:
        yield from bar


def _plan(
    sources: Sequence[str], files: Sequence[str], settings: Sequence[str], release: str | None
) -> _Plan:
    overlays = tuple(_file(name) for name in files)
    settings = (*settings, *([f"runtime.release={release}"] if release else []))
    charts: list[ChartSource] = []
    manifests: list[str] = []
    if not sources:
        charts = (
            _shipped(overlays, settings) if not files else [_over(files[0], (), overlays, settings)]
        )
    for name in sources:
        path = _values_file(name)
        if path is None:
            manifests.append(name)
        else:
            charts.append(_over(name, (path,), overlays, settings))
    if manifests and (files or [s for s in settings if not release]):
        raise InputError(f"{manifests[0]}: -f and --set are for targets, not for manifests")
    return _Plan(charts, manifests)


def _over(
    label: str, base: tuple[Path, ...], overlays: tuple[Path, ...], settings: tuple[str, ...]
) -> ChartSource:
    label = " + ".join([label, *(path.stem for path in overlays if path not in base)])
    return ChartSource(label, (*base, *overlays), settings)


def _shipped(overlays: tuple[Path, ...], settings: tuple[str, ...]) -> list[ChartSource]:
    """Every target, plain and with each overlay."""
    shipped = resources.values_files()
    targets = {name: path for name, path in shipped.items() if _is_target(path)}
    laid_over = [path for name, path in shipped.items() if name not in targets]
    charts = []
    for name, path in targets.items():
        charts.append(_over(name, (path,), overlays, settings))
        charts += [_over(name, (path,), (overlay,), settings) for overlay in laid_over]
    return charts


def _is_target(path: Path) -> bool:
    return bool(WORKERS.search(path.read_text(encoding="utf-8")))


def _values_file(name: str) -> Path | None:
    """The values file that a source names; None when it names manifests.

    Raises:
        InputError: It names nothing, or an overlay alone.
    """
    shipped = resources.values_files()
    if name in shipped:
        if not _is_target(shipped[name]):
            raise InputError(f"{name} is an overlay; lay it over a target with -f {shipped[name]}")
        return shipped[name]
    path = Path(name)
    if name == STDIN or path.is_dir():
        return None
    if not path.exists():
        nearest = difflib.get_close_matches(name, shipped, 1)
        hint = f"did you mean {nearest[0]}?" if nearest else f"targets: {', '.join(shipped)}"
        raise InputError(f"{name} is neither a target nor a file; {hint}")
    return None if MANIFEST.search(_text(path)) else path


def _file(name: str) -> Path:
    path = Path(name)
    if not path.is_file():
        shipped = resources.values_files()
        if name in shipped:
            return shipped[name]
        raise InputError(f"-f {name}: there is no such file")
    return path


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InputError(f"cannot read {path}: {reason}") from None
