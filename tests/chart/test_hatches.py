"""Escape hatches: they add to what the chart makes, or refine it, and never take its place."""

import json
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from gptoss.text import plain_yaml
from tests.chart.rendering import (
    CHART,
    HELMS,
    ROOT,
    components,
    engine_of,
    environment,
    objects,
    one,
    refusal,
    run,
    with_values,
)

DISAGG = "disagg-gb200"
APP = "app.kubernetes.io/"
EXTRA = {
    "extraPodSpec": {
        "initContainers": [
            {"name": "mine", "image": "busybox:1.37.0"},
            {"name": "wait-for-model-cache", "resources": {"limits": {"cpu": 1}}},
        ],
        "volumes": [
            {"name": "mine", "emptyDir": {}},
            {"name": "engine", "hostPath": {"path": "/engine"}},
        ],
        "containers": [
            {"name": "main", "tty": True},
            {"name": "beside", "image": "busybox:1.37.0"},
        ],
    },
    "extraVolumeMounts": [{"name": "mine", "mountPath": "/mine"}],
    "container": {
        "envFrom": [{"secretRef": {"name": "s"}}],
        "env": [{"name": "HF_HOME", "value": "/elsewhere"}, {"name": "NEW", "value": "1"}],
        "ports": [{"name": "debug", "containerPort": 1}],
        "livenessProbe": {"exec": {"command": ["true"]}},
        "securityContext": {"capabilities": {"add": ["IPC_LOCK"]}},
        "resources": {"claims": [{"name": "fabric"}]},
    },
    "component": {"scalingAdapter": {}, "replicas": 3},
}
VALUES: dict[str, Any] = {
    "target": DISAGG,
    "workers": {"decode": EXTRA},
    "graph": {"spec": {"topologyConstraint": {"packDomain": "rack"}, "backendFramework": None}},
}


