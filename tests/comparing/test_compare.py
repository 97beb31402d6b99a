"""Two deployments are compared by what they serve, not by how they are written."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from gptoss.cli import Commands
from gptoss.cli.transfer import diff
from gptoss.comparing.compare import Difference, compare, compared
from gptoss.comparing.diff import as_text
from gptoss.facts.world import Facts
from gptoss.sources.engine_alone import build_engine
from gptoss.sources.kubernetes.build import build
from gptoss.text.places import Place
from gptoss.text.yaml_tree import parse_documents
from tests.rules import base
from tests.rules.patches import dump
from tests.rules.v1beta1 import as_v1beta1

if TYPE_CHECKING:
    from pathlib import Path

    from gptoss.deployment.model import Deployment

FACTS = Facts()
Objects = dict[str, Any]


def objects(disaggregated: bool = True, release: str = "1.2.1") -> Objects:
    """A deployment by parts: graph, engines by role, benchmark."""
    return {
        "graph": base.graph(disaggregated, release),
        "engines": base.engines(disaggregated),
        "benchmark": base.benchmark(disaggregated, release),
    }


def text(parts: Objects) -> str:
    engines = {role: dump(engine) for role, engine in parts["engines"].items()}
    made = [parts["graph"], base.config_map(engines), parts["benchmark"]]
    return "---\n".join(dump(part) for part in made if part)


def deployment(parts: Objects, file: str = "deploy.yaml") -> Deployment:
    return build(parse_documents(text(parts), file), file, FACTS)


def told(left: Objects, right: Objects) -> dict[str, tuple[object, object]]:
    found = compare(deployment(left), deployment(right))
    return {f"{d.subject} {d.setting}": (d.left, d.right) for d in found}


def container(parts: Objects, service: str) -> dict[str, Any]:
    found: dict[str, Any] = parts["graph"]["spec"]["services"][service]["extraPodSpec"][
        "mainContainer"
    ]
    return found


def test_a_deployment_is_equal_to_itself() -> None:
    assert told(objects(), objects()) == {}
    assert told(objects(False), objects(False)) == {}


def test_the_two_api_versions_of_one_graph_are_equal() -> None:
    beta = objects()
    beta["graph"] = as_v1beta1(beta["graph"])
    assert told(objects(), beta) == {}


def test_names_of_objects_and_paths_of_mounts_do_not_matter() -> None:
    other = json.loads(
        json.dumps(objects()).replace(base.CONFIG, "/etc/elsewhere").replace("gpt-oss-engine", "e")
    )
    other["graph"]["metadata"]["name"] = "renamed"
    engines = {role: yaml.safe_dump(engine) for role, engine in other["engines"].items()}
    config_map = {**base.config_map(engines), "metadata": {"name": "e"}}
    documents = yaml.safe_dump_all([other["graph"], config_map, other["benchmark"]])
    right = build(parse_documents(documents, "other.yaml"), "other.yaml", FACTS)
    assert compare(deployment(objects()), right) == []


def test_an_engine_setting_that_differs_is_told_with_who_sets_it() -> None:
    other = objects()
    other["engines"]["decode"]["max_num_tokens"] = 16384
    (found,) = compare(deployment(objects(), "a.yaml"), deployment(other, "b.yaml"))
    assert (found.subject, found.setting) == ("decode", "max_num_tokens")
    assert (found.left, found.right) == (20000, 16384)
    assert [str(p).partition(":")[0] for p in (found.left_place, found.right_place)] == [
        "a.yaml",
        "b.yaml",
    ]


def test_a_setting_that_repeats_the_default_is_no_difference() -> None:
    other = objects()
    other["engines"]["decode"]["enable_chunked_prefill"] = False
    assert told(objects(), other) == {}


def test_a_flag_that_the_engine_yaml_beats_is_no_difference() -> None:
    other = objects()
    container(other, "decode")["args"] += ["--max-batch-size", "4"]
    assert told(objects(), other) == {}


def test_a_flag_and_a_key_that_set_the_same_are_equal() -> None:
    other = objects()
    del other["engines"]["decode"]["max_num_tokens"]
    container(other, "decode")["args"] += ["--max-num-tokens", "20000"]
    assert told(objects(), other) == {}


def test_a_block_that_is_switched_off_differs_from_one_that_is_left_out() -> None:
    without, off = objects(), objects()
    del without["engines"]["decode"]["cuda_graph_config"]
    off["engines"]["decode"]["cuda_graph_config"] = None
    assert told(without, off) == {"decode cuda_graph_config": (None, "null")}


def test_a_flag_and_its_variable_are_equal() -> None:
    other = objects()
    args = container(other, "Frontend")["args"]
    at = args.index("--router-mode")
    args[at : at + 2] = []
    container(other, "Frontend")["env"] += [{"name": "DYN_ROUTER_MODE", "value": "round-robin"}]
    assert told(objects(), other) == {}
    container(other, "Frontend")["env"][-1]["value"] = "kv"
    assert told(objects(), other) == {"frontend --router-mode": ("round-robin", "kv")}


def test_a_flag_that_is_given_with_its_default_is_no_difference() -> None:
    other = objects()
    args = container(other, "Frontend")["args"]
    at = args.index("--http-port")
    args[at : at + 2] = []
    assert told(objects(), other) == {}


def test_flags_that_are_no_engine_settings_are_compared() -> None:
    other = objects()
    container(other, "decode")["args"] += ["--endpoint-types", "chat"]
    assert told(objects(), other) == {"decode --endpoint-types": ("chat,completions", "chat")}


def test_variables_that_the_engine_reads_are_compared_and_paths_are_not() -> None:
    other = objects()
    container(other, "decode")["env"] += [
        {"name": "TRTLLM_ENABLE_PDL", "value": "0"},
        {"name": "HF_HUB_CACHE", "value": "/somewhere"},
        {"name": "CUDA_VISIBLE_DEVICES", "value": "0,1,2,3"},
    ]
    assert told(objects(), other) == {"decode $TRTLLM_ENABLE_PDL": (None, "0")}


def test_a_secret_is_never_told() -> None:
    other = objects()
    container(other, "decode")["env"] += [{"name": "HF_TOKEN", "value": "hf_" + "x" * 30}]
    assert told(objects(), other) == {"decode $HF_TOKEN": (None, "(hidden)")}


def test_replicas_gpus_release_and_served_name_are_compared() -> None:
    other = objects(release="1.3.1")
    worker = other["graph"]["spec"]["services"]["decode"]
    worker["replicas"] = 2
    worker["resources"]["limits"]["gpu"] = "8"
    for role in ("prefill", "decode"):
        args = container(other, role)["args"]
        args[args.index("--served-model-name") + 1] = "gpt-oss"
    found = told(objects(), other)
    assert found["deployment release"] == ("1.2.1", "1.3.1")
    assert found["deployment served name"] == (base.MODEL, "gpt-oss")
    assert found["decode replicas"] == (1, 2)
    assert found["decode GPUs"] == (4, 8)


def test_the_revision_is_compared_wherever_it_is_said() -> None:
    other = objects()
    for role in ("prefill", "decode"):
        args = container(other, role)["args"]
        args[args.index("--model-path") + 1] = base.MODEL
    assert told(objects(), other) == {"deployment revision": (base.REVISION, None)}
    left, right = text(objects()), yaml.safe_dump(base.download("1.2.1"))
    with_download = parse_documents("---\n".join((text(other), right)), "b.yaml")
    here = build(parse_documents(left, "a.yaml"), "a.yaml", FACTS)
    assert compare(here, build(with_download, "b.yaml", FACTS)) == []


def test_what_the_container_may_do_and_asks_for_is_compared() -> None:
    one, other = objects(), objects()
    one["graph"]["spec"]["services"]["decode"]["sharedMemory"] = {"size": "80Gi"}
    other["graph"]["spec"]["services"]["decode"]["sharedMemory"] = {"size": "20Gi"}
    one["graph"]["spec"]["services"]["decode"]["resources"]["limits"]["cpu"] = "8000m"
    other["graph"]["spec"]["services"]["decode"]["resources"]["limits"]["cpu"] = "8"
    devices = {"rdma/ib": "4"}
    other["graph"]["spec"]["services"]["decode"]["resources"]["requests"] = {
        "memory": "64Gi",
        "custom": devices,
    }
    container(other, "decode")["securityContext"] = {
        "privileged": True,
        "capabilities": {"add": ["SYS_PTRACE", "IPC_LOCK"]},
    }
    pod = other["graph"]["spec"]["services"]["decode"]["extraPodSpec"]
    pod["hostIPC"] = True
    assert told(one, other) == {
        "decode shared memory": ("80Gi", "20Gi"),
        "decode cpu request": ("24", None),
        "decode memory request": ("128Gi", "64Gi"),
        "decode privileged": (False, True),
        "decode capabilities": (None, ["IPC_LOCK", "SYS_PTRACE"]),
        "decode namespaces of the host": (None, ["hostIPC"]),
    }


def test_a_size_of_shared_memory_that_one_side_leaves_open_is_no_difference() -> None:
    one = objects()
    one["graph"]["spec"]["services"]["decode"]["sharedMemory"] = {"size": "80Gi"}
    other = deepcopy(one)
    del other["graph"]["spec"]["services"]["decode"]["sharedMemory"]
    assert told(one, other) == {}


def test_everything_that_was_compared_is_told_with_what_is_the_same() -> None:
    other = objects()
    other["engines"]["decode"]["max_num_tokens"] = 16384
    both = compared(deployment(objects()), deployment(other))
    same = {(d.subject, d.setting): d.left for d in both if not d.differs}
    assert same["prefill", "max_num_tokens"] == 20000
    assert ("decode", "max_num_tokens") not in same
    assert [d for d in both if d.differs] == compare(deployment(objects()), deployment(other))


def test_what_a_benchmark_adds_to_its_requests_is_compared_one_by_one() -> None:
    other = objects()
    args = other["benchmark"]["spec"]["template"]["spec"]["containers"][0]["args"]
    args += ["--extra-inputs", "temperature: 0.5", "--extra-inputs", '{"nvext": {"top_k": 1}}']
    args += ["--workers-max", "252", "-H", "Accept: text/event-stream"]
    assert told(objects(), other) == {
        "benchmark extra input temperature": (None, 0.5),
        "benchmark extra input nvext": (None, {"top_k": 1}),
        "benchmark most workers": (None, 252),
        "benchmark headers": (None, ["Accept: text/event-stream"]),
    }


def test_the_benchmarks_traffic_is_compared() -> None:
    other = objects()
    args = other["benchmark"]["spec"]["template"]["spec"]["containers"][0]["args"]
    args[args.index("--concurrency") + 1] = "640"
    args[args.index("--warmup-request-count") + 1] = "64"
    args[args.index("--artifact-dir") + 1] = "/elsewhere"
    assert told(objects(), other) == {
        "benchmark concurrency": (1280, 640),
        "benchmark warm-up requests": (1280, 64),
    }


def test_a_worker_or_benchmark_of_one_side_only_is_told_once() -> None:
    other = objects()
    other["benchmark"] = None
    del other["graph"]["spec"]["services"]["prefill"]
    assert told(objects(), other) == {
        "prefill given": (True, False),
        "benchmark given": (True, False),
    }


def test_workers_of_other_names_are_compared_by_what_they_do() -> None:
    other = json.loads(json.dumps(objects()))
    services = other["graph"]["spec"]["services"]
    services["TrtllmDecodeWorker"] = services.pop("decode")
    services["TrtllmPrefillWorker"] = services.pop("prefill")
    assert told(objects(), other) == {}


def test_of_an_engine_file_alone_only_the_engine_is_compared() -> None:
    engine = yaml.safe_dump({**base.engines(True)["decode"], "max_batch_size": 64})
    alone = build_engine(parse_documents(engine, "decode.yaml")[0], "decode.yaml", FACTS, "1.2.1")
    found = compare(deployment(objects()), alone)
    assert [(d.setting, d.left, d.right) for d in found] == [("max_batch_size", 1280, 64)]


def test_an_engine_yaml_that_is_not_given_is_told_once() -> None:
    parts = objects()
    graph = parse_documents(yaml.safe_dump(parts["graph"]), "graph.yaml")
    found = compare(deployment({**parts, "benchmark": None}), build(graph, "graph.yaml", FACTS))
    assert [d.setting for d in found] == ["engine YAML", "engine YAML"]


values = st.one_of(st.booleans(), st.integers(1, 9000), st.none(), st.floats(), st.text(max_size=4))
engines = st.dictionaries(
    st.sampled_from(
        [*base.DISAGGREGATED["decode"], "print_iter_log", "speculative_config", "unheard_of"]
    ),
    st.one_of(
        values,
        st.dictionaries(st.sampled_from(["dtype", "backend", "enable_padding"]), values),
        st.lists(values, max_size=2),
    ),
)


def changed(engine: Objects, replicas: int, flags: list[str]) -> Deployment:
    parts = deepcopy(objects())
    parts["engines"]["decode"] |= engine
    parts["graph"]["spec"]["services"]["decode"]["replicas"] = replicas
    container(parts, "decode")["args"] += flags
    return deployment(parts)


words = st.lists(st.sampled_from(["--max-batch-size", "7", "--modality", "text", "--x"]))
deployments = st.builds(changed, engines, st.integers(0, 3), words)


@given(deployments)
def test_every_deployment_is_equal_to_itself(one: Deployment) -> None:
    assert compare(one, one) == []


@given(deployments, deployments)
def test_comparing_the_other_way_round_finds_the_same(one: Deployment, other: Deployment) -> None:
    there = [(d.subject, d.setting, repr(d.left), repr(d.right)) for d in compare(one, other)]
    back = [(d.subject, d.setting, repr(d.right), repr(d.left)) for d in compare(other, one)]
    assert there == back


def run(*arguments: str, stdin: str | None = None) -> Result:
    group = Commands(commands=[diff])
    return CliRunner().invoke(group, ["diff", *arguments], input=stdin, catch_exceptions=False)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """Two files that differ in one setting."""
    other = objects()
    other["engines"]["decode"]["max_num_tokens"] = 16384
    names = tmp_path / "a.yaml", tmp_path / "b.yaml"
    for name, parts in zip(names, (objects(), other), strict=True):
        name.write_text(text(parts))
    return str(names[0]), str(names[1])


def test_diff_says_what_differs_and_exits_with_1(files: tuple[str, str]) -> None:
    result = run(*files)
    assert result.exit_code == 1
    assert "max_num_tokens" in result.stdout
    assert result.stdout.splitlines()[-1] == "1 setting in force differs"
    assert max(map(len, result.stdout.splitlines())) <= 100


def test_diff_of_equal_sources_exits_with_0(files: tuple[str, str]) -> None:
    result = run(files[0], files[0])
    assert result.exit_code == 0
    assert "the same" in result.stdout


def test_diff_names_who_sets_each_on_request(files: tuple[str, str]) -> None:
    assert "b.yaml:" in "".join(run(*files, "--places").stdout.split())


def test_diff_as_json_has_values_and_places(files: tuple[str, str]) -> None:
    report = json.loads(run(*files, "--format", "json").stdout)
    (found,) = report["differences"]
    assert (found["left"], found["right"]) == (20000, 16384)
    assert found["right_place"]["file"] == files[1]
    assert not report["equal"]


def test_diff_takes_a_release_after_an_at_sign(files: tuple[str, str]) -> None:
    result = run(files[0], f"{files[0]}@1.5.1")
    assert result.exit_code == 1
    assert "1.5.1" in result.stdout


def test_diff_compares_targets_and_overlays() -> None:
    assert run("disagg-gb200", "disagg-gb200@1.3.1").exit_code == 0
    laid = run("agg-gb200", "agg-gb200,quant-w4a8-mxfp4-mxfp8")
    assert laid.exit_code == 1
    assert "$OVERRIDE_QUANT_ALGO" in laid.stdout


def test_diff_reads_one_side_from_standard_input(files: tuple[str, str]) -> None:
    assert run(files[0], "-", stdin=text(objects())).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-", "-"), "one side"),
        (("nowhere.yaml", "disagg-gb200"), "neither a target nor a file"),
        (("disagg-gb200", "disagg-gb200@9.9.9"), "9.9.9"),
    ],
)
def test_diff_refuses_what_it_cannot_read_with_2(arguments: tuple[str, str], said: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stdout == ""


def test_a_long_value_goes_on_below_instead_of_over_the_edge() -> None:
    long = Difference("decode", "cuda_graph_config.batch_sizes", list(range(90)), None, Place("f"))
    lines = as_text(("a", "b"), [long], places=True).splitlines()
    assert max(map(len, lines)) <= 100
    assert "89]" in "".join(lines)


def test_diff_asks_for_two_sources(files: tuple[str, str]) -> None:
    assert run(files[0]).exit_code == 2
