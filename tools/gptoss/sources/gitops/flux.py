"""What a HelmRelease of Flux installs of the chart.

Source of the order and of the defaults: helm-controller v1.4.3 ``docs/spec/v2/helmreleases.md``:
values files of the chart, then ``valuesFrom`` one after the other, then ``values``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.facts import folders
from gptoss.sources.chart.helm import ChartSource
from gptoss.sources.chart.set_arguments import SET, SetArgument
from gptoss.sources.chart.values_files import has_our_keys
from gptoss.sources.gitops.generated import generated_values
from gptoss.sources.gitops.given_objects import is_chart, text_of, values_in
from gptoss.sources.gitops.remedies import remedies
from gptoss.text.files import is_there

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gptoss.deployment.model import Problem
    from gptoss.sources.gitops.given_objects import Given
    from gptoss.text.yaml_tree import Tree

KEY = "values.yaml"


def helm_release(given: Given) -> ChartSource | None:
    """The release that a HelmRelease of this chart makes; None for anything else.

    Raises:
        InputError: A values file that it names is not there.
    """
    spec = given.tree.at("spec")
    if spec is None or not given.is_a("helm.toolkit.fluxcd.io", "HelmRelease"):
        return None
    if not _is_ours(given, spec):
        return None
    problems: list[Problem] = list(remedies(spec))
    if rendered := spec.at("postRenderers"):
        problems.append(given.not_read("what postRenderers change is not read", rendered))
    arguments: list[SetArgument] = []
    inline = list(_values_from(given, spec, arguments, problems))
    own = values_in(spec.at("values"))
    # What the values say wins over a single value that is taken from elsewhere.
    arguments = [each for each in arguments if own is None or not _sets(own, each)]
    return ChartSource(
        given.file.label,
        tuple(_files(given, spec)),
        typed=tuple(arguments),
        name=_name(given, spec),
        inline=(*inline, own) if own else tuple(inline),
        problems=tuple(problems),
    )


def _name(given: Given, spec: Tree) -> str:
    namespace = spec.text("targetNamespace")
    composed = f"{namespace}-{given.name}" if namespace else given.name
    return given.release(spec.at("releaseName"), composed)


def _is_ours(given: Given, spec: Tree) -> bool:
    chart = spec.text("chart", "spec", "chart")
    if chart:
        return is_chart(chart)
    reference = spec.at("chartRef")
    kind = reference.text("kind") if reference else None
    source = given.beside(kind or "", reference.text("name") if reference else None)
    if source is not None:
        return is_chart(source.tree.text("spec", "url") or source.tree.text("spec", "chart"))
    values = values_in(spec.at("values"))
    return values is not None and bool(values.value) and has_our_keys(values)


def _files(given: Given, spec: Tree) -> Iterator[Path]:
    """The values files of the chart's source, whose paths begin at its top."""
    listed, missing = (
        spec.at("chart", "spec", key) for key in ("valuesFiles", "ignoreMissingValuesFiles")
    )
    for element in listed.elements() if listed else []:
        path = text_of(element)
        candidates = [given.top / path, folders.chart().parent.parent / path]
        if missing and missing.value is True and not any(map(is_there, candidates)):
            continue
        yield given.values_file(element, *candidates)


def _values_from(
    given: Given, spec: Tree, arguments: list[SetArgument], problems: list[Problem]
) -> Iterator[Tree]:
    listed = spec.at("valuesFrom")
    for reference in listed.elements() if listed else []:
        kind, name = reference.text("kind") or "", reference.text("name") or ""
        key = reference.text("valuesKey") or KEY
        found = given.beside(kind, name) if kind == "ConfigMap" else None
        tree = found.tree.at("data", key) if found else None
        if tree is None and kind == "ConfigMap":
            tree = generated_values(given, name, key)
        if tree is None:
            optional = reference.at("optional")
            if not (optional and optional.value is True):
                message = f"values of {kind} {name} are not read: it is not among what was given"
                problems.append(given.not_read(message, reference))
            continue
        target = reference.at("targetPath")
        if target and target.value:
            path = text_of(target)
            arguments.append(SetArgument(SET, f"{path}={text_of(tree)}", reference.place))
        elif values := values_in(tree):
            yield values


def _sets(values: Tree, argument: SetArgument) -> bool:
    return any(values.at(*key.split(".")) is not None for key in argument.keys)
