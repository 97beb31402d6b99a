"""What the forms for Kubernetes promise: manifests, kustomize and values."""

from __future__ import annotations

import json
import re
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from gptoss.rendering import render_as
from gptoss.rendering.writing import write
from gptoss.sources.chart.helm import ChartSource, find_helm, render
from gptoss.sources.request import Request
from gptoss.text import plain_yaml
from gptoss.text.errors import InputError
from tests.chart import hostile
from tests.rendering.forms import BENCHMARK, DYNAMO, ROOT, SERVE, TARGETS, rendered, request

if TYPE_CHECKING:
    from pathlib import Path

# What is a number to one reader of YAML or another.
NUMBERS = ("1E5", "+1e3", "12e03", "0o17", "0b11", "1_000", "1:30", ".5", "5.", "+.inf", "-.5e-3")
EVERY = pytest.mark.parametrize("name", TARGETS)
SOME = pytest.mark.parametrize(
    ("name", "release"),
    [(DYNAMO[0], "1.1.1"), ("disagg-b200", "1.1.1"), ("disagg-b200", "1.5.1"), (SERVE[0], "1.2.1")],
)


@pytest.fixture(scope="session")
def kustomize() -> str:
    """Path of kustomize."""
    script = ROOT / "tools" / "setup" / "go_tools.sh"
    done = subprocess.run([script, "kustomize"], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def built(kustomize: str, folder: Path) -> dict[tuple[str, str], dict[str, Any]]:
    done = subprocess.run([kustomize, "build", folder], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return objects(done.stdout)


def objects(text: str) -> dict[tuple[str, str], dict[str, Any]]:
    loaded = [found for found in plain_yaml.load_all(text) if found]
    return {(found["kind"], found["metadata"]["name"]): found for found in loaded}


def is_hook(found: dict[str, Any]) -> bool:
    return "helm.sh/hook" in found["metadata"].get("annotations", {})


@EVERY
def test_manifests_are_what_helm_would_apply(name: str) -> None:
    source = ChartSource(name, (ROOT / "values" / f"{name}.yaml",), with_benchmark=False)
    helm = objects(render(source, find_helm()).output)
    tests = [key for key, found in helm.items() if is_hook(found)]
    assert tests
    expected = {key: found for key, found in helm.items() if key not in tests}
    assert objects(rendered("manifests", name).files["manifests.yaml"]) == expected


@SOME
def test_kustomize_builds_the_objects_that_helm_would_apply(
    name: str, release: str, kustomize: str, tmp_path: Path
) -> None:
    write(rendered("kustomize", name, *BENCHMARK, release=release), tmp_path)
    manifests = rendered("manifests", name, *BENCHMARK, release=release)
    expected = objects(manifests.files["manifests.yaml"])
    assert built(kustomize, tmp_path / "base") == expected
    assert built(kustomize, tmp_path / "overlays" / name) == expected


@SOME
def test_every_object_of_the_base_has_a_file(name: str, release: str) -> None:
    files = rendered("kustomize", name, release=release).files
    listed = plain_yaml.load(files["base/kustomization.yaml"])["resources"]
    for file in listed:
        (found,) = objects(files[f"base/{file}"]).values()
        assert file == f"{found['kind'].lower()}-{found['metadata']['name']}.yaml"
    beside = {"kustomization.yaml", "names.yaml"}
    assert {f[5:] for f in files if f.startswith("base/")} - beside == set(listed)


@SOME
def test_an_overlay_that_renames_renames_what_others_name(
    name: str, release: str, kustomize: str, tmp_path: Path
) -> None:
    write(rendered("kustomize", name, release=release), tmp_path)
    overlay = tmp_path / "overlays" / "mine"
    overlay.mkdir()
    content = {"resources": ["../../base"], "namespace": "mine", "namePrefix": "mine-"}
    (overlay / "kustomization.yaml").write_text(yaml.safe_dump(content))
    found = built(kustomize, overlay)
    assert {key[1].startswith("mine-") for key in found} == {True}
    assert {o["metadata"]["namespace"] for o in found.values()} == {"mine"}
    named = set(_named(list(found.values())))
    given = {name for kind, name in found if kind in ("ConfigMap", "PersistentVolumeClaim")}
    assert named == given


def _named(value: Any) -> list[str]:
    """Names of ConfigMaps and claims that volumes name."""
    if isinstance(value, list):
        return [name for item in value for name in _named(item)]
    if not isinstance(value, dict):
        return []
    found = [value["configMap"]["name"]] if "configMap" in value else []
    claim = value.get("persistentVolumeClaim")
    found += [claim["claimName"]] if isinstance(claim, dict) else []
    return found + [name for item in value.values() for name in _named(item)]


@SOME
def test_the_overlays_patch_sets_replicas(
    name: str, release: str, kustomize: str, tmp_path: Path
) -> None:
    write(rendered("kustomize", name, release=release), tmp_path)
    patch = tmp_path / "overlays" / name / "replicas.yaml"
    patch.write_text(re.sub(r"value: \d+", "value: 3", patch.read_text()))
    graph = next(
        found
        for (kind, _), found in built(kustomize, tmp_path / "overlays" / name).items()
        if kind in ("DynamoGraphDeployment", "Deployment")
    )
    spec = graph["spec"]
    components = spec.get("components") or list(spec.get("services", {}).values()) or [spec]
    assert {component["replicas"] for component in components} == {3}


@EVERY
def test_values_are_complete(name: str) -> None:
    values = plain_yaml.load(rendered("values", name).files["values.yaml"])
    defaults = plain_yaml.load((ROOT / "charts" / "gpt-oss" / "defaults.yaml").read_text())
    derived = {"overlays"}
    whole = {key for key, value in defaults.items() if value is not None} - derived
    assert set(values) >= whole
    for worker in values["workers"].values():
        assert {"replicas", "env", "resources", "terminationGracePeriodSeconds"} <= set(worker)


def test_every_text_of_the_values_is_itself_in_every_form_that_helm_or_kustomize_reads(
    kustomize: str, tmp_path: Path
) -> None:
    env = {f"NOTE_{n}": text for n, text in enumerate((*hostile.TEXTS, *NUMBERS))}
    given = {"workers": {"worker": {"extraArgs": list(env.values()), "env": env}}}
    laid = tmp_path / "laid.yaml"
    laid.write_text(json.dumps(given, ensure_ascii=False), encoding="utf-8")
    asked = request("agg-gb200", "description=a\nb: {{ c", files=(str(laid),))
    manifests = render_as("manifests", asked).files["manifests.yaml"]
    write(render_as("kustomize", asked), tmp_path / "kustomize")
    expected = objects(manifests)
    assert built(kustomize, tmp_path / "kustomize" / "base") == expected
    graph = expected["DynamoGraphDeployment", "gpt-oss"]["spec"]["services"]["worker"]
    container = graph["extraPodSpec"]["mainContainer"]
    # Kubernetes makes one dollar sign of two before a parenthesis.
    found = {each["name"]: each.get("value") for each in container["env"] if each["name"] in env}
    assert found == env
    values = render_as("values", asked).files["values.yaml"]
    (tmp_path / "values.yaml").write_text(values, encoding="utf-8")
    again = render_as("manifests", Request((str(tmp_path / "values.yaml"),)))
    assert objects(again.files["manifests.yaml"]) == expected


def test_values_tell_what_is_derived() -> None:
    text = rendered("values", "disagg-b200").files["values.yaml"]
    assert "# 1,280 requests in flight, 12,800 in all." in text
    assert "# 5 GPUs in all." in text
    assert "# 4 GPUs: tensor_parallel_size 4 × pipeline_parallel_size 1." in text


def test_values_keep_the_users_own_choice_of_a_benchmark() -> None:
    for settings, expected in (((), False), (BENCHMARK, True)):
        text = rendered("values", "disagg-b200", *settings).files["values.yaml"]
        assert plain_yaml.load(text)["benchmark"]["enabled"] is expected


@pytest.mark.parametrize("form", ["manifests", "kustomize", "compose", "values"])
def test_what_the_chart_refuses_is_refused_at_the_line_to_edit(form: str) -> None:
    with pytest.raises(InputError, match=r"^--set frontend\.routerMode=nearest: .*least-loaded"):
        render_as(form, request("disagg-b200", "frontend.routerMode=nearest"))


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (Request(("examples/as-found/deploy.yaml",)), "is no target"),
        (Request(("disagg-b200", "agg-gb200")), "one target"),
        (Request(), "one target"),
        (Request(("disag-b200",)), "did you mean"),
    ],
)
def test_only_one_target_can_be_rendered(asked: Request, message: str) -> None:
    with pytest.raises(InputError, match=message):
        render_as("compose", asked)


