"""Tells releases of the chart from whatever else stands in a GitOps repository."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from gptoss.sources.gitops.argo_cd import application
from gptoss.sources.gitops.flux import helm_release
from gptoss.sources.gitops.given_objects import Given
from gptoss.sources.given import SERVES
from gptoss.text.budget import Kind, spend
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gptoss.sources.chart.helm import ChartSource
    from gptoss.sources.given import GivenFile

SERVING = re.compile(r"^kind: *(Deployment|StatefulSet|LeaderWorkerSet|Pod|Job)\b", re.MULTILINE)
GRAPH = re.compile(r"^kind: *DynamoGraphDeployment\b", re.MULTILINE)


def releases(files: Sequence[GivenFile]) -> list[ChartSource]:
    """The releases of the chart that files ask for, which were given together.

    Raises:
        InputError: A values file that is named is not there, YAML is none, or there is nothing but
            an ApplicationSet, or there are more releases than a run may render.
    """
    given = [Given(file, tree, files) for file in files for tree in file.trees]
    found = []
    for each in given:
        if source := application(each) or helm_release(each):
            spend(Kind.RENDERINGS, 1, each.tree.place)
            found.append(source)
    sets = [each for each in given if each.is_a("argoproj.io", "ApplicationSet")]
    if sets and not found and not deployed_beside(files):
        raise InputError(
            "an ApplicationSet makes its Applications in the cluster; give the values files that "
            "it finds",
            sets[0].tree.place,
        )
    return _told_apart(found)


def deployed_beside(files: Iterable[GivenFile]) -> list[GivenFile]:
    """Of files that stand beside releases those that deploy something themselves."""
    return [file for file in files if _serves(file.text)]


def _serves(text: str) -> bool:
    return bool(GRAPH.search(text) or (SERVING.search(text) and SERVES.search(text)))


def _told_apart(found: list[ChartSource]) -> list[ChartSource]:
    """Releases that have one label, as those of one file, with their names."""
    labels = [source.label for source in found]
    return [
        replace(each, label=f"{each.label} ({each.name})") if labels.count(each.label) > 1 else each
        for each in found
    ]
