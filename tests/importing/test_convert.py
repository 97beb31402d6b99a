"""What is imported serves what the source served; what was changed or left out is told."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gptoss.comparing.compare import compare
from gptoss.facts import folders
from gptoss.facts.world import Facts
from gptoss.importing.context import Outcome
from gptoss.importing.convert import Imported, convert
from gptoss.importing.run import read_back
from gptoss.sources.kubernetes.build import build
from gptoss.sources.load import load
from gptoss.sources.request import Request
from gptoss.text import plain_yaml
from gptoss.text.errors import InputError
from gptoss.text.yaml_tree import Tree, parse_documents
from gptoss.values.contract import Values
from tests.comparing.test_compare import Objects, container, deployment, objects
from tests.rules import base
from tests.rules.v1beta1 import as_v1beta1
from tests.sources.manifest_examples import ALPHA, BENCHMARK, BETA, ENGINE, documents
from tests.sources.test_mutations import mutated

if TYPE_CHECKING:
    from pathlib import Path

    from gptoss.deployment.model import Deployment

FACTS = Facts()
SCHEMA = json.loads((folders.chart() / "values.schema.json").read_text(encoding="utf-8"))

# What the chart has in any case: its own cache, offline, with the parsers that the model needs.
CHARTS_OWN = {
    "$HF_HUB_OFFLINE",
    "$TRTLLM_NO_USAGE_STATS",
    "$USER",
    "--dyn-reasoning-parser",
    "--dyn-tool-call-parser",
    "--enforce-disagg",
}


def differences(source: Deployment, imported: Imported) -> dict[str, tuple[object, object]]:
    """What the rendered chart serves otherwise than the source, beyond what the chart has."""
    rendered = read_back(imported)
    assert not rendered.is_refused, [problem.message for problem in rendered.problems]
    found = compare(source, rendered)
    return {
        f"{d.subject} {d.setting}": (d.left, d.right) for d in found if d.setting not in CHARTS_OWN
    }


def imported_from(parts: Objects, **options: Any) -> Imported:
    return convert(deployment(parts), FACTS, **options)


def values_of(parts: Objects, **options: str) -> dict[str, Any]:
    loaded: dict[str, Any] = plain_yaml.load(imported_from(parts, **options).text)
    return loaded


def usual_variables() -> dict[str, str]:
    """What every worker of the example has."""
    found: dict[str, str] = values_of(objects())["workers"]["decode"]["env"]
    return found


def told(imported: Imported, kind: Outcome) -> str:
    return "\n".join(note.message for note in imported.notes if note.kind is kind)


def from_files(folder: Path, gpu: str | None = None, **files: str) -> Deployment:
    for name, content in files.items():
        stem, _, ending = name.rpartition("_")
        (folder / f"{stem}.{ending}").write_text(content)
    names = tuple(str(path) for path in sorted(folder.iterdir()) if path.suffix != ".extra")
    (found,) = load(Request(names, gpu=gpu)).deployments
    return found


@pytest.mark.parametrize("disaggregated", [True, False])
@pytest.mark.parametrize("version", ["v1alpha1", "v1beta1"])
def test_a_graph_with_its_benchmark_comes_back_in_every_setting(
    disaggregated: bool, version: str
) -> None:
    parts = objects(disaggregated)
    if version == "v1beta1":
        parts["graph"] = as_v1beta1(parts["graph"])
    source = deployment(parts)
    fixed = ("ignore_eos", "max_tokens", "min_tokens")
    missing = {"benchmark random seed", *(f"benchmark extra input {name}" for name in fixed)}
    assert differences(source, convert(source, FACTS)).keys() <= missing


def test_rdma_devices_of_all_that_send_become_one_value() -> None:
    parts = objects()
    found = values_of(parts)
    assert found["hardware"]["rdma"] == {"resource": "rdma/ib", "lockMemory": False}
    assert all("limits" not in worker["resources"] for worker in found["workers"].values())
    del parts["graph"]["spec"]["services"]["decode"]["resources"]["limits"]["custom"]
    found = values_of(parts)
    assert "rdma" not in found["hardware"]
    assert found["workers"]["prefill"]["resources"]["limits"] == {"rdma/ib": "1"}


def test_memory_that_is_pinned_is_pinned_as_root() -> None:
    parts = objects()
    for role in ("prefill", "decode"):
        container(parts, role)["securityContext"] = {"capabilities": {"add": ["IPC_LOCK"]}}
    imported = imported_from(parts)
    assert "lockMemory" not in plain_yaml.load(imported.text)["hardware"]["rdma"]
    assert "decode: IPC_LOCK does nothing for a user who is not root" in told(
        imported, Outcome.MENDED
    )
    assert "IPC_LOCK" not in told(imported, Outcome.LEFT_OUT)


@pytest.mark.parametrize("graph", [ALPHA, BETA])
def test_an_odd_graph_is_imported_or_refused_with_a_place(graph: str) -> None:
    source = build(documents(ENGINE, graph, BENCHMARK), "all.yaml", FACTS, release="1.2.1")
    imported = convert(source, FACTS)
    Values.model_validate(plain_yaml.load(imported.text))


def test_every_setting_says_where_it_stood() -> None:
    source = (ENGINE + "---\n" + BETA).splitlines()
    imported = convert(build(documents(ENGINE, BETA), "all.yaml", FACTS), FACTS)
    lines = imported.text.splitlines()
    for setting in ("max_batch_size: 128", "replicas: 3", "sharedMemory: 20Gi"):
        (line,) = [line for line in lines if setting in line]
        number = int(line.rpartition("all.yaml:")[2].split()[0])
        assert setting.rpartition(" ")[2] in source[number - 1]


def test_a_flag_that_is_beaten_is_told_and_left_out() -> None:
    parts = objects()
    container(parts, "decode")["args"] += ["--max-num-tokens", "4"]
    imported = imported_from(parts)
    assert plain_yaml.load(imported.text)["workers"]["decode"]["engine"]["max_num_tokens"] == 20000
    assert "--max-num-tokens 4 is not in force" in told(imported, Outcome.LEFT_OUT)


def test_flags_and_variables_that_set_the_engine_go_into_the_engine() -> None:
    parts = objects()
    for key in ("max_num_tokens", "max_batch_size"):
        del parts["engines"]["decode"][key]
    container(parts, "decode")["args"] += ["--max-num-tokens", "16384"]
    container(parts, "decode")["env"] += [
        {"name": "DYN_TRTLLM_MAX_BATCH_SIZE", "value": "512"},
    ]
    worker = values_of(parts)["workers"]["decode"]
    assert worker["engine"]["max_num_tokens"] == 16384
    assert worker["engine"]["max_batch_size"] == 512
    assert "extraArgs" not in worker
    assert worker["env"] == usual_variables()


def test_a_key_that_the_release_does_not_know_is_left_out_with_what_to_write() -> None:
    parts = objects()
    parts["engines"]["decode"] |= {"enable_trtllm_sampler": True, "max_batchsize": 4}
    imported = imported_from(parts)
    assert "enable_trtllm_sampler" not in imported.text
    assert "write max_batch_size" in told(imported, Outcome.LEFT_OUT)


def test_a_value_in_the_wrong_case_is_mended() -> None:
    parts = objects()
    parts["engines"]["decode"]["cache_transceiver_config"]["backend"] = "ucx"
    imported = imported_from(parts)
    engine = plain_yaml.load(imported.text)["workers"]["decode"]["engine"]
    assert engine["cache_transceiver_config"]["backend"] == "UCX"
    assert "knows it as UCX" in told(imported, Outcome.MENDED)


def test_other_flags_and_variables_go_along() -> None:
    parts = objects()
    container(parts, "decode")["args"] += ["--endpoint-types", "chat", "--unheard-of", "x"]
    container(parts, "decode")["env"] += [
        {"name": "NCCL_GRAPH_REGISTER", "value": "0"},
        {"name": "ENGINE_ARGS", "value": "/x"},
        {"name": "HF_TOKEN", "value": "hf_" + "x" * 30},
    ]
    imported = imported_from(parts)
    worker = plain_yaml.load(imported.text)["workers"]["decode"]
    assert worker["extraArgs"] == ["--endpoint-types", "chat"]
    assert worker["env"] == usual_variables() | {"NCCL_GRAPH_REGISTER": "0"}
    left_out = told(imported, Outcome.LEFT_OUT)
    assert "--unheard-of is no flag of this release" in left_out
    assert "ENGINE_ARGS is read by nobody" in left_out
    assert "HF_TOKEN stands there as plain text" in left_out
    assert "hf_x" not in imported.text + left_out


def test_how_long_pods_take_to_go_has_its_own_values() -> None:
    parts = objects()
    assert values_of(parts)["shutdown"] == {"longestAnswerSeconds": 20, "migrationLimit": 3}
    for variable in container(parts, "prefill")["env"]:
        if variable["name"] == "DYN_GRACEFUL_SHUTDOWN_GRACE_PERIOD_SECS":
            variable["value"] = "35"
    values = values_of(parts)
    assert values["shutdown"] == {"migrationLimit": 3}
    name = "DYN_GRACEFUL_SHUTDOWN_GRACE_PERIOD_SECS"
    assert values["workers"]["prefill"]["env"] == usual_variables() | {name: "35"}


def test_the_longest_answer_is_what_the_pods_leave_time_for() -> None:
    parts = objects()
    for role in ("prefill", "decode"):
        container(parts, role)["env"] = container(parts, role)["env"][:2]
        spec = parts["graph"]["spec"]["services"][role]["extraPodSpec"]
        spec["terminationGracePeriodSeconds"] = 180
    assert values_of(parts)["shutdown"]["longestAnswerSeconds"] == 120


def test_a_quantisation_that_all_workers_share_has_its_own_value() -> None:
    parts = objects()
    for role in ("prefill", "decode"):
        variable = {"name": "OVERRIDE_QUANT_ALGO", "value": "W4A8_MXFP4_MXFP8"}
        container(parts, role)["env"] += [variable]
    values = values_of(parts)
    assert values["quantization"] == {"override": "W4A8_MXFP4_MXFP8"}
    assert values["workers"]["decode"]["env"] == usual_variables()


def test_a_quantisation_that_the_chart_does_not_know_stays_a_variable() -> None:
    parts = objects()
    for role in ("prefill", "decode"):
        container(parts, role)["env"] += [{"name": "OVERRIDE_QUANT_ALGO", "value": "NVFP4"}]
    values = values_of(parts)
    assert "quantization" not in values
    assert values["workers"]["decode"]["env"] == usual_variables() | {
        "OVERRIDE_QUANT_ALGO": "NVFP4"
    }


def test_the_frontends_routing_goes_along() -> None:
    parts = objects()
    args = container(parts, "Frontend")["args"]
    args[args.index("round-robin")] = "kv"
    args += ["--router-temperature", "0.5"]
    frontend = values_of(parts)["frontend"]
    assert (frontend["routerMode"], frontend["enforceDisagg"]) == ("kv", True)
    assert frontend["extraArgs"] == ["--router-temperature", "0.5"]


def test_storage_resources_and_memory_go_along() -> None:
    values = values_of(objects())
    assert values["modelCache"]["existingClaim"] == base.CLAIM
    worker = values["workers"]["decode"]
    assert worker["resources"]["requests"] == {"cpu": "24", "memory": "128Gi"}
    assert worker["sharedMemory"] == "80Gi"


def test_the_gpu_is_told_by_label_or_by_architecture_or_asked_for() -> None:
    assert values_of(objects())["hardware"]["gpu"] == "gb200"
    by_architecture = objects()
    services = by_architecture["graph"]["spec"]["services"]
    for role in ("prefill", "decode"):
        services[role]["extraPodSpec"]["nodeSelector"] = {"kubernetes.io/arch": "arm64"}
    assert values_of(by_architecture)["hardware"]["gpu"] == "gb200"
    assert values_of(by_architecture, gpu="b200")["hardware"]["gpu"] == "b200"
    for role in ("prefill", "decode"):
        services[role]["extraPodSpec"]["nodeSelector"] = {"kubernetes.io/arch": "amd64"}
    such = [key for key, gpu in FACTS.gpus.items() if gpu.architecture == "amd64"]
    with pytest.raises(InputError, match=f"give --gpu {' or '.join(such)}$") as refused:
        values_of(by_architecture)
    assert refused.value.place


def test_more_node_labels_go_along_with_those_of_the_gpu() -> None:
    parts = objects()
    for role in ("prefill", "decode"):
        pod = parts["graph"]["spec"]["services"][role]["extraPodSpec"]
        pod["nodeSelector"]["pool"] = "inference"
    labels = values_of(parts)["hardware"]["nodeSelector"]
    assert labels == {
        "kubernetes.io/arch": "arm64",
        "nvidia.com/gpu.product": "NVIDIA-GB200",
        "pool": "inference",
    }


def test_a_gpu_limit_that_the_sizes_do_not_need_is_mended() -> None:
    parts = objects()
    worker = parts["graph"]["spec"]["services"]["decode"]
    worker["resources"]["limits"]["gpu"] = "8"
    assert "it has 8 GPUs, but its parallel sizes need 4" in told(
        imported_from(parts), Outcome.MENDED
    )


def test_concurrency_that_does_not_divide_by_the_gpus_stays_a_total() -> None:
    parts = objects()
    job = parts["benchmark"]["spec"]["template"]["spec"]["containers"][0]
    job["env"] = []
    args = job["args"]
    args[args.index("--concurrency") + 1] = "1283"
    workload = values_of(parts)["workload"]
    assert workload["concurrency"] == 1283
    assert "concurrencyPerGpu" not in workload


def test_a_benchmark_that_counts_gpus_that_are_not_there_is_mended() -> None:
    parts = objects()
    job = parts["benchmark"]["spec"]["template"]["spec"]["containers"][0]
    job["env"][1]["value"] = "6"
    args = job["args"]
    args[args.index("--concurrency") + 1] = str(256 * 6)
    imported = imported_from(parts)
    assert plain_yaml.load(imported.text)["workload"]["concurrencyPerGpu"] == 256
    assert "it counts 6 GPUs" in told(imported, Outcome.MENDED)


def job_with(*flags: str) -> Objects:
    parts = objects()
    args = parts["benchmark"]["spec"]["template"]["spec"]["containers"][0]["args"]
    args += flags
    return parts


def test_options_of_the_benchmark_go_along() -> None:
    parts = job_with("--random-seed", "7", "--goodput", "time_to_first_token:500 nonsense:1")
    imported = imported_from(parts)
    values = plain_yaml.load(imported.text)
    assert values["benchmark"]["randomSeed"] == 7
    assert values["workload"]["goodput"] == {"time_to_first_token": 500.0}
    assert "nonsense:1" in told(imported, Outcome.LEFT_OUT)


def test_flags_of_the_benchmark_that_no_value_stands_for_go_along_without_secrets() -> None:
    imported = imported_from(job_with("--workers-max", "9", "--api-key", "abc", "--request-rate=5"))
    words = plain_yaml.load(imported.text)["benchmark"]["extraArgs"]
    assert dict(zip(words[::2], words[1::2], strict=True)) == {
        "--request-rate": "5",
        "--workers-max": "9",
    }
    assert "abc" not in imported.text
    assert "--api-key holds a secret" in told(imported, Outcome.LEFT_OUT)


def test_what_newer_frontends_refuse_of_a_request_is_left_out() -> None:
    refused, kept = '{"nvext": {"ignore_eos": true}}', "temperature:0"
    imported = imported_from(job_with("--extra-inputs", refused, "--extra-inputs", kept))
    words = plain_yaml.load(imported.text)["benchmark"]["extraArgs"]
    assert words == ["--extra-inputs", kept]
    assert "nvext.ignore_eos" in told(imported, Outcome.MENDED)


def test_headers_of_a_benchmark_are_told_by_name_alone() -> None:
    imported = imported_from(job_with("-H", "Authorization: Bearer s3cret", "-H", "X-Team: a"))
    assert "header Authorization, X-Team" in told(imported, Outcome.LEFT_OUT)
    assert "s3cret" not in imported.text + told(imported, Outcome.LEFT_OUT)


def test_a_job_without_warm_up_is_told_that_the_chart_has_one() -> None:
    parts = objects()
    args = parts["benchmark"]["spec"]["template"]["spec"]["containers"][0]["args"]
    args[args.index("--warmup-request-count") + 1] = "0"
    imported = imported_from(parts)
    assert "warmupRequests" not in imported.text
    assert "no warm-up" in told(imported, Outcome.LEFT_OUT)


SWEEP = """\
for c in 64 16 128; do
  aiperf profile -m openai/gpt-oss-120b --endpoint-type chat --streaming --url localhost:8000 \\
    --isl 1024 --osl 512 --concurrency $c --request-count $((5 * c))
