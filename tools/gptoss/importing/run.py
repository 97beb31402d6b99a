"""Reads a source, writes the values file for it, and checks both."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gptoss.importing.convert import convert
from gptoss.importing.report import Report
from gptoss.rules.rule import Severity
from gptoss.sources.load import load
from gptoss.sources.request import Request, plan_of
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.deployment.model import Deployment
    from gptoss.facts.world import Facts
    from gptoss.importing.convert import Imported
    from gptoss.rules.finding import Finding
    from gptoss.text.places import Place

PREFIX = "gptoss-import-"


def import_sources(request: Request, name: str | None, shown: str) -> Report:
    """The values file of one deployment, with what ``check`` says of both.

    Args:
        request: What to read, and the release and GPU to take it for.
        name: Name for the Helm release; the deployment's unless given.
        shown: What to call the values file in places.

    Raises:
        InputError: It cannot be read, is not one deployment, is a values file already, or nothing
            tells the kind of GPU.
    """
    if plan_of(replace(request, gpu=None)).charts:
        raise InputError(f"{request.sources[0]} is for the chart already; nothing is to import")
    loaded = load(request)
    if len(loaded.deployments) != 1:
        found = ", ".join(deployment.name for deployment in loaded.deployments) or "none"
        raise InputError(
            f"{' '.join(request.sources)} holds {len(loaded.deployments)} deployments ({found}); "
            "give the files of one"
        )
    (source,) = loaded.deployments
    written = None if shown.startswith("<") else Path(shown)
    where = (shown, written.parent) if written else ("values.yaml", None)
    imported = convert(source, loaded.facts, request.gpu, name, request.release, *where)
    before = _findings(source, loaded.facts)
    rendered = read_back(imported, shown, imported.name)
    if rendered.is_refused:
        refused = [
            (problem.message, _renamed(problem.place, shown)) for problem in rendered.problems
        ]
        return Report(imported, before, (), refused)
    after = [_at(finding, shown) for finding in _findings(rendered, loaded.facts)]
    clash = [_at(finding, shown) for finding in _over(source, rendered, loaded.facts)]
    return Report(imported, before, after, (), clash)


def _over(source: Deployment, rendered: Deployment, facts: Facts) -> list[Finding]:
    """What is refused only where the import is laid over its source."""
    if source.name != rendered.name or not source.given:
        return []
    alone = {(f.rule.id, f.message) for f in _findings(rendered, facts)}
    over = _findings(replace(rendered, installed=source), facts)
    new = (f for f in over if (f.rule.id, f.message) not in alone)
    return [finding for finding in new if finding.severity is Severity.ERROR]


def read_back(imported: Imported, file: str = "values", name: str | None = None) -> Deployment:
    """What the chart renders the values file to.

    Args:
        imported: The values file.
        file: What it will be called.
        name: The Helm release that it is rendered as.

    Raises:
        InputError: Helm fails.
    """
    with tempfile.TemporaryDirectory(prefix=PREFIX) as folder:
        path = Path(folder, f"{Path(file).stem or 'values'}.yaml")
        path.write_text(imported.text, encoding="utf-8")
        (deployment,) = load(Request((str(path),), name=name)).deployments
    return deployment


def _findings(deployment: Deployment, facts: Facts) -> Sequence[Finding]:
    from gptoss.checking.checker import run

    return run(deployment, facts).findings


def _at(finding: Finding, shown: str) -> Finding:
    return replace(finding, place=_renamed(finding.place, shown))


def _renamed(place: Place, shown: str) -> Place:
    """A place in the values file by the name that the user knows it by."""
    return place._replace(file=shown) if PREFIX in place.file else place
