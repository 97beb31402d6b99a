"""Applications of Argo CD and HelmReleases of Flux are read as what they install of the chart."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from click.testing import CliRunner, Result

from gptoss.cli import main
from gptoss.comparing.compare import compare
from gptoss.sources.load import load
from gptoss.sources.request import Request, plan_of
from gptoss.text import budget
from gptoss.text.budget import Kind
from gptoss.text.errors import InputError
from tests.chart.rendering import ROOT
from tests.rules.gitops_base import application, helm_release
from tests.rules.patches import merge

if TYPE_CHECKING:
    from gptoss.deployment.model import Deployment

ENGINE = "workers: {worker: {engine: {max_batch_size: %s}}}\n"
TARGET = "values/agg-gb200.yaml"


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with one target, as of a repository that Argo CD or Flux follows."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "values").mkdir()
    (tmp_path / TARGET).write_bytes((ROOT / TARGET).read_bytes())
    (tmp_path / "values" / "lab.yaml").write_text(ENGINE % 3)
    monkeypatch.chdir(tmp_path)
    return tmp_path


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as people do."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar(
        "tag:yaml.org,2002:str", text, style="|" if "\n" in text else None
    )


_Dumper.add_representer(str, _text)


def written(content: dict[str, Any], *more: dict[str, Any], name: str = "app.yaml") -> str:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(yaml.dump_all([content, *more], Dumper=_Dumper, sort_keys=False))
    return name


def of_argo_cd(helm: dict[str, Any], **source: Any) -> dict[str, Any]:
    """An Application whose Helm part is as given."""
    content = application()
    del content["spec"]["source"]["helm"]
    merge(content, {"spec": {"source": {**source, "helm": helm}}})
    return content


def of_flux(spec: dict[str, Any]) -> dict[str, Any]:
    content = helm_release()
    merge(content, {"spec": spec})
    return content


def read(*sources: str, **more: Any) -> Deployment:
    (found,) = load(Request(sources, **more)).deployments
    return found


def batch(found: Deployment) -> tuple[Any, str]:
    """The worker's batch size, and where it is set."""
    (worker,) = found.workers
    setting = worker.engine["max_batch_size"]
    return setting.value, str(setting.place)


def line_of(name: str, word: str) -> str:
    lines = Path(name).read_text().splitlines()
    (at,) = [n for n, line in enumerate(lines, 1) if word in line]
    return f"{name}:{at}"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["check", *arguments])


@pytest.mark.parametrize("content", [application(), helm_release()], ids=["Argo CD", "Flux"])
def test_a_release_without_more_is_the_target_that_it_names(content: dict[str, Any]) -> None:
    assert compare(read(written(content)), read("agg-gb200")) == []


@pytest.mark.parametrize("key", ["values", "valuesObject"])
def test_a_mistake_in_an_application_is_found_at_its_line(key: str) -> None:
    values: Any = {"target": "agg-gb200", "workers": {"worker": {"engine": {"max_batchsize": 3}}}}
    text = yaml.safe_dump(values) if key == "values" else values
    name = "app.yaml"
    written(of_argo_cd({key: text}))
    found = run(name)
    assert found.exit_code == 1
    assert f"{line_of(name, 'max_batchsize')}:" in found.output
    assert "did you mean max_batch_size?" in found.output


def test_of_argo_cd_values_go_over_files_and_parameters_over_values() -> None:
    files = ["../../" + TARGET, "/values/lab.yaml"]
    path = {"chart": None, "path": "charts/gpt-oss"}
    name = written(of_argo_cd({"valueFiles": files}, **path))
    assert batch(read(name)) == (3, "values/lab.yaml:1:29")
    name = written(of_argo_cd({"valueFiles": files, "values": ENGINE % 4}, **path))
    assert batch(read(name))[0] == 4
    parameters = [{"name": "workers.worker.engine.max_batch_size", "value": "5"}]
    helm = {"valueFiles": files, "values": ENGINE % 4, "parameters": parameters}
    name = written(of_argo_cd(helm, **path))
    value, place = batch(read(name))
    assert value == 5
    assert place.startswith(line_of(name, "value: '5'"))
    assert batch(read(name, settings=("workers.worker.engine.max_batch_size=6",)))[0] == 6


