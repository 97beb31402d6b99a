"""Values that choose a target and overlays inside the chart lead to the lines of those."""

from pathlib import Path

import pytest

from gptoss.deployment import paths
from gptoss.deployment.model import Deployment
from gptoss.facts import folders
from gptoss.sources.chart.lines import ChartPlaces
from gptoss.sources.chart.package_values import chosen
from gptoss.sources.chart.set_arguments import SET, SET_JSON, SET_STRING, SetArgument
from gptoss.sources.load import load
from gptoss.sources.request import Request
from gptoss.text.files import laid_over
from gptoss.text.places import Place
from gptoss.text.yaml_tree import Tree, parse_documents


def tree(text: str, file: str) -> Tree:
    return parse_documents(text, file)[0]


@pytest.mark.parametrize(
    ("files", "arguments", "target", "overlays"),
    [
        (["target: a"], [], "a", []),
        (["target: a", "overlays: [x, y]"], [], "a", ["x", "y"]),
        (["{target: a, overlays: [x]}", "{target: b, overlays: []}"], [], "b", []),
        (["target: a"], [(SET, "frontend.replicas=2,target=b")], "b", []),
        (["target: a", "target: null"], [], "", []),
        ([], [(SET, "overlays={x,y},target=a")], "a", ["x", "y"]),
        (["overlays: [x, y]"], [(SET, "overlays[1]=z")], "", ["x", "z"]),
        ([], [(SET, "overlays[0]=x,overlays[1]=y")], "", ["x", "y"]),
        ([], [(SET_JSON, '{"target": "a", "overlays": ["x"]}')], "a", ["x"]),
        ([], [(SET_JSON, 'overlays=["x"]'), (SET_STRING, "target=a")], "a", ["x"]),
        (["workers: {decode: {target: a}}"], [(SET, "a.target=b")], "", []),
        (["{target: 1, overlays: x}"], [(SET_JSON, '{"target": ')], "", []),
    ],
)
def test_the_strongest_that_names_a_target_or_overlays_chooses_them(
    files: list[str], arguments: list[tuple[str, str]], target: str, overlays: list[str]
) -> None:
    trees = [tree(text, "mine.yaml") for text in files]
    assert chosen([SetArgument(*each) for each in arguments], trees) == (target, overlays)


def test_a_line_is_sought_in_one_s_own_values_then_in_overlays_then_in_the_target() -> None:
    named = [
        tree("frontend: {replicas: 1, routerMode: kv}\nmodel: {id: a}", "target.yaml"),
        tree("frontend: {replicas: 2}", "overlay.yaml"),
    ]
    own = [tree("target: a\nmodel:\n  id: mine", "mine.yaml")]
    places = ChartPlaces([], own, tree("frontend: {env: 1}", "defaults.yaml"), {}, named)
    frontend = paths.FRONTEND
    assert places.locate(paths.DOWNLOADS / "model", Place("")) == Place("mine.yaml", 3, 3)
    assert places.locate(frontend / "replicas", Place("")).file == "overlay.yaml"
    assert places.locate(frontend.entry("flags", "--router-mode"), Place("")).file == "target.yaml"
    assert places.set_by_user("frontend.replicas") is None


def test_without_any_file_of_one_s_own_the_argument_is_to_blame() -> None:
    places = ChartPlaces([SetArgument(SET, "target=a")], [], tree("a: 1", "defaults.yaml"), {})
    assert str(places.start) == "--set target=a"


def only(request: Request) -> Deployment:
    (deployment,) = load(request).deployments
    return deployment


def lines_of(deployment: Deployment) -> set[Place]:
    settings = {setting.place for worker in deployment.workers for setting in worker.engine}
    replicas = {w.replicas.place for w in deployment.workers if w.replicas}
    return settings | replicas | {deployment.release_place}


def test_a_file_that_only_names_a_target_is_that_target_line_by_line(tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text("target: disagg-gb200\n")
    by_name = only(Request(("disagg-gb200",)))
    for request in (Request((str(mine),)), Request(settings=("target=disagg-gb200",))):
        found = only(request)
        assert not found.problems
        assert lines_of(found) == lines_of(by_name)
    assert any(place.file == "values/disagg-gb200.yaml" for place in lines_of(by_name))


def test_what_an_overlay_by_name_sets_is_found_there(tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    overlay = "quant-w4a8-mxfp4-mxfp8"
    mine.write_text(f"target: agg-gb200\noverlays: [{overlay}]\nfrontend: {{replicas: 2}}\n")
    (worker,) = (found := only(Request((str(mine),)))).workers
    assert worker.pod.environment["OVERRIDE_QUANT_ALGO"].place.file == f"values/{overlay}.yaml"
    assert found.frontend is not None
    assert found.frontend.replicas is not None
    assert found.frontend.replicas.place == Place(str(mine), 3, 12)


def test_a_target_that_was_changed_since_points_at_the_chart_s_own() -> None:
    written = folders.values_files()["disagg-gb200"]
    changed = written.read_text().replace("replicas: 1", "replicas: 3")
    with laid_over({written: changed}):
        found = only(Request(settings=("target=disagg-gb200",)))
    assert "charts/gpt-oss/targets/disagg-gb200.yaml" in {p.file for p in lines_of(found)}


def test_a_target_that_there_is_not_is_refused_where_it_is_named(tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text("# mine\ntarget: disagg-gb20\n")
    (problem,) = only(Request((str(mine),))).problems
    assert problem.place == Place(str(mine), 2, 1)
    assert "disagg-gb200" in problem.message