done
"""


def test_a_sweep_goes_along_from_its_lowest_to_its_highest_step(tmp_path: Path) -> None:
    imported = convert(from_files(tmp_path, "b200", serve_sh=SERVE + SWEEP), FACTS, "b200")
    sweep = plain_yaml.load(imported.text)["workload"]["sweep"]
    assert sweep == {"from": 16, "to": 128, "rounds": 5}
    assert "doubles each step" in told(imported, Outcome.MENDED)


def test_without_a_benchmark_the_traffic_is_a_guess_that_is_told() -> None:
    imported = imported_from({**objects(), "benchmark": None})
    assert "are a guess" in told(imported, Outcome.CHOSEN)
    assert plain_yaml.load(imported.text)["workload"].keys() >= {"inputTokens", "outputTokens"}


def test_an_image_of_ones_own_goes_along_and_a_releases_own_does_not() -> None:
    assert "image" not in values_of(objects())["runtime"]
    parts = json.loads(json.dumps(objects()).replace(base.IMAGE, "registry.example.com/dynamo"))
    assert values_of(parts)["runtime"]["image"] == "registry.example.com/dynamo:1.2.1"


def test_an_unknown_release_is_chosen_or_asked_for() -> None:
    parts = json.loads(json.dumps(objects()).replace(":1.2.1", ":ours"))
    imported = imported_from(parts)
    assert "give --release" in told(imported, Outcome.CHOSEN)
    assert values_of(parts, release="1.3.1")["runtime"]["release"] == "1.3.1"
    with pytest.raises(InputError, match=r"9\.9\.9 is not known"):
        values_of(parts, release="9.9.9")


def test_a_floating_revision_is_pinned_and_told() -> None:
    parts = json.loads(json.dumps(objects()).replace(base.SNAPSHOT, base.MODEL))
    imported = imported_from(parts)
    assert plain_yaml.load(imported.text)["model"]["revision"] == base.REVISION
    assert "no revision is pinned" in told(imported, Outcome.MENDED)


def test_an_engine_yaml_that_is_not_given_is_told() -> None:
    graph = parse_documents(yaml.safe_dump(objects()["graph"]), "graph.yaml")
    imported = convert(build(graph, "graph.yaml", FACTS), FACTS)
    assert "is not among what was given" in told(imported, Outcome.LEFT_OUT)


SERVE = """\
#!/bin/bash
cat > /tmp/extra.yaml <<EOF
enable_attention_dp: true
cuda_graph_config: {enable_padding: true, max_batch_size: 640}
kv_cache_config: {free_gpu_memory_fraction: 0.85}
EOF
export TRTLLM_ENABLE_PDL=1
trtllm-serve openai/gpt-oss-120b --host 0.0.0.0 --tp_size 8 --ep_size 8 --max_batch_size 640 \\
  --max_num_tokens 16384 --free_gpu_memory_fraction 0.9 --config /tmp/extra.yaml
