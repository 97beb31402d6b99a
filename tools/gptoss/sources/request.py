"""What the command line asks for, sorted into targets to render and files to read."""

from __future__ import annotations

import difflib
import os
import re
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from gptoss.facts import folders
from gptoss.sources.chart.helm import RELEASE_NAME, ChartSource
from gptoss.sources.chart.package_values import chosen
from gptoss.sources.chart.set_arguments import SET, SET_FILE, SET_STRING, SetArgument
from gptoss.sources.chart.values_files import is_values
from gptoss.sources.given import RELEASES, STDIN, GivenFile, given_files
from gptoss.text.bounds import refuse_link
from gptoss.text.budget import Kind, spend
from gptoss.text.errors import InputError
from gptoss.text.files import is_there, read_text
from gptoss.text.places import Place

if TYPE_CHECKING:
    from gptoss.deployment.model import Problem


@dataclass(frozen=True, slots=True)
class Request:
    """Sources and what is laid over them.

    Attributes:
        sources: Targets, values files, Applications of Argo CD, HelmReleases of Flux, manifests,
            folders, engine files or ``-``.
        files: Values files laid over each target.
        settings: ``--set`` arguments laid over each target.
        typed: Those of ``--set-json``, ``--set-string`` and ``--set-file``.
        release: Dynamo release to read them as.
        gpu: Kind of GPU of an engine file alone.
        gpus: GPUs of an engine file alone.
        roles: Role of an engine file alone, or that of each in their order.
        name: Name of the Helm release that targets are rendered as.
    """

    sources: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    release: str | None = None
    gpu: str | None = None
    gpus: int | None = None
    roles: tuple[str, ...] = ()
    name: str | None = None
    typed: tuple[SetArgument, ...] = ()

    @property
    def given(self) -> tuple[str, ...]:
        """The sources and the values files laid over them."""
        return (*self.sources, *self.files)


@dataclass(frozen=True, slots=True)
class Plan:
    """Targets to render, and files to read as they are.

    Attributes:
        charts: Targets.
        files: Files that are no values files.
        left_out: What folders hold and is not read.
    """

    charts: list[ChartSource]
    files: list[GivenFile] = field(default_factory=list)
    left_out: list[Problem] = field(default_factory=list)


def plan_of(request: Request) -> Plan:
    """Sorts the sources.

    Raises:
        InputError: A source is unknown or cannot be read, or an option does not go with it.
    """
    if request.name is not None and not RELEASE_NAME.fullmatch(request.name):
        raise InputError(
            f"--name {request.name}: a Helm release is named in lower case letters, digits, "
            "hyphens and dots, in at most 53 characters"
        )
    for argument in request.typed:
        for _, text in argument.assignments() if argument.flag == SET_FILE else ():
            _refuse_other(f"{argument.flag} {argument.text}", Path(re.sub(r"\\(.)", r"\1", text)))
    plan = _sorted(request)
    charts, files = plan.charts, plan.files
    if files and not charts and request.name:
        raise InputError(f"{files[0].label}: --name is for targets; manifests have their names")
    if charts and (request.gpu or request.gpus or request.roles):
        raise InputError(
            f"{charts[0].label}: --gpu, --gpus and --role are for an engine file alone"
        )
    typed = request.typed
    if request.release and (typed or any(each.typed for each in charts)):
        typed += tuple(SetArgument(SET_STRING, text) for text in _release(request.release))
    return replace(plan, charts=[_called(each, request.name, typed) for each in charts])


def _refuse_other(flag: str, path: Path) -> None:
    """Refuses what Helm would read for ever, or take from an address, and links that lead out."""
    refuse_link(path)
    if not os.path.isfile(path):  # noqa: PTH113 (that of Path raises where a name is too long)
        raise InputError(f"{flag}: {path} is no such file")


def _called(source: ChartSource, name: str | None, typed: tuple[SetArgument, ...]) -> ChartSource:
    return replace(source, name=name or source.name, typed=(*source.typed, *typed))


