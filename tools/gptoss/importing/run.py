"""Reads a source, writes the values file for it, and checks both."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gptoss.facts.world import Facts
from gptoss.importing.charts.convert_values import convert_values
from gptoss.importing.convert import convert
from gptoss.importing.report import Report
from gptoss.rules.rule import Severity
from gptoss.sources.given import STDIN, GivenFile
from gptoss.sources.load import load
from gptoss.sources.recognise import other_chart
from gptoss.sources.request import Request, plan_of
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.deployment.model import Deployment
    from gptoss.importing.convert import Imported
    from gptoss.rules.finding import Finding
    from gptoss.text.places import Place
    from gptoss.text.yaml_tree import Tree

PREFIX = "gptoss-import-"
# Characters of the name under which the result is read back.
LONGEST = 50


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
    if charts := plan_of(replace(request, gpu=None)).charts:
        raise InputError(f"{charts[0].label} is for the chart already; nothing is to import")
    if other := _of_other_chart(request):
        return _carried_over(*other, request, name, shown)
    loaded = load(request)
    if len(loaded.deployments) != 1:
        found = ", ".join(deployment.name for deployment in loaded.deployments) or "none"
        raise InputError(
            f"{' '.join(request.sources)} holds {len(loaded.deployments)} deployments ({found}); "
            "give the files of one"
        )
    (source,) = loaded.deployments
    imported = convert(source, loaded.facts, request.gpu, name, request.release, *_where(shown))
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


def _of_other_chart(request: Request) -> tuple[Tree, str] | None:
    """The values of another chart that a request names, and whose they are.

    Raises:
        InputError: They are given along with something else.
    """
    for name in request.sources:
        if name != STDIN and not Path(name).is_file():
            continue
        file = GivenFile(Path(name), name)
        tree = file.only_tree if file.is_yaml or file.is_stdin else None
        chart = other_chart(tree) if tree is not None else None
        if tree is not None and chart:
            if len(request.sources) > 1:
                raise InputError(
                    f"{name} holds values of {chart}; give them alone, as `helm get values` has "
                    "them for a release"
                )
            return tree, chart
    return None


def _carried_over(tree: Tree, chart: str, request: Request, name: str | None, shown: str) -> Report:
    """The values file for another chart's values, and what ``check`` says of it."""
    facts = Facts()
    imported = convert_values(tree, chart, request, facts, name, *_where(shown))
    rendered = read_back(imported, shown, imported.name)
    refused = [(each.message, _renamed(each.place, shown)) for each in rendered.problems]
    if rendered.is_refused:
        return Report(imported, (), (), refused)
    return Report(imported, (), [_at(each, shown) for each in _findings(rendered, facts)])


def _where(shown: str) -> tuple[str, Path | None]:
    """What the values file is called, and its folder where it is written to one."""
    return ("values.yaml", None) if shown.startswith("<") else (shown, Path(shown).parent)


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
        path = Path(folder, f"{Path(file).stem[:LONGEST] or 'values'}.yaml")
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
