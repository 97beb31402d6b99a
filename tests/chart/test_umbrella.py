"""The chart as a dependency of another one, under both Helms."""

from __future__ import annotations

import re
import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml

from gptoss.text import plain_yaml
from tests.chart.rendering import CHART, HELMS, one, pods, run

LABEL = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
# Each in a form of its own: a server alone, and a graph whose engine turns something off.
FAST = {"target": "serve-latency-b200"}
BULK = {
    "target": "disagg-gb200",
    "overlays": ["quant-w4a8-mxfp4-mxfp8"],
    "workers": {"decode": {"engine": {"cuda_graph_config": "off"}}},
    "prefetch": {"releases": ["1.6.1"]},
    "benchmark": {"enabled": True},
    "accuracy": {"enabled": True, "image": "registry.example.com/evals:0.0.9"},
}
GLOBAL = {
    "imageRegistry": "mirror.example.com/nvidia",
    "imagePullSecrets": ["one", {"name": "two"}],
    "labels": {"team": "serving"},
    "priorityClassName": "important",
    "runtimeClassName": "nvidia",
    "domain": "of the parent's other charts",
}
VERSION = "0.1.0+c93f6a2"


def parent(
    folder: Path, dependencies: list[dict[str, str]], values: dict[str, Any], version: str = "0.1.0"
) -> Path:
    """A chart whose only content is this one, unpacked and without .helmignore."""
    chart = folder / "parent"
    shutil.copytree(CHART, chart / "charts" / "gpt-oss")
    (chart / "charts" / "gpt-oss" / ".helmignore").unlink()
    own = chart / "charts" / "gpt-oss" / "Chart.yaml"
    text = own.read_text("utf-8")
    own.write_text(
        re.sub(r"^version: .*", f"version: {version}", text, flags=re.MULTILINE), "utf-8"
    )
    entries = [{"name": "gpt-oss", "version": "*", "repository": "", **d} for d in dependencies]
    about = {"apiVersion": "v2", "name": "parent", "version": "1.0.0", "dependencies": entries}
    (chart / "Chart.yaml").write_text(yaml.safe_dump(about), "utf-8")
    (chart / "values.yaml").write_text(yaml.safe_dump(values), "utf-8")
    return chart


def render(helm: str, chart: Path, *settings: str, name: str = "prod") -> list[dict[str, Any]]:
    done = run(helm, "template", name, str(chart), "--namespace", "team", *settings)
    assert done.returncode == 0, done.stderr
    return [document for document in plain_yaml.load_all(done.stdout) if document]


@cache
def two_aliases(helm: str) -> list[dict[str, Any]]:
    """Two targets in one release, with everything that a parent can say to both."""
    with TemporaryDirectory() as folder:
        dependencies = [{"alias": "fast"}, {"alias": "bulk"}]
        values = {"fast": FAST, "bulk": BULK, "global": GLOBAL}
        return render(helm, parent(Path(folder), dependencies, values, VERSION))


def part(helm: str, alias: str) -> list[dict[str, Any]]:
    """The objects of one of the two aliases."""
    return of_alias(two_aliases(helm), alias)


def of_alias(found: list[dict[str, Any]], alias: str) -> list[dict[str, Any]]:
    return [o for o in found if f"{o['metadata']['name']}-".startswith(f"prod-{alias}-")]


@pytest.mark.parametrize("helm", HELMS)
def test_a_condition_of_the_parent_turns_the_chart_on_and_off(helm: str, tmp_path: Path) -> None:
    values = {"gpt-oss": {**FAST, "enabled": False}}
    chart = parent(tmp_path, [{"condition": "gpt-oss.enabled"}], values)
    assert render(helm, chart) == []
    found = render(helm, chart, "--set", "gpt-oss.enabled=true")
    assert one("Deployment", found)["metadata"]["name"] == "prod-gpt-oss-server"


@pytest.mark.parametrize(
    ("override", "name", "app"),
    [
        ("fullnameOverride=chat", "chat-server", "gpt-oss"),
        ("nameOverride=chat", "prod-chat-server", "chat"),
    ],
)
def test_names_are_those_that_the_parent_gives(
    override: str, name: str, app: str, tmp_path: Path
) -> None:
    found = render("helm4", parent(tmp_path, [{}], {"gpt-oss": FAST}), f"--set=gpt-oss.{override}")
    server = one("Deployment", found)
    assert server["metadata"]["name"] == name
    assert one("Service", found)["metadata"]["name"] == name
    wanted = server["spec"]["selector"]["matchLabels"]
    assert wanted["app.kubernetes.io/name"] == app
    assert wanted.items() <= server["spec"]["template"]["metadata"]["labels"].items()
    # The tests ask the server by that name.
    assert f"http://{name}:8000" in yaml.safe_dump(one("Pod", found))