def test_values_of_another_source_begin_at_the_top_of_the_repository() -> None:
    content = application()
    chart = {**content["spec"].pop("source"), "helm": {"valueFiles": [f"$mine/{TARGET}"]}}
    content["spec"]["sources"] = [{"repoURL": "https://x/y.git", "ref": "mine"}, chart]
    name = written(content, name="apps/serving/app.yaml")
    assert compare(read(name), read("agg-gb200")) == []


def test_of_flux_values_go_over_what_is_taken_from_elsewhere_in_its_order() -> None:
    first = {"target": "agg-gb200", "workers": {"worker": {"engine": {"max_batch_size": 3}}}}
    maps = [config_map("first", yaml.safe_dump(first)), config_map("second", ENGINE % 4)]
    listed = [{"kind": "ConfigMap", "name": name} for name in ("first", "second")]
    taken = {"values": None, "valuesFrom": listed}
    assert batch(read(written(of_flux(taken), *maps)))[0] == 4
    own = {"workers": {"worker": {"engine": {"max_batch_size": 5}}}}
    assert batch(read(written(of_flux({**taken, "values": own}), *maps)))[0] == 5
    single = {"kind": "ConfigMap", "name": "third", "valuesKey": "size"}
    single["targetPath"] = "workers.worker.engine.max_batch_size"
    third = config_map("third", "6", "size")
    taken["valuesFrom"] = [*listed, single]
    assert batch(read(written(of_flux(taken), *maps, third)))[0] == 6


def config_map(name: str, text: str, key: str = "values.yaml") -> dict[str, Any]:
    metadata = {"name": name}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {key: text}}


def test_of_flux_values_come_from_the_file_that_kustomize_makes_a_config_map_of() -> None:
    listed = [{"kind": "ConfigMap", "name": "mine"}]
    generator = {"name": "mine", "files": ["values.yaml=../values/lab.yaml"]}
    written(of_flux({"valuesFrom": listed}), name="serving/release.yaml")
    written({"configMapGenerator": [generator]}, name="serving/kustomization.yaml")
    assert batch(read("serving")) == (3, "values/lab.yaml:1:29")


def test_of_flux_values_files_of_a_repository_begin_at_its_top() -> None:
    chart = {"chart": "charts/gpt-oss", "valuesFiles": [TARGET, "values/lab.yaml"]}
    content = of_flux({"values": None, "chart": {"spec": chart}})
    assert batch(read(written(content)))[0] == 3


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (of_argo_cd({"releaseName": "chat", "valuesObject": {"target": "agg-gb200"}}), "chat"),
        (of_argo_cd({"valuesObject": {"target": "agg-gb200"}}), "gpt-oss"),
        (of_flux({"releaseName": "chat"}), "chat"),
        (of_flux({"targetNamespace": "lab"}), "lab-gpt-oss"),
    ],
)
def test_it_is_rendered_under_the_name_that_it_will_have(
    content: dict[str, Any], name: str
) -> None:
    asked = Request((written(content),))
    assert [chart.name for chart in plan_of(asked).charts] == [name]
    (other,) = plan_of(replace(asked, name="other")).charts
    assert other.name == "other"


def test_a_folder_gives_every_release_of_the_chart_and_leaves_the_rest() -> None:
    other = {**application(), "spec": {"source": {"chart": "redis"}}}
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "serving"}}
    written(application(), other, space, name="apps/app.yaml")
    written(of_flux({"releaseName": "chat"}), name="apps/release.yaml")
    found = json.loads(run("apps", "--format", "json").output)
    assert found["checked"] == ["apps (gpt-oss)", "apps (chat)"]


