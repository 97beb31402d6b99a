import json
from copy import deepcopy
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from generate.engine_schema import ROOT
from generate.resource_schema import CRDS, KUBERNETES_VERSION, resource_schema
from gptoss.text import plain_yaml

SCHEMAS = {path.stem: json.loads(text) for path, text in resource_schema().items()}

V1ALPHA1 = """
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: gpt-oss, labels: {app: gpt-oss}}
spec:
  backendFramework: trtllm
  envs: [{name: HF_TOKEN, valueFrom: {secretKeyRef: {name: hf, key: token}}}]
  pvcs: [{name: model-cache, create: false}]
  services:
    Decode:
      componentType: worker
      subComponentType: decode
      replicas: 1
      resources: {limits: {gpu: "4", custom: {rdma/ib: "1"}}}
      sharedMemory: {size: 80Gi}
      volumeMounts: [{name: model-cache, mountPoint: /models}]
      readinessProbe: {httpGet: {path: /health, port: 9090}}
      extraPodSpec:
        nodeSelector: {nvidia.com/gpu.product: NVIDIA-GB200}
        volumes: [{name: engine, configMap: {name: engine}}]
        mainContainer:
          image: runtime
          args: [-m, dynamo.trtllm]
          startupProbe: {httpGet: {path: /live, port: system}, failureThreshold: 60}
"""
V1BETA1 = """
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: gpt-oss}
spec:
  backendFramework: trtllm
  env: [{name: HF_HUB_OFFLINE, value: "1"}]
  components:
    - name: decode
      type: decode
      sharedMemorySize: 80Gi
      podTemplate:
        spec:
          containers: [{name: main, image: runtime, resources: {limits: {nvidia.com/gpu: 4}}}]
"""
SERVICE = ("spec", "services", "Decode")
COMPONENT = ("spec", "components", 0)


def refusals(document: dict[str, Any]) -> list[str]:
    version = document["apiVersion"].rpartition("/")[2]
    validator = Draft202012Validator(SCHEMAS[f"dynamographdeployment_{version}"])
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)]


def changed(text: str, path: tuple[str | int, ...], value: object) -> dict[str, Any]:
    document: dict[str, Any] = deepcopy(plain_yaml.load(text))
    *steps, last = path
    target: Any = document
    for step in steps:
        target = target[step]
    target[last] = value
    return document


@pytest.mark.parametrize("name", SCHEMAS)
def test_schema_is_valid_draft_2020_12(name: str) -> None:
    Draft202012Validator.check_schema(SCHEMAS[name])


@pytest.mark.parametrize("text", [V1ALPHA1, V1BETA1], ids=["v1alpha1", "v1beta1"])
def test_a_complete_deployment_is_accepted(text: str) -> None:
    assert refusals(plain_yaml.load(text)) == []


@pytest.mark.parametrize(
    ("text", "path", "value", "message"),
    [
        (V1ALPHA1, (*SERVICE, "colour"), 1, "'colour' was unexpected"),
        (V1ALPHA1, (*SERVICE, "replicas"), -1, "less than the minimum of 0"),
        (V1ALPHA1, (*SERVICE, "resources", "limits", "gpu"), 4, "4 is not of type 'string'"),
        (V1ALPHA1, (*SERVICE, "extraPodSpec", "nodeSelectors"), {}, "was unexpected"),
        (V1ALPHA1, (*SERVICE, "extraPodSpec", "mainContainer", "arg"), [], "was unexpected"),
        (V1ALPHA1, (*SERVICE, "extraPodSpec", "containers"), [{"image": "x"}], "'name' is a req"),
        (V1ALPHA1, (*SERVICE, "readinessProbe", "period"), 10, "was unexpected"),
        (V1ALPHA1, (*SERVICE, "envs"), [{"value": "x"}], "'name' is a required property"),
        (V1ALPHA1, (*SERVICE, "volumeMounts", 0, "mountPath"), "/x", "was unexpected"),
        (V1ALPHA1, ("spec", "backendFramework"), "tensorrt", "is not one of"),
        (V1ALPHA1, ("metadata", "label"), {}, "was unexpected"),
        (V1BETA1, (*COMPONENT, "type"), "main", "'main' is not one of"),
        (V1BETA1, (*COMPONENT, "extraPodSpec"), {}, "was unexpected"),
        (V1BETA1, (*COMPONENT, "podTemplate", "spec"), {}, "'containers' is a required property"),
        (V1BETA1, (*COMPONENT, "podTemplate", "specs"), {}, "was unexpected"),
        (V1BETA1, ("spec", "env", 0, "value"), 1, "1 is not of type"),
    ],
)
def test_what_the_api_server_refuses_is_refused(
    text: str, path: tuple[str | int, ...], value: object, message: str
) -> None:
    [refusal] = refusals(changed(text, path, value))
    assert message in refusal


def test_parts_that_the_definition_leaves_open_stay_open() -> None:
    assert refusals(changed(V1ALPHA1, (*SERVICE, "eppConfig"), {"anything": 1})) == []
    assert refusals(changed(V1BETA1, (*COMPONENT, "roles"), [{"name": "a", "more": 1}])) == []


def test_kubeconform_judges_core_kinds_by_the_same_kubernetes_version() -> None:
    script = (ROOT / "tools/setup/kubeconform.sh").read_text(encoding="utf-8")
    assert f"kubernetes_version={KUBERNETES_VERSION}\n" in script


def test_definition_serves_both_api_versions_and_stores_v1alpha1() -> None:
    definition = plain_yaml.load((ROOT / CRDS / "dynamographdeployments.yaml").read_text("utf-8"))
    versions = {version["name"]: version for version in definition["spec"]["versions"]}
    assert [name for name, version in versions.items() if version["served"]] == list(versions)
    assert versions.keys() == {"v1alpha1", "v1beta1"}
    assert [name for name, version in versions.items() if version["storage"]] == ["v1alpha1"]
