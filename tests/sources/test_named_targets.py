"""Values that choose a target and overlays inside the chart lead to the lines of those."""

import pytest

from gptoss.deployment import paths
from gptoss.sources.chart.lines import ChartPlaces
from gptoss.sources.chart.package_values import chosen
from gptoss.sources.chart.set_arguments import SET, SET_JSON, SET_STRING, SetArgument
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
