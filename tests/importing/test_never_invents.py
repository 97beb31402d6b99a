"""An import takes nothing from elsewhere, and names all that it leaves behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml

from gptoss.facts.world import Facts
from gptoss.importing.convert import Imported, convert, helm_name
from gptoss.importing.run import import_sources
from gptoss.sources.load import load
from gptoss.sources.request import Request
from gptoss.text import plain_yaml
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

FACTS = Facts()
RUNTIME = "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:1.3.1"
SERVER = "nvcr.io/nvidia/tensorrt-llm/release:1.3.0rc14"
SNAPSHOT = f"hub/models--openai--gpt-oss-120b/snapshots/{'b' * 40}"
BESIDE = """
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: cfg}
  data: {w.yaml: "{tensor_parallel_size: 4, max_batch_size: 64, max_seq_len: 8192}"}
- apiVersion: v1
  kind: PersistentVolumeClaim
  metadata: {name: results}
- apiVersion: networking.k8s.io/v1
  kind: Ingress
  metadata: {name: chat}
- apiVersion: batch/v1
  kind: Job
  metadata: {name: fill}
  spec:
    template:
      spec:
        containers:
        - {name: d, image: "python:3.12", command: [hf, download, openai/gpt-oss-120b]}
"""


def graph(name: str = "mine", model: str = "/models/gpt-oss-120b", **pod: Any) -> dict[str, Any]:
    words = ["--model-path", model, "--extra-engine-args", "/c/w.yaml"]
    mounts = {"c": "/c", "m": "/models", "n": "/nvme", "r": "/results"}
    volumes = [
        {"name": "c", "configMap": {"name": "cfg"}},
        {"name": "m", "hostPath": {"path": "/data/models"}},
        {"name": "n", "hostPath": {"path": "/nvme"}},
        {"name": "r", "persistentVolumeClaim": {"claimName": "results"}},
    ]
    container = {
        "image": RUNTIME,
        "command": ["python3", "-m", "dynamo.trtllm", *words],
        "volumeMounts": [{"name": name, "mountPath": path} for name, path in mounts.items()],
    }
    worker = {
        "componentType": "worker",
        "replicas": 1,
        "resources": {"limits": {"gpu": "4"}},
        "extraPodSpec": {"mainContainer": container, "volumes": volumes, **pod},
    }
    frontend = {"image": RUNTIME, "command": ["python3", "-m", "dynamo.frontend"]}
    services = {
        "Frontend": {
            "componentType": "frontend",
            "replicas": 1,
            "extraPodSpec": {"mainContainer": frontend},
        },
        "TrtllmWorker": worker,
    }
    return {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoGraphDeployment",
        "metadata": {"name": name, "namespace": "inference"},
        "spec": {"services": services},
    }


def written(folder: Path, made: dict[str, Any]) -> str:
    file = folder / "deploy.yaml"
    file.write_text(yaml.safe_dump_all([*plain_yaml.load(BESIDE), made]))
    return str(file)


def imported(folder: Path, made: dict[str, Any], gpu: str | None = "gb200") -> Imported:
    (found,) = load(Request((written(folder, made),))).deployments
    return convert(found, FACTS, gpu)


def notes(found: Imported) -> str:
    return "\n".join(note.message for note in found.notes)


@pytest.mark.parametrize(
    "told",
    [
        "hostPath /nvme at /nvme",
        "volume results at /results",
        "namespace inference",
        "runAsUser 3000",
        "fsGroup 3001",
        "init container wait",
        "Ingress chat",
        "PersistentVolumeClaim results",
        "fill: hf download openai/gpt-oss-120b",
        "every key of Secret token",
    ],
)
def test_what_is_not_carried_over_is_named(tmp_path: Path, told: str) -> None:
    made = graph(
        securityContext={"runAsUser": 3000, "fsGroup": 3001},
        initContainers=[{"name": "wait", "image": "busybox"}],
    )
    made["spec"]["services"]["TrtllmWorker"]["envFromSecret"] = "token"
    assert told in notes(imported(tmp_path, made))


def test_the_command_of_the_head_installs_into_the_namespace_of_the_source(tmp_path: Path) -> None:
    assert "helm install mine charts/gpt-oss -n inference -f" in imported(tmp_path, graph()).text


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("/results/gpt-oss-120b", {"existingClaim": "results", "path": "gpt-oss-120b"}),
        ("/results", {"existingClaim": "results", "path": "."}),
        (f"/results/hf/{SNAPSHOT}", {"existingClaim": "results", "subPath": "hf"}),
        ("/models/a", {"hostPath": "/data/models", "path": "a", "readOnly": True}),
    ],
)
def test_where_the_weights_lie_goes_along(
    model: str, expected: dict[str, Any], tmp_path: Path
) -> None:
    found = imported(tmp_path, graph(model=model))
    cache = plain_yaml.load(found.text)["modelCache"]
    assert cache.items() >= expected.items()
    assert cache.keys() - {"download"} == expected.keys()
    assert "holds the weights" not in notes(found)


def test_a_folder_that_the_chart_does_not_take_is_left_to_its_user(tmp_path: Path) -> None:
    found = imported(tmp_path, graph(model="/results/gpt oss"))
    assert "path" not in plain_yaml.load(found.text)["modelCache"]
    assert "the weights lie in gpt oss, which modelCache.path does not take" in notes(found)


def test_the_revision_of_another_model_is_left_to_its_user(tmp_path: Path) -> None:
    made = graph(model="openai/gpt-oss-20b")
    assert plain_yaml.load(imported(tmp_path, made).text)["model"] == {
        "id": "openai/gpt-oss-20b",
        "revision": "",
    }
    report = import_sources(Request((written(tmp_path, made),), gpu="gb200"), None, "<values>")
    assert "model.revision: ''" in report.refused[0][0]
    assert report.gone == []


def test_a_folder_is_the_model_that_the_public_name_ends_in(tmp_path: Path) -> None:
    made = graph(model="/models/gpt-oss-20b")
    container = made["spec"]["services"]["TrtllmWorker"]["extraPodSpec"]["mainContainer"]
    container["command"] += ["--served-model-name", "openai/gpt-oss-20b"]
    assert plain_yaml.load(imported(tmp_path, made).text)["model"]["id"] == "openai/gpt-oss-20b"


def test_what_the_operator_refuses_over_what_runs_is_told(tmp_path: Path) -> None:
    source = Request((written(tmp_path, graph()),), gpu="gb200")
    over = {finding.rule.id for finding in import_sources(source, None, "<values>").clash}
    assert over == {"G050", "G056"}
    assert import_sources(source, "another", "<values>").clash == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gpt-oss", "gpt-oss"),
        ("My_Graph.v2", "my-graph-v2"),
        ("launch.sh", "launch-sh"),
        ("-x-", "x"),
        ("a" * 60, "a" * 53),
        ("äöü", "gpt-oss"),
    ],
)
def test_a_name_is_one_that_helm_takes(name: str, expected: str) -> None:
    assert helm_name(name) == expected


def test_another_name_than_the_sources_is_told(tmp_path: Path) -> None:
    found = imported(tmp_path, graph("Mine"))
    assert found.name == "mine"
    assert "Helm and Kubernetes refuse Mine" in notes(found)


@pytest.mark.parametrize(
    ("key", "value", "gpu"),
    [
        ("cloud.google.com/gke-accelerator", "nvidia-gb200", "gb200"),
        ("cloud.google.com/gke-accelerator", "nvidia-h100-mega-80gb", "h100"),
        ("nvidia.com/gpu.product", "NVIDIA-H100-SXM5-80GB", "h100"),
        ("kubernetes.io/arch", "arm64", "gb200"),
    ],
)
def test_a_label_gives_the_kind_of_gpu_away(tmp_path: Path, key: str, value: str, gpu: str) -> None:
    found = imported(tmp_path, graph(nodeSelector={key: value}), gpu=None)
    assert plain_yaml.load(found.text)["hardware"]["gpu"] == gpu


def served(folder: Path, image: str, *options: str) -> Imported:
    file = folder / "run.sh"
    words = " ".join(options)
    file.write_text(
        f"docker run --gpus 8 {words} {image} trtllm-serve openai/gpt-oss-120b --tp_size 8\n"
    )
    (found,) = load(Request((str(file),))).deployments
    return convert(found, FACTS)


def test_image_and_quantisation_give_the_kind_of_gpu_away_together(tmp_path: Path) -> None:
    found = served(tmp_path, f"{SERVER}-amd64", "-e OVERRIDE_QUANT_ALGO=W4A8_MXFP4_MXFP8")
    assert plain_yaml.load(found.text)["hardware"]["gpu"] == "b200"
    assert "the only kind that fits image" in notes(found)


def test_where_several_kinds_fit_none_is_taken(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"give --gpu h100 or h200 or b200$"):
        served(tmp_path, f"{SERVER}-amd64")


def of_script(folder: Path, text: str, gpu: str = "b200") -> Imported:
    file = folder / "run.sh"
    file.write_text(text)
    (found,) = load(Request((str(file),))).deployments
    return convert(found, FACTS, gpu)


def test_what_a_shell_fills_in_is_named_and_not_guessed(tmp_path: Path) -> None:
    text = 'python3 -m dynamo.trtllm --model-path m/n --override-engine-args "$(make_json)"\n'
    told = notes(of_script(tmp_path, text))
    assert "--override-engine-args $(make_json) is left to a shell" in told
    assert "the engine YAML" not in told


def test_gpus_of_an_engine_that_is_not_known_are_not_counted_anew(tmp_path: Path) -> None:
    made = graph()
    container = made["spec"]["services"]["TrtllmWorker"]["extraPodSpec"]["mainContainer"]
    container["command"][-1] = "/elsewhere/w.yaml"
    told = notes(imported(tmp_path, made))
    assert "4 GPUs; write the parallel sizes under engine" in told
    assert "its parallel sizes need" not in told


def test_an_old_release_is_imported_as_one_that_is_deployed(tmp_path: Path) -> None:
    made = graph()
    container = made["spec"]["services"]["TrtllmWorker"]["extraPodSpec"]["mainContainer"]
    container["image"] = RUNTIME.replace("1.3.1", "0.6.1")
    container["command"] += ["--disaggregation-strategy", "prefill_first"]
    found = imported(tmp_path, made)
    values = plain_yaml.load(found.text)
    assert values["runtime"]["release"] == "1.3.1"
    assert values["workers"]["worker"]["engine"]["max_batch_size"] == 2048
    assert "extraArgs" not in values["workers"]["worker"]
    assert "--disaggregation-strategy: dynamo.trtllm 1.3.1 has no such flag" in notes(found)


def test_a_server_that_no_release_ships_keeps_no_wrong_image(tmp_path: Path) -> None:
    image = SERVER.replace("rc14", "rc16")
    found = of_script(tmp_path, f"docker run {image} trtllm-serve openai/gpt-oss-120b\n")
    assert plain_yaml.load(found.text)["runtime"]["release"] == "1.2.1"
    assert f"image {image}: the chart runs release 1.2.1" in notes(found)


def test_shared_memory_that_nobody_asked_for_is_the_charts(tmp_path: Path) -> None:
    found = of_script(tmp_path, f"docker run {SERVER} trtllm-serve openai/gpt-oss-120b\n")
    assert "sharedMemory" not in plain_yaml.load(found.text)["workers"]["worker"]


def test_servers_that_are_split_go_under_dynamo(tmp_path: Path) -> None:
    file = tmp_path / "disagg.yaml"
    file.write_text(
        "model: openai/gpt-oss-120b\nhostname: localhost\nport: 8000\n"
        'context_servers: {num_instances: 1, tensor_parallel_size: 1, urls: ["localhost:8001"]}\n'
        'generation_servers: {num_instances: 1, tensor_parallel_size: 2, urls: ["localhost:8002"]}'
    )
    report = import_sources(Request((str(file),), gpu="b200"), None, "<values>")
    values = plain_yaml.load(report.imported.text)
    assert values["runtime"]["kind"] == "dynamo"
    assert values["workers"].keys() == {"prefill", "decode"}
    assert report.refused == ()


def test_headers_of_a_benchmark_are_named_without_their_values(tmp_path: Path) -> None:
    text = (
        f"docker run {SERVER} trtllm-serve openai/gpt-oss-120b\n"
        "aiperf profile --model m -H 'X-Team: blue' --header 'Authorization: Bearer abc'\n"
    )
    told = notes(of_script(tmp_path, text))
    assert "header X-Team, Authorization" in told
    assert "Bearer" not in told


def test_the_user_that_the_source_leaves_to_its_image_is_told(tmp_path: Path) -> None:
    assert "user and group 1000 for every pod" in notes(imported(tmp_path, graph()))