def test_values_that_are_nowhere_are_an_error_with_their_place() -> None:
    name = written(of_argo_cd({"valueFiles": ["$values/serving.yaml"]}))
    found = run(name)
    assert found.exit_code == 2
    assert f"{line_of(name, 'serving.yaml')}:" in found.output
    assert "there is no values file $values/serving.yaml" in found.output
    helm = {"valueFiles": ["none.yaml", f"/{TARGET}"], "ignoreMissingValueFiles": True}
    content = of_argo_cd(helm, chart=None, path="charts/gpt-oss")
    assert batch(read(written(content, name="b.yaml")))[0]


@pytest.mark.parametrize("path", ["../../etc/passwd", ".git/config"])
def test_no_file_outside_the_repository_and_no_hidden_one_is_read(path: str) -> None:
    Path(".git/config").write_text("a: 1\n")
    name = written(of_argo_cd({"valueFiles": [f"$values/{path}"]}))
    found = run(name)
    assert found.exit_code == 2
    assert Path(".git/config").is_file()


@pytest.mark.parametrize("name", ["--post-renderer=x", "Chat", "{{ .name }}", "a" * 54])
def test_a_name_that_helm_does_not_take_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="is no name of a Helm release"):
        read(written(of_flux({"releaseName": name})))


@pytest.mark.parametrize(
    "content",
    [
        of_argo_cd({"fileParameters": [{"name": "a", "path": "b"}]}),
        of_argo_cd({"valueFiles": ["https://example.com/values.yaml"]}),
        of_flux({"valuesFrom": [{"kind": "ConfigMap", "name": "elsewhere"}]}),
        of_flux({"postRenderers": [{"kustomize": {}}]}),
    ],
)
def test_what_is_not_read_is_told(content: dict[str, Any]) -> None:
    (chart,) = plan_of(Request((written(content),))).charts
    assert [problem.kind for problem in chart.problems] == ["values-not-read"]


def test_an_application_set_is_told_to_give_its_values_files() -> None:
    found = run(written({**application(), "kind": "ApplicationSet"}))
    assert found.exit_code == 2
    assert "app.yaml:1:1: an ApplicationSet makes its Applications in the cluster" in found.output


def test_values_files_cannot_be_laid_over_a_release() -> None:
    written(application())
    found = run("app.yaml", "-f", "values/lab.yaml")
    assert found.exit_code == 2
    assert "-f is for targets; write the values into it" in found.output


def test_another_release_of_dynamo_is_tried_over_parameters_too() -> None:
    parameters = [{"name": "runtime.release", "value": "1.2.1", "forceString": True}]
    helm = {"valuesObject": {"target": "agg-gb200"}, "parameters": parameters}
    written(of_argo_cd(helm))
    found = read("app.yaml", release="1.5.1")
    assert found.release
    assert found.release.version == "1.5.1"


def test_releases_are_counted_before_they_are_rendered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Kind.RENDERINGS, "limit", 2)
    one = of_argo_cd({"valuesObject": {}})
    with budget.run(), pytest.raises(InputError, match="more than 2 renderings of the chart"):
        plan_of(Request((written(one, one, one),)))


def test_values_files_of_a_folder_are_counted_and_those_that_are_named_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Kind.RENDERINGS, "limit", 1)
    with budget.run(), pytest.raises(InputError, match="more than 1 renderings of the chart"):
        plan_of(Request(("values",)))
    with budget.run():
        assert len(plan_of(Request((TARGET, TARGET, TARGET))).charts) == 3


def test_objects_that_are_looked_for_again_and_again_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Kind.PAIRS, "limit", 8)
    one = {
        "apiVersion": "helm.toolkit.fluxcd.io/v2",
        "kind": "HelmRelease",
        "metadata": {"name": "a"},
        "spec": {"chartRef": {"kind": "OCIRepository", "name": "b"}},
    }
    with budget.run(), pytest.raises(InputError, match="more than 8 pairs"):
        plan_of(Request((written(one, one, one),)))
