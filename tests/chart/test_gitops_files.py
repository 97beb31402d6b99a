"""The files of argocd/, held against the chart and the repository."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import pytest

from gptoss.text import plain_yaml
from tests.chart.rendering import CHART, ROOT, SHIPPED, TARGETS, objects, one

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = ROOT / "argocd"
PROJECT = plain_yaml.load((FOLDER / "project.yaml").read_text("utf-8"))
FILES = sorted(FOLDER.glob("application*.yaml"))
OBJECT = re.compile(r"^[ -]*apiVersion: (.+)\n *kind: (.+)\n *metadata:", re.MULTILINE)
# The pod of `helm test`.
NOT_SYNCED = {("", "Pod")}


def spec(file: Path) -> dict[str, Any]:
    """What an Application says, or what a set's Applications say."""
    whole = plain_yaml.load(file.read_text("utf-8"))
    found: dict[str, Any] = whole["spec"]
    return found["template"]["spec"] if whole["kind"] == "ApplicationSet" else found


def sources(file: Path) -> list[dict[str, Any]]:
    found = spec(file)
    return list(found.get("sources") or [found["source"]])


def either(text: str) -> list[str]:
    """What a line of a template may become."""
    return re.findall(r'"([^"]+)"', text) if "{{" in text else [text]


def test_the_project_permits_the_kinds_that_the_chart_can_make_and_no_others() -> None:
    made = set(NOT_SYNCED)
    for template in CHART.glob("templates/**/*.*"):
        for version, kind in OBJECT.findall(template.read_text("utf-8")):
            groups = [each for each in either(version) if "/" in each] or [version]
            for group, name in zip(groups, either(kind), strict=False):
                made.add((group.rpartition("/")[0], name))
    permitted = {(e["group"], e["kind"]) for e in PROJECT["spec"]["namespaceResourceWhitelist"]}
    assert permitted == made - NOT_SYNCED
    for target in (name for name in TARGETS if name.startswith("everything")):
        for thing in objects(target):
            assert (thing["apiVersion"].rpartition("/")[0], thing["kind"]) in made


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_application_stays_within_its_project(file: Path) -> None:
    said = spec(file)
    assert said["project"] == PROJECT["metadata"]["name"]
    places = PROJECT["spec"]["destinations"]
    there = said["destination"]
    assert any(
        place["server"] == there["server"] and fnmatchcase(there["namespace"], place["namespace"])
        for place in places
    )
    assert {source["repoURL"] for source in sources(file)} <= set(PROJECT["spec"]["sourceRepos"])


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_application_names_what_this_repository_has(file: Path) -> None:
    chart = plain_yaml.load((CHART / "Chart.yaml").read_text("utf-8"))
    for source in sources(file):
        if "chart" in source:
            assert (source["chart"], source["targetRevision"]) == (chart["name"], chart["version"])
        if "path" in source:
            assert (ROOT / source["path"]).is_dir()
            for name in source["helm"]["valueFiles"]:
                assert "{{" in name or (ROOT / source["path"] / name).is_file()


def test_all_applications_are_kept_in_step_in_the_same_way() -> None:
    (first, *others) = [spec(file) for file in FILES]
    assert first["syncPolicy"]["automated"] == {"prune": True, "selfHeal": True}
    for other in others:
        assert other["syncPolicy"] == first["syncPolicy"]
        assert other["ignoreDifferences"] == first["ignoreDifferences"]


def test_the_set_takes_every_target_and_no_overlay() -> None:
    whole = plain_yaml.load((FOLDER / "applicationset.yaml").read_text("utf-8"))
    (generator,) = whole["spec"]["generators"]
    taken: set[str] = set()
    for entry in generator["git"]["files"]:
        found = {path.stem for path in ROOT.glob(entry["path"])}
        taken = taken - found if entry.get("exclude") else taken | found
    assert taken == set(SHIPPED)


def test_nothing_is_a_hook_of_argo_cd_and_no_wave_holds_anything_up() -> None:
    for template in CHART.glob("templates/**/*"):
        text = template.read_text("utf-8") if template.is_file() else ""
        assert "argocd.argoproj.io/hook" not in text
        assert "argocd.argoproj.io/sync-wave" not in text
        hooks = re.findall(r'"helm\.sh/hook" (\S+)', text)
        assert set(hooks) <= {'"test"'}, "Argo CD runs Helm's other hooks as its own"


def test_components_stand_in_the_order_in_which_a_conversion_gives_them_back() -> None:
    # An operator that stores v1alpha1 has them in a map, and sorts: another order is drift.
    graph = one("DynamoGraphDeployment", objects("disagg-gb200", "runtime.apiVersion=v1beta1"))
    names = [component["name"] for component in graph["spec"]["components"]]
    assert names == sorted(names) == ["decode", "frontend", "prefill"]