def test_a_part_is_for_the_shell_form() -> None:
    with pytest.raises(InputError, match="--part is for --as shell"):
        render_as("compose", request("disagg-b200"), "decode")


def test_other_objects_have_no_part_in_what_kustomize_is_told(tmp_path: Path) -> None:
    graph = {"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment"}
    hostile_name = "x}\n---\nkind: Secret\n# "
    extra: list[dict[str, Any]] = [
        {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"replicas": 9}},
        {**graph, "spec": {"services": {hostile_name: {"replicas": 2}}}},
        {**graph, "spec": {"services": [1], "components": {"a": 1}}},
    ]
    for number, each in enumerate(extra):
        each["metadata"] = {"name": f"other-{number}"}
    laid = tmp_path / "laid.yaml"
    laid.write_text(yaml.safe_dump({"extraObjects": extra}), encoding="utf-8")
    asked = request("agg-gb200", files=(str(laid),))
    plain, found = render_as("kustomize", request("agg-gb200")), render_as("kustomize", asked)
    for name in ("base/names.yaml", "overlays/agg-gb200/replicas.yaml"):
        assert found.files[name] == plain.files[name]
    patched = plain_yaml.load(found.files["overlays/agg-gb200/kustomization.yaml"])["patches"]
    assert patched[0]["target"] == {"kind": "DynamoGraphDeployment", "name": "gpt-oss"}


def test_a_target_that_is_called_like_a_folder_above_has_a_folder_of_its_own(
    tmp_path: Path,
) -> None:
    for name in (".", ".."):
        values = tmp_path / f"{name}.yaml"
        values.write_bytes((ROOT / "values" / "agg-gb200.yaml").read_bytes())
        files = render_as("kustomize", Request((str(values),))).files
        assert "overlays/target/kustomization.yaml" in files


def test_whatever_other_objects_are_called_their_files_stay_in_the_folder(tmp_path: Path) -> None:
    names = ("../../../outside", "a/b", "same", "same")
    objects = [{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}} for name in names]
    laid = tmp_path / "laid.yaml"
    laid.write_text(yaml.safe_dump({"extraObjects": objects}))
    found = render_as("kustomize", request("agg-gb200", files=(str(laid),)))
    secrets = [name for name in found.files if "secret" in name]
    assert len(secrets) == len(names)
    assert all(re.fullmatch(r"base/secret-[a-z0-9.-]+\.yaml", name) for name in secrets)
    assert not (tmp_path / "outside").exists()
