"""Images of an age that many people still run are read by the law of their own release."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml

from gptoss.checking.checker import run
from gptoss.facts.world import Facts
from gptoss.sources.containers.script import build_script
from gptoss.sources.containers.script_group import GivenScript
from gptoss.sources.kubernetes.build import build
from gptoss.sources.parts.releases import release_of_server, release_of_worker
from gptoss.text.yaml_tree import parse_documents

if TYPE_CHECKING:
    from gptoss.deployment.model import Deployment, Worker

FACTS = Facts()
RUNTIME = "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime"
SERVER = "nvcr.io/nvidia/tensorrt-llm/release"


def script(image: str, command: str, engine: str = "") -> Deployment:
    text = f"docker run --gpus all {image}\n"
    if engine:
        text += f"cat > engine.yaml <<'EOF'\n{engine}\nEOF\n"
    return build_script([GivenScript(f"{text}{command}\n", "run.sh")], FACTS)


def worker(release: str, *flags: str, engine: str) -> Worker:
    command = "python3 -m dynamo.trtllm --model-path openai/gpt-oss-120b"
    words = " ".join((command, "--extra-engine-args engine.yaml", *flags))
    (found,) = script(f"{RUNTIME}:{release}", words, engine).workers
    return found


def told(deployment: Deployment) -> dict[str, str]:
    return {f.rule.id: f.message for f in run(deployment, FACTS).findings}


@pytest.mark.parametrize(
    ("tag", "version", "trtllm"),
    [
        ("0.5.0", "0.5.0", "1.0.0rc6"),
        ("0.5.1", "0.5.1", "1.1.0rc5"),
        ("0.6.0", "0.6.1", "1.1.0rc5"),
        ("0.8.1.post2", "0.8.1", "1.2.0rc6.post1"),
        ("0.9.0-efa", "0.9.1", "1.3.0rc3"),
        ("0.3.2", "0.3.2", "1.0.0rc6"),
        ("1.99.0", "1.99.0", "1.3.0rc29"),
    ],
)
def test_a_tag_that_names_a_release_is_judged_by_it_or_by_the_one_before(
    tag: str, version: str, trtllm: str
) -> None:
    found = release_of_worker(f"{RUNTIME}:{tag}", FACTS)
    assert found is not None
    assert (found.version, found.trtllm) == (version, trtllm)


@pytest.mark.parametrize("image", [f"{RUNTIME}:my-tag", f"{RUNTIME}:1", "an/image:2025.11.3"])
def test_a_tag_that_names_no_release_is_taken_for_none(image: str) -> None:
    assert release_of_worker(image, FACTS) is None


@pytest.mark.parametrize(
    ("image", "trtllm"),
    [
        (f"{SERVER}:1.3.0rc16", "1.3.0rc16"),
        (f"{SERVER}:0.21.0", "0.21.0"),
        (f"{SERVER}:1.1.0rc5-arm64", "1.1.0rc5"),
        ("an/image:1.2.0rc4", "1.2.0rc4"),
        (f"{RUNTIME}:0.7.1", "1.2.0rc3"),
    ],
)
def test_a_server_has_the_tensorrt_llm_that_its_tag_names(image: str, trtllm: str) -> None:
    found = release_of_server(image, FACTS)
    assert found is not None
    assert found.trtllm == trtllm


def test_no_tag_that_names_a_release_ends_in_a_question_for_it() -> None:
    for image, command in (
        (f"{RUNTIME}:0.4.1", "python3 -m dynamo.trtllm --model-path openai/gpt-oss-120b"),
        (f"{SERVER}:1.3.0rc16", "trtllm-serve openai/gpt-oss-120b"),
        (f"{SERVER}:0.21.0", "trtllm-serve openai/gpt-oss-120b"),
    ):
        result = run(script(image, command), FACTS)
        assert not [each for each in result.not_applied if "--release" in each.lacks]
        assert "R030" in {finding.rule.id for finding in result.findings}


def test_flags_of_an_age_are_those_of_its_own_parser() -> None:
    command = "python3 -m dynamo.trtllm --model-path m --disaggregation-strategy prefill_first"
    assert "R001" not in told(script(f"{RUNTIME}:0.6.1", command))
    assert "is gone since release 0.7" in told(script(f"{RUNTIME}:0.7.1", command))["R001"]


@pytest.mark.parametrize(
    ("release", "engine", "flags", "expected"),
    [
        ("0.6.1", "build_config: {max_batch_size: 512}", (), (512, 8192)),
        ("0.6.1", "build_config: {max_batch_size: 512}", ("--max-num-tokens 4096",), (512, 8192)),
        ("0.6.1", "max_batch_size: 256", (), (2048, 8192)),
        ("0.6.1", "max_batch_size: 256", ("--max-batch-size 64",), (64, 8192)),
        ("0.7.1", "max_batch_size: 256", ("--max-batch-size 64",), (256, 8192)),
        ("0.7.1", "{max_batch_size: 256, build_config: {max_batch_size: 512}}", (), (256, 8192)),
        ("0.8.1", "build_config: {max_batch_size: 512}", ("--max-num-tokens 4096",), (2048, 4096)),
        ("0.9.1", "max_batch_size: 256", ("--max-batch-size 64",), (256, 8192)),
    ],
)
def test_sizes_go_through_build_config_as_long_as_there_is_one(
    release: str, engine: str, flags: tuple[str, ...], expected: tuple[int, int]
) -> None:
    settings = worker(release, *flags, engine=engine).engine
    assert (settings["max_batch_size"].value, settings["max_num_tokens"].value) == expected


@pytest.mark.parametrize(("release", "expected"), [("0.6.1", 2048), ("0.7.1", 256), ("0.8.1", 9)])
def test_an_override_of_a_size_never_reaches_build_config(release: str, expected: int) -> None:
    override = """--override-engine-args '{"max_batch_size": 9}'"""
    settings = worker(release, override, engine="max_batch_size: 256").engine
    assert settings["max_batch_size"].value == expected


def test_a_length_at_the_root_counts_as_long_as_build_config_has_none() -> None:
    assert worker("0.6.1", engine="max_seq_len: 4096").engine["max_seq_len"].value == 4096
    given = worker("0.6.1", "--max-seq-len 9000", engine="max_seq_len: 4096").engine
    assert given["max_seq_len"].value == 9000


@pytest.mark.parametrize(("release", "expected"), [("0.7.1", []), ("0.9.1", [0.5])])
def test_a_kv_cache_block_of_the_yaml_replaces_the_flag_up_to_0_7(
    release: str, expected: list[float]
) -> None:
    flag = "--free-gpu-memory-fraction 0.5"
    found = worker(release, flag, engine="kv_cache_config: {dtype: fp8}").engine
    setting = found["kv_cache_config.free_gpu_memory_fraction"]
    assert [claim.value for claim in setting.claims] == expected


def test_a_flag_that_the_block_of_the_yaml_replaces_is_told() -> None:
    command = "python3 -m dynamo.trtllm --model-path m --extra-engine-args engine.yaml"
    flag = "--free-gpu-memory-fraction 0.5"
    found = script(f"{RUNTIME}:0.6.1", f"{command} {flag}", "kv_cache_config: {dtype: fp8}")
    assert told(found)["C003"].startswith("worker: the engine YAML replaces all of kv_cache_config")


def test_experts_ran_on_cutlass_where_nobody_asked_for_another_backend() -> None:
    assert worker("0.6.1", engine="max_batch_size: 8").engine["moe_config.backend"].value == (
        "CUTLASS"
    )


@pytest.mark.parametrize(("tag", "claims"), [("0.5.1", ["cache"]), ("1.3.1", [])])
def test_the_claim_of_a_service_is_mounted_by_operators_before_1_0(
    tag: str, claims: list[str]
) -> None:
    container = {
        "image": f"{RUNTIME}:{tag}",
        "command": ["python3", "-m", "dynamo.trtllm", "--model-path", "/models/x"],
    }
    service = {
        "componentType": "worker",
        "pvc": {"create": False, "mountPoint": "/models", "name": "cache"},
        "extraPodSpec": {"mainContainer": container},
    }
    graph = {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoGraphDeployment",
        "metadata": {"name": "x"},
        "spec": {"services": {"Worker": service}},
    }
    found = build(parse_documents(yaml.safe_dump(graph), "x.yaml"), "x.yaml", FACTS)
    assert [mount.claim for mount in found.workers[0].pod.mounts] == claims
    unknown = [problem.message for problem in found.problems if "pvc" in problem.message]
    assert bool(unknown) is not bool(claims)


def test_nothing_is_said_of_frontends_that_nobody_asked() -> None:
    asked = FACTS.known["tool-call-on-analysis"]
    assert asked.is_in(FACTS.releases["1.0.2"])
    assert not asked.is_in(FACTS.older["0.9.1"])
    assert FACTS.known["tool-call-in-pieces"].is_in(FACTS.older["0.9.1"])
