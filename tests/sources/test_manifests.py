"""Promises of gptoss.sources.kubernetes.build: the deployment that manifests describe."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import pytest

from gptoss.deployment.model import Role, Worker
from gptoss.deployment.settings import Layer
from gptoss.text.errors import InputError
from gptoss.text.places import Located, Place
from tests.sources.manifest_examples import (
    ALPHA,
    BENCHMARK,
    BETA,
    CLAIM,
    DOWNLOAD,
    ENGINE,
    FACTS,
    deployment,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.paths import Path

ALL = (ENGINE, ALPHA, BENCHMARK, DOWNLOAD, CLAIM)


def line_of(text: str, place: Place) -> str:
    return text.split("\n")[place.line - 1]


def worker_of(*texts: str) -> Worker:
    (worker,) = deployment(*texts).workers
    return worker


def alpha(old: str, new: str) -> str:
    assert old in ALPHA
    return ALPHA.replace(old, new)


def test_a_graph_in_v1alpha1_is_read_whole() -> None:
    found = deployment(*ALL)
    assert found.name == "gpt-oss"
    assert found.api_version.value == "nvidia.com/v1alpha1"
    assert found.release is FACTS.releases["1.2.1"]
    assert found.model is FACTS.models["openai/gpt-oss-120b"]
    assert found.annotations["team"].value == "serving"
    assert found.frontend is not None
    assert found.frontend.replica_count == 2
    assert [component.name for component in found.others] == ["Planner"]
    assert [claim.value for claim in found.claims] == ["made", "cache"]
    assert list(found.config_maps[0].keys) == ["prefill.yaml", "decode.yaml"]
    assert found.problems == ()


def test_a_worker_in_v1alpha1_is_read_whole() -> None:
    worker = worker_of(*ALL)
    pod = worker.pod
    assert (worker.name, worker.role) == ("Prefill", Role.PREFILL)
    assert worker.gpus_per_pod is not None
    assert (worker.gpus_per_pod.value, worker.nodes.value, worker.gpus) == (1, 2, 2)
    assert worker.gpu is FACTS.gpus["gb200"]
    assert worker.model is not None
    assert worker.model.value == "openai/gpt-oss-120b"
    assert list(worker.ignored) == ["dynamoNamespace"]
    assert [secret.value for secret in pod.secrets] == ["hf-token"]
    assert pod.shared_memory is not None
    assert pod.shared_memory.value == "16Gi"
    assert {name: value.value for name, value in pod.requests.items()} == {"cpu": "8"}
    assert {name: value.value for name, value in pod.limits.items()} == {
        "memory": "64Gi",
        "rdma/ib": "1",
    }
    assert pod.termination_grace is not None
    assert pod.termination_grace.value == 90
    assert [toleration.key for toleration in pod.tolerations] == ["nvidia.com/gpu"]
    assert [secret.value for secret in pod.pull_secrets] == ["registry-login"]
    assert pod.privileged is not None
    assert pod.root is None, "the container's user beats the pod's"
    assert pod.non_root is not None
    assert list(pod.probes) == ["startup"]
    assert pod.annotations["checksum/engine"].value == "abc"
    assert pod.uses_shell
    assert pod.mentions == frozenset({"MODEL"})
    assert pod.environment["TOKEN"].secret == "other"  # noqa: S105 (the name of a Secret)
    cache = pod.mount_at("/models/hub")
    assert cache is not None
    assert cache.claim == "cache"


def test_variables_of_a_service_beat_those_of_the_graph_and_these_the_container() -> None:
    found = deployment(*ALL)
    environment = found.workers[0].pod.environment
    assert environment["LEVEL"].value == "service"
    assert environment["ONLY_GRAPH"].value == "1"
    assert found.environment["LEVEL"].value == "graph"
    without = ALPHA.replace("        - {name: LEVEL, value: service}\n", "        []\n")
    assert worker_of(ENGINE, without).pod.environment["LEVEL"].value == "graph"


def test_a_graph_in_v1beta1_is_read_whole() -> None:
    found = deployment(ENGINE, BETA)
    (worker,) = found.workers
    assert worker.role is Role.DECODE
    assert worker.replica_count == 3
    assert worker.gpus == 4
    assert worker.engine.whole("max_batch_size") == 128
    assert worker.gpu is FACTS.gpus["b200"]
    assert worker.pod.environment["LEVEL"].value == "container"
    assert [secret.value for secret in worker.pod.secrets] == ["hf-token"]
    assert worker.pod.shared_memory is not None
    assert worker.runtime_version is not None
    assert found.model is FACTS.models["openai/gpt-oss-120b"]
    assert [(n.key, n.values, n.required) for n in worker.pod.nodes] == [
        ("nvidia.com/gpu.product", ("NVIDIA-B200",), True),
        ("zone", ("a", "b"), False),
    ]
    assert [(a.labels, a.required) for a in worker.pod.anti_affinity] == [
        ((("app", ("gpt-oss",)),), True),
        ((("app", ("x",)),), False),
    ]
    claim = worker.pod.mount_at("/models/x")
    assert claim is not None
    assert claim.read_only


def test_what_the_operator_starts_is_known_where_nothing_is_written() -> None:
    for texts in (ALL, (ENGINE, BETA)):
        frontend = deployment(*texts).frontend
        assert frontend is not None
        assert frontend.command is not None
        assert frontend.command.line == "python3 -m dynamo.frontend"


@pytest.mark.parametrize(
    ("key", "line"),
    [
        ("max_batch_size", "    max_batch_size: 64"),
        ("kv_cache_config.free_gpu_memory_fraction", "      free_gpu_memory_fraction: 0.8"),
    ],
)
def test_an_engine_setting_stands_at_its_line_in_the_config_map(key: str, line: str) -> None:
    assert line_of(ENGINE, worker_of(*ALL).engine[key].place) == line


def test_every_layer_stands_at_its_own_line() -> None:
    text = "---\n".join([ENGINE, ALPHA])
    engine = worker_of(ENGINE, ALPHA).engine
    claims = engine["max_batch_size"].claims
    assert [claim.layer for claim in claims] == [Layer.FLAG, Layer.ENGINE]
    assert "--max-batch-size 32" in line_of(text, claims[0].place)
    assert "max_batch_size: 64" in line_of(text, claims[1].place)
    variable = engine["max_num_tokens"]
    assert variable.value == 9000
    assert "DYN_TRTLLM_MAX_NUM_TOKENS" in line_of(text, variable.place)


def places(value: Any) -> Iterator[Place]:
    if isinstance(value, Place):
        yield value
    elif is_dataclass(value):
        for field in fields(value):
            yield from places(getattr(value, field.name))
    elif isinstance(value, dict):
        for item in value.values():
            yield from places(item)
    elif isinstance(value, tuple | list):
        for item in value:
            yield from places(item)


@pytest.mark.parametrize("texts", [ALL, (ENGINE, BETA)])
def test_every_place_goes_through_the_locator(texts: tuple[str, ...]) -> None:
    asked: set[str] = set()

    def locate(path: Path, _place: Place) -> Place:
        asked.add(str(path))
        return Place(str(path))

    found = deployment(*texts, locate=locate)
    shown = {place.file for place in places(found)}
    shown |= {
        place.file for w in found.workers for setting in w.engine for place in places(setting)
    }
    assert shown <= asked
    assert found.workers[0].engine["max_batch_size"].place.file.endswith(".engine.max_batch_size")


def test_the_benchmark_is_what_its_script_really_runs() -> None:
    text = "---\n".join([ENGINE, ALPHA, BENCHMARK])
    benchmark = deployment(ENGINE, ALPHA, BENCHMARK).benchmark
    assert benchmark is not None
    assert benchmark.command is not None
    numbers = {
        field.name: getattr(benchmark, field.name)
        for field in fields(benchmark)
        if isinstance(getattr(benchmark, field.name), Located) and field.name != "tool"
    }
    assert {name: located.value for name, located in numbers.items()} == {
        "concurrency": 500,
        "requests": 5000,
        "input_tokens": 8192,
        "output_tokens": 1024,
        "concurrency_per_gpu": 100,
        "gpu_count": 5,
    }
    assert "--concurrency $1" in line_of(text, numbers["concurrency"].place)
    assert "OSL" in line_of(text, numbers["output_tokens"].place)
    assert "gpt-oss/gpus" in line_of(text, numbers["gpu_count"].place)


def test_a_job_that_only_installs_a_benchmark_is_none() -> None:
    other = BENCHMARK.replace("aiperf profile", "echo").replace('{gpt-oss/gpus: "5"}', "{}")
    assert deployment(ALPHA, other).benchmark is None


def test_a_download_names_model_and_revision() -> None:
    (download,) = deployment(ALPHA, DOWNLOAD).downloads
    assert download.model is not None
    assert download.revision is not None
    assert (download.model.value, download.revision.value) == ("openai/gpt-oss-120b", "abcdef")


def test_a_download_by_a_script_is_known_by_its_variables() -> None:
    script = re.sub(r"(?s)command:.*", "command: [python3, fill.py]\n", DOWNLOAD)
    (download,) = deployment(ALPHA, script).downloads
    assert download.revision is not None
    assert download.revision.value == "abcdef"


def test_exports_of_the_script_are_in_the_environment() -> None:
    text = alpha("# start", "export TRTLLM_ENABLE_PDL=1 LEVEL=script")
    environment = worker_of(ENGINE, text).pod.environment
    assert environment["TRTLLM_ENABLE_PDL"].value == "1"
    assert environment["LEVEL"].value == "script"


def test_an_engine_yaml_written_by_the_script_is_found() -> None:
    written = """cat > /run/engine.yaml <<EOF
              max_batch_size: 7
              EOF"""
    text = alpha("# start", written).replace("/etc/engine/worker.yaml", "/run/engine.yaml")
    worker = worker_of(ENGINE, text)
    assert worker.engine_known
    assert worker.engine.whole("max_batch_size") == 7


def test_an_engine_yaml_that_is_not_given_is_unknown() -> None:
    assert not worker_of(ALPHA).engine_known
    elsewhere = alpha("/etc/engine/worker.yaml", "/elsewhere/worker.yaml")
    assert not worker_of(ENGINE, elsewhere).engine_known
    none = alpha("--extra-engine-args /etc/engine/worker.yaml", "")
    assert worker_of(ENGINE, none).engine_known


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        ("engine-file-missing", (ENGINE.replace("prefill.yaml", "other.yaml"), ALPHA)),
        ("engine-file-empty", (re.sub(r"(?s)\|\n.*  decode", '""\n  decode', ENGINE), ALPHA)),
        ("duplicate-key", (ENGINE + "    max_batch_size: 4\n", BETA)),
        ("duplicate-key", (ENGINE, ALPHA + "  services: {}\n")),
        ("config-map-twice", (ENGINE, ENGINE.replace("128", "129"), ALPHA)),
        ("override-not-json", (ENGINE, alpha("--max-batch-size 32", "--override-engine-args {x"))),
    ],
)
def test_what_is_wrong_with_the_manifests_is_a_problem(kind: str, texts: tuple[str, ...]) -> None:
    assert [problem.kind for problem in deployment(*texts).problems] == [kind]


def test_the_same_config_map_given_twice_is_no_problem() -> None:
    assert deployment(ENGINE, ENGINE, ALPHA).problems == ()


@pytest.mark.parametrize(
    ("mode", "role"),
    [
        ("--disaggregation-mode decode", Role.DECODE),
        ("--disaggregation-mode=prefill_and_decode", Role.AGGREGATED),
        ("--disaggregation-mode agg", Role.AGGREGATED),
        ("--disaggregation-mode pd", Role.AGGREGATED),
        ("", Role.PREFILL),
    ],
)
def test_the_role_is_that_of_the_flag_or_else_of_the_type(mode: str, role: Role) -> None:
    assert worker_of(ENGINE, alpha("--disaggregation-mode prefill", mode)).role is role


def test_a_worker_is_what_runs_dynamo_trtllm_whatever_its_type() -> None:
    for kind in ("componentType: main", "componentType: planner", "labels: {}"):
        text = alpha("componentType: worker", kind)
        assert [worker.name for worker in deployment(ENGINE, text).workers] == ["Prefill"]


def test_a_component_that_only_names_dynamo_trtllm_is_no_worker() -> None:
    text = alpha("python3 -m dynamo.trtllm", "echo dynamo.trtllm")
    found = deployment(ENGINE, text)
    assert found.workers == ()
    assert [component.name for component in found.others] == ["Prefill", "Planner"]


def test_the_release_is_the_one_asked_for_or_that_of_the_image() -> None:
    assert deployment(*ALL, release="1.3.1").release is FACTS.releases["1.3.1"]
    assert deployment(ENGINE, alpha("runtime:1.2.1", "runtime:my-tag")).release is None
    with pytest.raises(InputError, match=r"release 9\.9 is not known"):
        deployment(*ALL, release="9.9")


def test_nodes_of_either_kind_name_no_gpu() -> None:
    term = (
        "                  - matchExpressions: [{key: KEY, operator: In, values: [NVIDIA-H200]}]\n"
    )
    anchor = "              preferredDuring"
    either = BETA.replace(anchor, term.replace("KEY", "nvidia.com/gpu.product") + anchor, 1)
    worker = worker_of(ENGINE, either)
    assert worker.gpu is None
    assert worker.pod.nodes[0].values == ("NVIDIA-B200", "NVIDIA-H200")
    other = BETA.replace(anchor, term.replace("KEY", "other") + anchor, 1)
    assert [node.required for node in worker_of(ENGINE, other).pod.nodes] == [False] * 3


def test_lists_are_unpacked_and_helm_hooks_left_out() -> None:
    hook = "apiVersion: v1\nkind: Pod\nmetadata: {name: t, annotations: {helm.sh/hook: test}}\n"
    items = "".join(f"  - {text.strip()}\n".replace("\n", "\n    ") for text in (ENGINE,))
    listed = "apiVersion: v1\nkind: List\nitems:\n" + items.rstrip() + "\n"
    assert worker_of(listed, hook, ALPHA).engine_known


def test_documents_that_are_empty_do_not_matter() -> None:
    assert worker_of("", ENGINE, "", ALPHA, "# nothing\n").engine_known


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ((ENGINE, CLAIM), "no DynamoGraphDeployment, only ConfigMap, PersistentVolumeClaim"),
        ((), "no DynamoGraphDeployment, only nothing"),
        ((ALPHA, BETA.replace("name: gpt-oss", "name: b")), "2 DynamoGraphDeployments: gpt-oss, b"),
        ((alpha("v1alpha1", "v2"),), "nvidia.com/v2 is no version"),
        ((alpha("replicas: 2", "replicas: two"),), "replicas must be a whole number, not 'two'"),
        ((alpha('limits: {gpu: "1"', "limits: {gpu: 1"),), 'must be a string here; write "1"'),
        ((alpha('limits: {gpu: "1"', "limits: {gpu: some"),), "must be a whole number"),
        ((alpha('value: "1"', "value: 1"),), "the value of ONLY_GRAPH must be a string"),
        (("- a\n",), "must be a map with apiVersion and kind"),
        ((ENGINE.replace("|\n    tensor", "|\n    - tensor", 1), ALPHA), "not valid YAML"),
        ((re.sub(r"(?s)\|\n.*  decode", "text\n  decode", ENGINE), ALPHA), "must be a map of set"),
        (("kind: DynamoGraphDeployment\n",), "no metadata.name"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_sentence(
    texts: tuple[str, ...], message: str
) -> None:
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        deployment(*texts)
    assert "\n" not in str(caught.value)
    assert caught.value.place is not None
