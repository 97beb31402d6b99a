"""What is in the package, for people who have nothing else."""

from __future__ import annotations

import io
import re
import tarfile
from functools import cache
from typing import Any

import pytest
import yaml
from kubernetes_validate import validate

import gptoss
from gptoss.facts.world import Facts
from tests.chart.rendering import CHART, SHIPPED, objects, pods, run

# Kinds whose definitions Kubernetes does not have.
CUSTOM = ("DynamoGraphDeployment", "PodMonitor")
JOBS = ("benchmark.enabled=true", "accuracy.enabled=true", "accuracy.image=r.example.com/evals:1")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Text of every file of the package, by its path in the chart."""
    folder = tmp_path_factory.mktemp("package")
    done = run("helm4", "package", str(CHART), "--destination", str(folder))
    assert done.returncode == 0, done.stderr
    (made,) = folder.iterdir()
    with tarfile.open(fileobj=io.BytesIO(made.read_bytes())) as archive:
        members = archive.getmembers()
        assert all(member.isfile() for member in members)
        read = {m.name.partition("/")[2]: archive.extractfile(m) for m in members}
        return {name: file.read().decode() for name, file in read.items() if file}


@cache
def chart_yaml() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((CHART / "Chart.yaml").read_text("utf-8"))
    return loaded


def test_the_package_has_what_renders_and_explains_and_nothing_else(
    package: dict[str, str],
) -> None:
    wanted = {"Chart.yaml", "README.md", "defaults.yaml", "values.yaml", "values.schema.json"}
    for pattern in ("engine_configs/*/*.yaml", "files/*.*", "overlays/*.yaml", "targets/*.yaml"):
        wanted |= {str(path.relative_to(CHART)) for path in CHART.glob(pattern)}
    assert wanted <= set(package)
    assert {f"targets/{name}.yaml" for name in SHIPPED} <= wanted
    assert not [name for name in package if name.startswith(("ci/", "schema/")) or ".pyc" in name]


def test_nothing_in_the_chart_is_a_link() -> None:
    assert not [path for path in CHART.rglob("*") if path.is_symlink()]


def test_what_the_package_says_by_itself_names_every_target_in_it(package: dict[str, str]) -> None:
    refused = run("helm4", "template", "gpt-oss", str(CHART)).stderr
    for name in SHIPPED:
        assert f"--set target={name} " in refused
        assert re.search(rf"\b{name}\b", package["values.yaml"])
        assert re.search(rf"\b{name}\b", package["README.md"])


def test_the_notes_name_nothing_that_is_not_in_the_package() -> None:
    notes = (CHART / "templates" / "NOTES.txt").read_text("utf-8")
    assert not re.findall(r"\b(?:docs|values|charts)/\S+", notes)


def test_chart_yaml_says_what_a_catalogue_shows() -> None:
    chart = chart_yaml()
    assert chart["version"] == gptoss.__version__
    release = Facts().default_release
    assert chart["appVersion"] == release.version
    images = yaml.safe_load(chart["annotations"]["artifacthub.io/images"])
    found = {entry["image"] for entry in images}
    rendered = {c["image"] for pod in pods(objects("agg-gb200")).values() for c in containers(pod)}
    served = {c["image"] for pod in pods(objects("serve-h100-2")).values() for c in containers(pod)}
    assert found == rendered | served
    assert chart["annotations"]["artifacthub.io/license"] == "Apache-2.0"
    assert chart["icon"].startswith("data:image/svg+xml;base64,")


def containers(pod: dict[str, Any]) -> list[dict[str, Any]]:
    spec = pod["spec"]
    return [*spec["containers"], *spec.get("initContainers", [])]


@pytest.mark.parametrize("target", ["disagg-gb200", "serve-h100-2"])
def test_the_oldest_kubernetes_that_the_chart_takes_knows_every_field(target: str) -> None:
    oldest = chart_yaml()["kubeVersion"].removeprefix(">=").removesuffix(".0-0")
    found = objects(target, *JOBS)
    for item in [*found, *pods(found).values()]:
        if item["kind"] not in CUSTOM:
            validate(item, oldest, strict=True)
