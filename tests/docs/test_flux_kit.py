"""What flux/ promises of every release in it."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from gptoss.text import plain_yaml
from tests.chart.rendering import ROOT

FOLDER = ROOT / "flux"
README = ROOT / "charts" / "gpt-oss" / "README.md"
SETTINGS = ("timeout", "releaseName", "install", "upgrade", "driftDetection")


def objects_of(text: str) -> dict[str, Any]:
    return {item["kind"]: item for item in plain_yaml.load_all(text) if item and "kind" in item}


KIT = {
    str(path.relative_to(FOLDER)): found
    for path in sorted(FOLDER.rglob("*.yaml"))
    if "HelmRelease" in (found := objects_of(path.read_text(encoding="utf-8")))
}


@pytest.mark.parametrize("name", KIT)
def test_a_release_has_time_to_load_and_is_never_uninstalled(name: str) -> None:
    spec = KIT[name]["HelmRelease"]["spec"]
    assert spec["timeout"] == "2h"
    for action in ("install", "upgrade"):
        assert spec[action] == {"strategy": {"name": "RetryOnFailure", "retryInterval": "15m"}}


@pytest.mark.parametrize("name", KIT)
def test_a_release_names_the_source_and_the_account_beside_it(name: str) -> None:
    found = KIT[name]
    spec = found["HelmRelease"]["spec"]
    source = spec.get("chartRef") or spec["chart"]["spec"]["sourceRef"]
    assert found[source["kind"]]["metadata"] == found["HelmRelease"]["metadata"]
    assert source["name"] == found[source["kind"]]["metadata"]["name"]
    account = objects_of((FOLDER / "account.yaml").read_text(encoding="utf-8"))["ServiceAccount"]
    assert spec["serviceAccountName"] == account["metadata"]["name"]


def test_the_chart_s_readme_gives_the_same_release() -> None:
    text = README.read_text(encoding="utf-8").partition("\n## Flux\n")[2]
    shown = objects_of(text.partition("```yaml\n")[2].partition("```")[0])
    kit = KIT["release.yaml"]
    assert shown["OCIRepository"] == kit["OCIRepository"]
    for key in SETTINGS:
        assert shown["HelmRelease"]["spec"][key] == kit["HelmRelease"]["spec"][key]


def test_values_in_a_file_come_by_a_name_that_follows_their_content() -> None:
    folder, kustomize = FOLDER / "values-file", ROOT / ".tools" / "bin" / "kustomize"
    done = subprocess.run([kustomize, "build", folder], capture_output=True, text=True, check=True)
    found = objects_of(done.stdout)
    (values,) = found["HelmRelease"]["spec"]["valuesFrom"]
    assert values["name"] == found["ConfigMap"]["metadata"]["name"] != "gpt-oss-values"
    assert found["ConfigMap"]["data"]["values.yaml"] == (folder / "values.yaml").read_text("utf-8")