def test_two_aliases_with_everything_on_do_not_meet(tmp_path: Path) -> None:
    files = {"fast": "everything-serve", "bulk": "everything"}
    values = {
        alias: plain_yaml.load((CHART / "ci" / f"{name}-values.yaml").read_text("utf-8"))
        for alias, name in files.items()
    }
    found = render("helm4", parent(tmp_path, [{"alias": alias} for alias in files], values))
    names = [(item["kind"], item["metadata"]["name"]) for item in found]
    assert len(names) == len(set(names))
    fast, bulk = (of_alias(found, alias) for alias in files)
    others = [item["metadata"]["name"] for item in found if item not in [*fast, *bulk]]
    assert others == [values["bulk"]["serviceAccount"]["name"]]
    # Nor does a selector of one take pods of the other.
    for own, other in ((fast, bulk), (bulk, fast)):
        labels = [pod["metadata"]["labels"] for pod in pods(other).values()]
        for kind, wanted in selectors(own):
            assert not [found for found in labels if wanted.items() <= found.items()], kind


def selectors(found: list[dict[str, Any]]) -> list[tuple[str, dict[str, str]]]:
    """Labels by which objects select pods, with their kinds."""
    by_kind = [
        (o["kind"], o.get("spec", {})) for o in found if o["kind"] != "PersistentVolumeClaim"
    ]
    said = [
        (kind, spec[key])
        for kind, spec in by_kind
        for key in ("selector", "podSelector")
        if key in spec
    ]
    return [(kind, selector.get("matchLabels", selector)) for kind, selector in said]


@pytest.mark.parametrize("helm", HELMS)
def test_every_global_value_reaches_every_object_and_pod(helm: str) -> None:
    assert all(o["metadata"]["labels"]["team"] == "serving" for o in two_aliases(helm))
    found = [*pods(part(helm, "fast")).values(), *pods(part(helm, "bulk")).values()]
    assert len(found) > 8
    for pod in found:
        assert pod["metadata"]["labels"]["team"] == "serving"
        spec = pod["spec"]
        assert spec["imagePullSecrets"] == [{"name": "one"}, {"name": "two"}]
        assert spec["priorityClassName"] == "important"
        assert spec["runtimeClassName"] == "nvidia"
        for container in [*spec["containers"], *spec.get("initContainers", [])]:
            # What the values name is taken as it stands.
            assert container["image"].startswith(
                ("mirror.example.com/nvidia/", "registry.example.com/evals")
            )


@pytest.mark.parametrize("helm", HELMS)
def test_a_version_with_build_metadata_gives_labels_that_kubernetes_takes(helm: str) -> None:
    for item in two_aliases(helm):
        labels = item["metadata"]["labels"]
        assert labels["helm.sh/chart"].endswith("-0.1.0_c93f6a2")
        assert all(LABEL.fullmatch(value) for value in labels.values())


@pytest.mark.parametrize("helm", HELMS)
def test_off_in_a_parent_s_values_turns_an_engine_setting_off(helm: str) -> None:
    engines = {
        item["metadata"]["name"]: plain_yaml.load(text)
        for item in two_aliases(helm)
        if item["kind"] == "ConfigMap" and "-engine" in item["metadata"]["name"]
        for text in item["data"].values()
    }
    (decode,) = [engine for name, engine in engines.items() if "-decode-" in name]
    assert decode["cuda_graph_config"] is None
    (prefill,) = [engine for name, engine in engines.items() if "-prefill-" in name]
    assert prefill.get("cuda_graph_config", {}) is not None


def test_both_helms_make_the_same_of_a_parent_chart() -> None:
    assert two_aliases("helm3") == two_aliases("helm4")


def test_a_package_works_as_it_does_unpacked(tmp_path: Path) -> None:
    chart = parent(tmp_path, [{}], {"gpt-oss": FAST})
    unpacked = render("helm4", chart)
    shutil.rmtree(chart / "charts" / "gpt-oss")
    done = run("helm4", "package", str(CHART), "--destination", str(chart / "charts"))
    assert done.returncode == 0, done.stderr
    assert render("helm4", chart) == unpacked