@cache
def rendered(version: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The graph, and its components in one form."""
    runtime = {"release": "1.4.2", "apiVersion": version}
    found = with_values({**VALUES, "runtime": runtime})
    return one("DynamoGraphDeployment", found), components(found)


VERSIONS = pytest.mark.parametrize("version", ["v1alpha1", "v1beta1"])


def named(entries: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    assert len({entry["name"] for entry in entries}) == len(entries)
    return {entry["name"]: entry for entry in entries}


@VERSIONS
def test_init_containers_volumes_and_sidecars_are_added_and_those_of_one_name_refined(
    version: str,
) -> None:
    spec = rendered(version)[1]["decode"]["spec"]
    waiting = named(spec["initContainers"])
    assert list(waiting) == ["wait-for-model-cache", "mine"]
    assert waiting["wait-for-model-cache"]["resources"]["limits"]["cpu"] == 1
    assert waiting["wait-for-model-cache"]["resources"]["requests"]["memory"]
    volumes = named(spec["volumes"])
    assert {"model-cache", "scripts", "mine"} <= set(volumes)
    assert volumes["engine"] == {"name": "engine", "hostPath": {"path": "/engine"}}
    containers = named(spec["containers"])
    assert list(containers) == ["main", "beside"]
    assert containers["main"]["tty"] is True


@VERSIONS
def test_the_main_container_is_refined_field_by_field(version: str) -> None:
    main = rendered(version)[1]["decode"]["spec"]["containers"][0]
    assert main["envFrom"] == [{"secretRef": {"name": "s"}}]
    variables = environment(main)
    assert (variables["HF_HOME"], variables["NEW"]) == ("/elsewhere", "1")
    assert variables["HF_HUB_OFFLINE"] == "1"
    probe = main["livenessProbe"]
    assert probe["exec"] == {"command": ["true"]}
    assert "httpGet" not in probe
    assert probe["failureThreshold"] == 3
    assert main["securityContext"]["capabilities"] == {"add": ["IPC_LOCK"], "drop": ["ALL"]}
    assert main["resources"]["claims"] == [{"name": "fabric"}]
    assert main["resources"]["limits"]["nvidia.com/gpu"] == "4"
    assert {mount["mountPath"] for mount in main["volumeMounts"]} >= {"/mine", "/opt/models"}


@VERSIONS
def test_only_the_worker_that_is_named_gets_more_rights(version: str) -> None:
    graph, found = rendered(version)
    assert json.dumps(graph).count("IPC_LOCK") == 1
    assert "add" not in found["prefill"]["spec"]["containers"][0]["securityContext"]["capabilities"]


@VERSIONS
def test_fields_of_the_component_and_of_the_graph_s_spec_are_merged(version: str) -> None:
    graph, found = rendered(version)
    spec = graph["spec"]
    entries = spec.get("services") or {entry["name"]: entry for entry in spec["components"]}
    assert entries["decode"]["scalingAdapter"] == {}
    assert found["decode"]["replicas"] == 3
    assert spec["topologyConstraint"] == {"packDomain": "rack"}
    assert "backendFramework" not in spec


def test_further_components_stand_beside_the_chart_s_and_may_not_be_called_as_they_are() -> None:
    graph = one(
        "DynamoGraphDeployment", objects(DISAGG, "components.planner.componentType=planner")
    )
    assert graph["spec"]["services"]["planner"] == {"componentType": "planner"}
    assert set(graph["spec"]["services"]) == {"frontend", "decode", "prefill", "planner"}
    assert "components.decode: the chart makes" in refusal(DISAGG, "components.decode.type=worker")


def test_extra_objects_are_maps_or_text_and_go_through_tpl() -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "{{ .Release.Name }}-b"}}
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '{{ .plan.name }}-a'}"
    found = with_values({"target": DISAGG, "extraObjects": [secret, text]})
    kinds = {o["metadata"]["name"]: o["kind"] for o in found}
    assert (kinds["gpt-oss-a"], kinds["gpt-oss-b"]) == ("ConfigMap", "Secret")


@pytest.mark.parametrize("helm", HELMS)
@pytest.mark.parametrize(
    "path", ["frontend", "benchmark", "modelCache.download.tokenSecret", "workers.decode.container"]
)
def test_null_for_a_map_gets_the_schema_s_message(path: str, helm: str) -> None:
    message = refusal(DISAGG, f"{path}=null", helm=helm)
    assert f"'/{path.replace('.', '/')}': got null, want object" in message


def test_labels_that_the_chart_selects_by_are_refused() -> None:
    label = r"app\.kubernetes\.io/instance=mine"
    assert "workers.decode.podLabels" in refusal(DISAGG, f"workers.decode.podLabels.{label}")
    assert "global.labels" in refusal(DISAGG, f"global.labels.{label}")


def test_off_is_null_to_the_engine() -> None:
    found = objects(DISAGG, "workers.decode.engine.cuda_graph_config=off")
    engine = engine_of(found, "decode")
    assert engine["cuda_graph_config"] is None


def test_an_engine_file_of_the_user_s_own_is_mounted_from_their_config_map() -> None:
    own = ("workers.worker.engineConfigMap.name=mine", "workers.worker.engineConfigMap.key=e.yaml")
    found = objects("agg-gb200", "workers.worker.engineConfig=null", "workers.worker.gpus=4", *own)
    spec = components(found)["worker"]["spec"]
    (volume,) = [v for v in spec["volumes"] if v["name"] == "engine"]
    items = [{"key": "e.yaml", "path": "worker.yaml"}]
    assert volume == {"name": "engine", "configMap": {"name": "mine", "items": items}}
    assert spec["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] == "4"
    assert not [o for o in found if "-engine-" in o["metadata"]["name"]]
    assert "leave workers.worker.engineConfig out" in refusal("agg-gb200", *own)


def test_words_that_look_like_numbers_stay_words() -> None:
    artifacts = {"existingClaim": "1", "subPath": "2026"}
    found = with_values(
        {
            "target": DISAGG,
            "model": {"servedName": "120"},
            "benchmark": {"enabled": True, "artifacts": artifacts},
            "modelCache": {"storageClassName": "3"},
            "frontend": {"extraArgs": ["--a", "true"], "podLabels": {"a": "1"}, "env": {"A": "1"}},
        }
    )
    for name, component in components(found).items():
        assert all(isinstance(word, str) for word in component["spec"]["containers"][0]["args"]), (
            name
        )
    job = one("Job", found, "benchmark")["spec"]["template"]["spec"]
    assert "120" in job["containers"][0]["args"]
    assert {m["subPath"] for m in job["containers"][0]["volumeMounts"] if "subPath" in m} == {
        "2026"
    }
    assert {"claimName": "1"} in [v.get("persistentVolumeClaim") for v in job["volumes"]]
    assert one("PersistentVolumeClaim", found)["spec"]["storageClassName"] == "3"


def test_names_that_yaml_takes_for_something_else_stay_names() -> None:
    done = run("helm4", "template", "on", str(CHART), "--namespace", "2026",
               "--set=target=agg-gb200,workers.worker=null,workers.no.role=aggregated",
               "--set=workers.no.engineConfig=agg-gb200/worker.yaml,frontend.env.Y=x",
               "--set-string=nameOverride=yes")  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = [o for o in plain_yaml.load_all(done.stdout) if o]
    for item in found:
        metadata = item["metadata"]
        assert isinstance(metadata["name"], str)
        assert metadata["namespace"] == "2026"
        assert metadata["labels"]["app.kubernetes.io/name"] == "yes"
    assert components(found)["no"]["metadata"]["labels"][f"{APP}component"] == "no"
    assert environment(components(found)["frontend"]["spec"]["containers"][0])["Y"] == "x"


def test_a_pod_follows_the_script_that_it_runs_and_no_other() -> None:
    before = components(objects(DISAGG))
    with tempfile.TemporaryDirectory() as folder:
        chart = Path(folder, "gpt-oss")
        shutil.copytree(CHART, chart)
        script = chart / "files" / "smoke.py"
        script.write_text(script.read_text() + "# changed\n")
        done = run("helm4", "template", "gpt-oss", str(chart), f"--set=target={DISAGG}")
    after = components([o for o in plain_yaml.load_all(done.stdout) if o])
    assert {n: (c["metadata"], c["spec"]) for n, c in after.items()} == {
        n: (c["metadata"], c["spec"]) for n, c in before.items()
    }


def test_every_object_s_template_begins_with_what_all_of_them_read() -> None:
    for path in (CHART / "templates").rglob("*.*"):
        if path.suffix != ".tpl":
            assert path.read_text().startswith('{{- include "gpt-oss.derive" . -}}'), path


def test_templates_parse_yaml_in_few_places() -> None:
    text = "".join(path.read_text() for path in (CHART / "templates").rglob("*.*"))
    assert text.count("fromYaml") + text.count("fromJson") < 25


def test_nothing_in_the_chart_is_a_symbolic_link() -> None:
    assert not [path for path in CHART.rglob("*") if path.is_symlink()]
    assert (ROOT / "values").is_dir()