def _sorted(request: Request) -> Plan:
    """The targets with what is laid over them, and the files to read as they are."""
    overlays = tuple(_file(name) for name in request.files)
    settings = (*request.settings, *_release(request.release))
    if not request.sources:
        if request.files:
            first, *rest = overlays
            return Plan([_over(request.files[0], (first,), tuple(rest), settings)])
        named = chosen(ChartSource("", (), settings, request.typed).arguments, ())
        if named.target:
            return Plan([ChartSource(named.label, (), settings)])
        return Plan(_shipped(settings))
    plan = Plan([])
    for name in request.sources:
        target = _target(name)
        if target is not None:
            plan.charts.append(_over(name, (target,), overlays, settings))
            continue
        given = given_files(name, plan.left_out)
        if any(RELEASES.search(file.text) for file in given if not file.beside_scripts):
            given = _released(given, request, settings, plan)
        for file in given:
            if not file.among_manifests and not file.beside_scripts and is_values(file):
                # What is named counts as often as somebody likes to name it.
                spend(Kind.RENDERINGS, file.label != name, Place(file.name))
                plan.charts.append(_over(file.label, (_saved(file),), overlays, settings))
            else:
                plan.files.append(file)
    return plan


def _released(
    given: list[GivenFile], request: Request, settings: tuple[str, ...], plan: Plan
) -> list[GivenFile]:
    """Adds what Argo CD and Flux are to install of the chart; what is left to be read beside it."""
    from gptoss.sources.gitops.chart_releases import deployed_beside, releases

    found = releases(given)
    if not found:
        return given
    if request.files:
        raise InputError(f"{found[0].label}: -f is for targets; write the values into it")
    arguments = tuple(SetArgument(SET, text) for text in settings)
    plan.charts.extend(replace(each, typed=(*each.typed, *arguments)) for each in found)
    return deployed_beside(given)


def _release(asked: str | None) -> list[str]:
    """The setting that makes the chart render for a release."""
    if asked is None:
        return []
    from gptoss.facts.world import Facts

    return [f"runtime.release={Facts().release(asked).version}"]


def _over(
    label: str, base: tuple[Path, ...], overlays: tuple[Path, ...], settings: tuple[str, ...]
) -> ChartSource:
    label = " + ".join([label, *(path.stem for path in overlays)])
    return ChartSource(label, (*base, *overlays), settings)


def _shipped(settings: tuple[str, ...]) -> list[ChartSource]:
    """Every target, plain and with each overlay that is made for it."""
    shipped = folders.values_files()
    made_for = {path: folders.overlay_for(read_text(path)) for path in shipped.values()}
    targets = {name: path for name, path in shipped.items() if made_for[path] is None}
    laid_over = [(path, patterns) for path, patterns in made_for.items() if patterns]
    charts = []
    for name, path in targets.items():
        charts.append(_over(name, (path,), (), settings))
        charts += [
            _over(name, (path,), (file,), settings)
            for file, patterns in laid_over
            if any(fnmatchcase(name, pattern) for pattern in patterns)
        ]
    return charts


def _target(name: str) -> Path | None:
    """The values file of a shipped target; None when it is a file or folder that is named.

    Raises:
        InputError: It names nothing, or an overlay alone.
    """
    shipped = folders.values_files()
    if name in shipped:
        if folders.overlay_for(read_text(shipped[name])):
            raise InputError(f"{name} is an overlay; lay it over a target with -f {shipped[name]}")
        return shipped[name]
    if name != STDIN and not is_there(name):
        nearest = difflib.get_close_matches(name, shipped, 1)
        hint = f"did you mean {nearest[0]}?" if nearest else f"targets: {', '.join(shipped)}"
        raise InputError(f"{name} is neither a target nor a file; {hint}")
    return None


def _saved(file: GivenFile) -> Path:
    """The path of a values file, which Helm reads again."""
    if not file.path.is_file():
        raise InputError(f"{file.label} is a pipe, and Helm reads values once more; give a file")
    return file.path


def _file(name: str) -> Path:
    path = Path(name)
    if not is_there(path) or not path.is_file():
        shipped = folders.values_files()
        if name in shipped:
            return shipped[name]
        raise InputError(f"-f {name}: there is no such file")
    refuse_link(path)
    return path
