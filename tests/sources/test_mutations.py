"""Whatever is wrong with manifests, the reader says so in one sentence."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gptoss.deployment.model import Deployment
from gptoss.sources.gitops.chart_releases import releases
from gptoss.sources.given import GivenFile
from gptoss.sources.kubernetes.build import build
from gptoss.text.errors import InputError
from gptoss.text.places import Place
from gptoss.text.yaml_tree import Tree
from tests.rules.gitops_base import application, helm_release
from tests.sources.manifest_examples import (
    ALPHA,
    BENCHMARK,
    BETA,
    CLAIM,
    DOWNLOAD,
    ENGINE,
    FACTS,
    SERVER,
    documents,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Place("changed.yaml", 1, 1)
GIVEN = [documents(ENGINE, graph, BENCHMARK, DOWNLOAD, CLAIM) for graph in (ALPHA, BETA, SERVER)]

Path = tuple[str | int, ...]


def tree(value: Any) -> Tree:
    if isinstance(value, dict):
        return Tree({key: tree(item) for key, item in value.items()}, HERE)
    return Tree([tree(item) for item in value] if isinstance(value, list) else value, HERE)


replacements = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 5),
    st.floats(),
    st.dates(),
    st.text(max_size=5),
    st.sampled_from(["1" * 30, "$(X)", "a: [", "- a", "max_batch_size: {x: 1}", "sh -c '", "²"]),
    st.lists(st.one_of(st.none(), st.text(max_size=3), st.just({})), max_size=2),
    st.dictionaries(st.text(max_size=3), st.one_of(st.none(), st.integers()), max_size=2),
).map(tree)


def paths(value: Tree, path: Path = ()) -> Iterator[Path]:
    yield path
    for key, item in value.items():
        yield from paths(item, (*path, key))
    for number, item in enumerate(value.elements()):
        yield from paths(item, (*path, number))


def changed(value: Tree, path: Path, new: Tree | None) -> Tree:
    """The tree with the value at a path replaced, or left out when there is no new one."""
    if not path:
        return new or tree(None)
    step, rest = path[0], path[1:]
    inner = value.at(step)
    if inner is None:
        return value
    item = changed(inner, rest, new) if rest or new else None
    if isinstance(step, int):
        elements = list(value.elements())
        elements[step : step + 1] = [item] if item else []
        return replace(value, value=elements)
    table = {key: each for key, each in value.items() if key != step}
    return replace(value, value={**table, step: item} if item else table)


PATHS = [[(n, path) for n, d in enumerate(given) for path in paths(d)] for given in GIVEN]


@st.composite
def mutated(draw: st.DrawFn) -> list[Tree]:
    which = draw(st.integers(0, len(GIVEN) - 1))
    trees = list(GIVEN[which])
    for number, path in draw(st.lists(st.sampled_from(PATHS[which]), min_size=1, max_size=3)):
        trees[number] = changed(trees[number], path, draw(st.none() | replacements))
    return trees


@settings(max_examples=300, deadline=None)
@given(mutated())
def test_manifests_are_built_or_refused_whatever_stands_in_them(trees: list[Tree]) -> None:
    try:
        assert isinstance(build(trees, "changed.yaml", FACTS), Deployment)
    except InputError as error:
        assert str(error)  # noqa: PT017 (both outcomes are right)


PARAMETERS = [{"name": "frontend.replicas", "value": "2", "forceString": False}]
HELM = {"valueFiles": ["$v/a.yaml"], "ignoreMissingValueFiles": True, "parameters": PARAMETERS}
TAKEN = [{"kind": "ConfigMap", "name": "m", "valuesKey": "k", "targetPath": "frontend.replicas"}]
REMEDY = {"timeout": "5m", "remediation": {"retries": 1, "strategy": "uninstall"}}


def gitops() -> list[list[Tree]]:
    """An Application with everything that is read of it, and a HelmRelease with its ConfigMap."""
    argo_cd, flux = application(), helm_release()
    argo_cd["spec"]["source"]["helm"] |= HELM
    argo_cd["spec"] |= {"sources": [], "syncPolicy": {"automated": {"prune": True}}}
    flux["spec"] |= {"valuesFrom": TAKEN, "install": REMEDY, "upgrade": REMEDY}
    config = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "m"},
        "data": {"k": "2"},
    }
    return [[tree(argo_cd)], [tree(flux), tree(config)]]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(gitops()), st.data())
def test_what_is_wrong_with_a_release_is_said_in_one_sentence(
    objects: list[Tree], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(objects) - 1))
    path = data.draw(st.sampled_from([*paths(objects[at])][1:]))
    new = changed(objects[at], path, data.draw(st.one_of(st.none(), replacements)))
    file = GivenFile(FilePath("changed.yaml"))
    file.trees = [*objects[:at], new, *objects[at + 1 :]]
    file.text = ""
    try:
        found = releases([file])
    except InputError as error:
        assert "\n" not in error.message  # noqa: PT017 (both outcomes are right)
    else:
        for source in found:
            assert "\0" not in "".join(source.argv("helm"))
            assert isinstance(json.loads(source.standard_input() or b"{}"), dict)