"""
LOAD = """\
genai-perf profile -m openai/gpt-oss-120b --tokenizer openai/gpt-oss-120b --endpoint-type chat \\
  --streaming --url localhost:8000 --synthetic-input-tokens-mean 1024 --output-tokens-mean 512 \\
  --concurrency 64 --request-count 700 --warmup-request-count 20 --random-seed 7 \\
  -- -v --max-threads 500 -H 'Authorization: Bearer NOT USED'
"""


def test_a_script_with_trtllm_serve_comes_back_in_every_setting(tmp_path: Path) -> None:
    source = from_files(tmp_path, "b200", serve_sh=SERVE)
    imported = convert(source, FACTS, "b200", release="1.2.1")
    found = differences(source, imported)
    assert found.keys() == {"deployment release", "deployment revision", "benchmark given"}
    assert "free_gpu_memory_fraction 0.9 is not in force" in told(imported, Outcome.LEFT_OUT)


def test_the_words_of_genai_perf_become_traffic(tmp_path: Path) -> None:
    source = from_files(tmp_path, "b200", serve_sh=SERVE + LOAD)
    imported = convert(source, FACTS, "b200", release="1.2.1")
    values = plain_yaml.load(imported.text)
    assert values["workload"] == {
        "inputTokens": 1024,
        "outputTokens": 512,
        "concurrencyPerGpu": 8,
        "requests": 700,
    }
    assert values["benchmark"]["warmupRequests"] == 20
    assert values["benchmark"]["randomSeed"] == 7
    assert "genai-perf is replaced by aiperf" in told(imported, Outcome.MENDED)


def validate(imported: Imported) -> None:
    values = plain_yaml.load(imported.text)
    Values.model_validate(values)
    jsonschema.Draft202012Validator(SCHEMA).validate(values)


engine_values = st.one_of(
    st.booleans(),
    st.integers(-1, 9000),
    st.none(),
    st.floats(),
    st.text(max_size=4),
    st.sampled_from(["true", "8", "0.5", "1e9", "auto", "TRTLLM", "Fp8", "fp8", "UCX"]),
    st.lists(st.one_of(st.integers(), st.text(max_size=2), st.booleans()), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)
paths = st.sampled_from([*FACTS.engine_fields, "unheard_of", "kv_cache_config.unheard_of"])


@st.composite
def engines(draw: st.DrawFn) -> Objects:
    """An engine YAML with known keys at their places and any value."""
    made: Objects = {}
    for path in draw(st.lists(paths, max_size=6)):
        *blocks, name = path.split(".")
        block = made
        for part in blocks:
            block = block.setdefault(part, {})
            if not isinstance(block, dict):
                break
        else:
            block[name] = draw(engine_values)
    return made


words = st.lists(
    st.sampled_from(["--max-batch-size", "7", "--modality", "text", "--x", "--kv-block-size=64"])
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(engines(), words)
def test_whatever_the_engine_holds_the_values_are_valid(engine: Objects, flags: list[str]) -> None:
    parts = objects()
    parts["engines"]["decode"] |= engine
    container(parts, "decode")["args"] += flags
    validate(imported_from(parts))


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(mutated())
def test_whatever_the_manifests_hold_they_are_imported_or_refused(trees: list[Tree]) -> None:
    try:
        source = build(trees, "changed.yaml", FACTS, release="1.2.1")
        imported = convert(source, FACTS, "b200")
    except InputError as error:
        assert "\n" not in str(error)  # noqa: PT017 (both outcomes are right)
        return
    validate(imported)
