"""What an Application of Argo CD installs of the chart.

Source: argo-cd v3.2.0 ``reposerver/repository/repository.go``, ``helmTemplate``: value files, then
``valuesObject`` or else ``values``, then parameters.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.deployment.model import Problem
from gptoss.facts import folders
from gptoss.sources.chart.helm import ChartSource
from gptoss.sources.chart.set_arguments import SET, SET_STRING, SetArgument
from gptoss.sources.gitops.given_objects import is_chart, text_of, values_in
from gptoss.text.files import is_there

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gptoss.sources.gitops.given_objects import Given
    from gptoss.text.yaml_tree import Tree

COMMA = re.compile(r"(?<!\\),")


def application(given: Given) -> ChartSource | None:
    """The release that an Application of this chart makes; None for anything else.

    Raises:
        InputError: A values file that it names is not there.
    """
    spec = given.tree.at("spec")
    if spec is None or not given.is_a("argoproj.io", "Application"):
        return None
    sources = [spec.at("source") or spec, *_elements(spec, "sources")]
    source = next((each for each in sources if _is_ours(each)), None)
    if source is None:
        return None
    problems: list[Problem] = list(_stays_out_of_sync(spec))
    if parameters := source.at("helm", "fileParameters"):
        problems.append(given.not_read("fileParameters are not read", parameters))
    inline = values_in(source.at("helm", "valuesObject") or source.at("helm", "values"))
    files = tuple(_files(given, source, problems))
    return ChartSource(
        given.file.label,
        files,
        typed=tuple(_parameters(source)),
        name=given.release(source.at("helm", "releaseName"), given.name),
        inline=(inline,) if inline else (),
        problems=tuple(problems),
    )


def _is_ours(source: Tree) -> bool:
    path = (source.text("path") or "").strip("./")
    return is_chart(source.text("chart") or path or source.text("repoURL"))


def _files(given: Given, source: Tree, problems: list[Problem]) -> Iterator[Path]:
    chart, path = folders.chart(), source.text("path") or ""
    may_be_missing = source.at("helm", "ignoreMissingValueFiles")
    for element in _elements(source, "helm", "valueFiles"):
        name = text_of(element)
        if "://" in name:
            problems.append(given.not_read(f"the values at {name} are not read", element))
            continue
        if name.startswith("$"):
            rest = name.partition("/")[2]
            candidates = [given.top / rest]
        elif name.startswith("/"):
            candidates = [given.top / name.lstrip("/"), chart.parent.parent / name.lstrip("/")]
        else:
            candidates = [given.top / path / name, chart / name]
        if may_be_missing and may_be_missing.value is True and not any(map(is_there, candidates)):
            continue
        yield given.values_file(element, *candidates)


def _parameters(source: Tree) -> Iterator[SetArgument]:
    for parameter in _elements(source, "helm", "parameters"):
        name, value = parameter.at("name"), parameter.at("value")
        if name is None or value is None:
            continue
        text = text_of(value)
        # As Argo CD does it: a comma is no separator, save in a list.
        text = text if text.startswith("{") else COMMA.sub(r"\,", text)
        forced = parameter.at("forceString")
        flag = SET_STRING if forced is not None and forced.value is True else SET
        yield SetArgument(flag, f"{text_of(name)}={text}", value.place)


def _stays_out_of_sync(spec: Tree) -> Iterator[Problem]:
    """That Jobs of an earlier content stay, where nothing removes them."""
    automated = spec.at("syncPolicy", "automated")
    if automated is None or automated.value is None:
        return
    prune, enabled = automated.at("prune"), automated.at("enabled")
    if (prune and prune.value is True) or (enabled and enabled.value is False):
        return
    message = "the Application syncs by itself and does not prune"
    yield Problem("sync-without-prune", message, (prune or automated).where)


def _elements(tree: Tree, *path: str) -> list[Tree]:
    found = tree.at(*path)
    return found.elements() if found else []
