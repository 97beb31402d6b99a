"""Names of files in values lead nowhere else, whatever they are: nothing outside is opened."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from gptoss.cli import main
from tests.rules.gitops_base import application, helm_release

UP = "../" * 20
BROKEN = "a: [777123: }\n"
LONG = "a" * 5000


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository that is the current folder, with a link that leads to itself."""
    checkout = tmp_path / "checkout"
    (checkout / ".git").mkdir(parents=True)
    (checkout / "loop.yaml").symlink_to("loop.yaml")
    (tmp_path / "outside.yaml").write_text(BROKEN)
    monkeypatch.chdir(checkout)
    return checkout


def checked(content: object) -> Result:
    Path("deploy.yaml").write_text(yaml.safe_dump(content))
    return CliRunner().invoke(main, ["check", "deploy.yaml"])


@pytest.mark.parametrize("key", ["target", "overlays", "engineConfig"])
@pytest.mark.parametrize("name", ["outside", "absolute", LONG, "a\0b"])
def test_the_chart_has_no_file_of_another_folder(key: str, name: str, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    name = {"outside": f"{UP}{outside}", "absolute": str(outside)}.get(name, name)
    values: dict[str, object] = {"target": name}
    if key == "overlays":
        values = {"target": "agg-gb200", "overlays": [name]}
    if key == "engineConfig":
        values = {"workers": {"a": {"engineConfig": f"{name}.yaml"}}}
    result = checked(values)
    assert (result.exit_code, result.stderr) == (1, ""), result.output
    assert "[V001]" in result.stdout or "[V002]" in result.stdout


@pytest.mark.parametrize("missing", [True, False])
@pytest.mark.parametrize("name", ["/loop.yaml", LONG])
def test_a_name_that_no_values_file_can_have_is_one_that_is_not_there(
    name: str, missing: bool
) -> None:
    flux = helm_release()
    flux["spec"]["chart"]["spec"] |= {"valuesFiles": [name], "ignoreMissingValuesFiles": missing}
    argo = application()
    argo["spec"]["source"]["helm"] |= {"valueFiles": [name], "ignoreMissingValueFiles": missing}
    for content in (flux, argo):
        result = checked(content)
        said = "there is no values file" in result.stderr
        assert (result.exit_code == 2, said) == (not missing, not missing), result.output
