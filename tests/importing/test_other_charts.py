"""Values of other charts are carried over, and nothing of them is dropped without a word."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from click.testing import CliRunner

from gptoss.cli.check import check
from gptoss.cli.transfer import import_
from gptoss.facts.world import Facts
from gptoss.importing.charts import nim, production_stack, shared_values
from gptoss.importing.charts.carrying import has_key
from gptoss.importing.charts.convert_values import convert_values
from gptoss.importing.document import plain
from gptoss.sources.recognise import other_chart
from gptoss.sources.request import Request
from gptoss.text.errors import InputError
from gptoss.text.yaml_tree import Tree, parse_documents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.importing.convert import Imported

FACTS = Facts()
FOLDER = Path(__file__).parents[2] / "examples" / "other-charts"
FILES = {path.stem.replace("-", "_"): path for path in sorted(FOLDER.glob("*.yaml"))}
# Said by what is carried over, or by the chart being another one.
SILENT = {
    "production_stack": {
        "servingEngineSpec.modelSpec.0.name",
        "servingEngineSpec.modelSpec.0.requestGPU",
        "servingEngineSpec.modelSpec.0.keda.triggers.0.type",
        "servingEngineSpec.modelSpec.0.keda.triggers.0.metadata.metricName",
        "servingEngineSpec.modelSpec.0.keda.triggers.0.metadata.query",
    },
    "llm_d": set[str](),
    "nim": {
        "image.repository",
        "image.tag",
        "model.name",
        "nfs.path",
        "nfs.server",
        "persistence.enabled",
    },
}


def converted(values: dict[str, Any] | str, gpu: str | None = None) -> Imported:
    text = values if isinstance(values, str) else yaml.safe_dump(values)
    (tree,) = parse_documents(text, "theirs.yaml")
    chart = other_chart(tree)
    assert chart is not None
    request = Request(("theirs.yaml",), gpu=gpu)
    return convert_values(tree, chart, request, FACTS, None, "values.yaml", None)


def carried(name: str) -> Any:
    return plain(converted(FILES[name].read_text()).values)


def leaves(tree: Tree, path: str = "") -> Iterator[tuple[str, Tree]]:
    if not tree.is_container:
        yield path, tree
    for key, inner in tree.items():
        yield from leaves(inner, f"{path}.{key}".lstrip("."))
    for number, inner in enumerate(tree.elements()):
        yield from leaves(inner, f"{path}.{number}")


@pytest.mark.parametrize("name", FILES)
def test_every_line_is_carried_over_or_spoken_of(name: str) -> None:
    # One value a line, so that a line stands for a value.
    text = yaml.safe_dump(yaml.safe_load(FILES[name].read_text()), width=1000)
    imported = converted(text)
    told = {note.place.line for note in imported.notes if note.place}
    (tree,) = parse_documents(text, "theirs.yaml")
    silent = []
    for path, leaf in leaves(tree):
        parents = [tree.at(*steps) for steps in _parents(path)]
        lines = {leaf.where.line, *(each.where.line for each in parents if each)}
        written = any(f"theirs.yaml:{line}" in imported.text.replace("\n", " ") for line in lines)
        word = "rgs." in path  # a flag stands for its value
        if not (written or lines & told or leaf.value is False or word):
            silent.append(path)
    assert set(silent) <= SILENT[name]


def _parents(path: str) -> Iterator[list[str | int]]:
    steps: list[str | int] = [int(s) if s.isdecimal() else s for s in path.split(".")]
    yield from (steps[:end] for end in range(1, len(steps)))


@pytest.mark.parametrize("name", FILES)
def test_the_chart_takes_what_is_written_and_check_finds_no_error(name: str) -> None:
    result = CliRunner().invoke(import_, [str(FILES[name]), "--format", "json"])
    report = json.loads(result.stdout)
    assert report["refused"] == []
    assert "error" not in {finding["severity"] for finding in report["findings"]}
    assert "helm install" in report["values"]


def test_they_are_read_from_standard_input_too() -> None:
    result = CliRunner().invoke(import_, ["-"], input=FILES["nim"].read_text())
    assert "tensor_parallel_size: 2  # <stdin>:6" in result.stdout


def test_vllm_s_sizes_become_those_of_the_engine() -> None:
    engine = carried("production_stack")["workers"]["worker"]["engine"]
    assert engine == {
        "tensor_parallel_size": 4,
        "moe_expert_parallel_size": 4,
        "max_seq_len": 131072,
        "max_batch_size": 256,
        "max_num_tokens": 8192,
        "enable_chunked_prefill": True,
        "kv_cache_config": {"enable_block_reuse": True},
    }


def test_what_surrounds_an_engine_of_production_stack_goes_along() -> None:
    values = carried("production_stack")
    assert values["hardware"]["gpu"] == "h100"
    assert {each["key"] for each in values["hardware"]["tolerations"]} == {
        "dedicated",
        "nvidia.com/gpu",
    }
    assert values["modelCache"]["storageClassName"] == "fast"
    assert values["modelCache"]["download"]["tokenSecret"] == {"name": "hub", "key": "token"}
    assert values["frontend"]["routerMode"] == "kv"
    assert values["frontend"]["replicas"] == 2
    assert values["workers"]["worker"]["sharedMemory"] == "20Gi"


def test_prefill_and_decode_of_llm_d_are_workers_of_these_names() -> None:
    values = carried("llm_d")
    assert {name: each["role"] for name, each in values["workers"].items()} == {
        "prefill": "prefill",
        "decode": "decode",
    }
    assert values["hardware"]["nodeSelector"]["pool"] == "serving"
    assert values["hardware"]["rdma"]["resource"] == "rdma/ib"
    decode = values["workers"]["decode"]
    assert decode["extraVolumes"] == [{"name": "scratch", "emptyDir": {}}]
    assert decode["resources"]["limits"] == {"memory": "200Gi"}
    assert values["model"]["servedName"] == "gpt-oss"


def test_a_nim_is_a_server_without_an_operator_with_its_claim_and_replicas() -> None:
    values = carried("nim")
    assert values["runtime"]["kind"] == "trtllm-serve"
    assert values["workers"]["worker"]["replicas"] == 2
    assert values["workers"]["worker"]["engine"]["tensor_parallel_size"] == 2
    assert values["modelCache"]["size"] == "300Gi"
    assert values["imagePullSecrets"] == ["ngc-secret"]


def test_a_way_in_and_autoscaling_go_along() -> None:
    values = carried("production_stack")
    assert values["ingress"]["hosts"] == [{"host": "chat.example.com"}]
    assert values["ingress"]["controller"] == "nginx"
    assert values["service"] == {"type": "LoadBalancer"}
    scaling = values["workers"]["worker"]["autoscaling"]
    assert scaling["maxReplicas"] == 4
    assert scaling["targetQueuedRequests"] == 5
    assert values["autoscaling"]["prometheus"]["serverAddress"] == "http://prom:9090"
    assert values["frontend"]["pdb"]["minAvailable"] == 1
    assert carried("nim")["autoscaling"]["kind"] == "hpa"


def test_a_service_account_is_that_of_the_jobs() -> None:
    values = yaml.safe_load(FILES["llm_d"].read_text()) | {"serviceAccountOverride": "puller"}
    imported = converted(values)
    assert plain(imported.values)["serviceAccount"] == {"name": "puller"}
    assert any("puller" in note.message for note in imported.notes)


def test_data_parallelism_becomes_attention_data_parallelism() -> None:
    values = {
        "modelArtifacts": {"uri": "hf://openai/gpt-oss-120b"},
        "decode": {
            "parallelism": {"tensor": 1, "data": 8},
            "containers": [{"name": "vllm", "args": ["--enable-expert-parallel"]}],
        },
    }
    worker = plain(converted(values, "b200").values)["workers"]["worker"]
    assert worker["engine"]["tensor_parallel_size"] == 8
    assert worker["engine"]["enable_attention_dp"] is True
    assert worker["engine"]["moe_expert_parallel_size"] == 8


def test_a_shell_line_of_vllm_serve_is_read_as_flags() -> None:
    args = ["vllm serve openai/gpt-oss-120b \\\n  -tp 2 --max-model-len 1k \\\n  --port 8200"]
    values = {
        "modelArtifacts": {"name": "openai/gpt-oss-120b"},
        "decode": {"containers": [{"name": "vllm", "args": args}]},
    }
    engine = plain(converted(values, "h100").values)["workers"]["worker"]["engine"]
    assert (engine["tensor_parallel_size"], engine["max_seq_len"]) == (2, 1000)


def test_a_token_in_plain_text_is_not_written() -> None:
    values = yaml.safe_load(FILES["production_stack"].read_text())
    spec = values["servingEngineSpec"]["modelSpec"][0]
    spec["hf_token"] = "hf_abcdefghijklmnopqrstuvwxyz"  # noqa: S105
    spec["env"].append({"name": "SOME_API_KEY", "value": "abc"})
    imported = converted(values)
    assert "hf_abc" not in imported.text
    assert "abc" not in imported.text.split("env:")[1]
    told = [note.message for note in imported.notes]
    assert any("tokenSecret" in message for message in told)
    assert any("SOME_API_KEY" in message for message in told)


def test_of_several_models_the_known_one_is_taken_and_the_others_are_named() -> None:
    values = yaml.safe_load(FILES["production_stack"].read_text())
    specs = values["servingEngineSpec"]["modelSpec"]
    specs.insert(0, {"name": "small", "modelURL": "some/other"})
    specs.insert(0, {"name": "off", "modelURL": "some/off", "enabled": False})
    imported = converted(values)
    assert plain(imported.values)["model"]["id"] == "openai/gpt-oss-120b"
    assert any("some/other" in note.message for note in imported.notes)


@pytest.mark.parametrize("name", FILES)
def test_without_a_label_the_kind_of_gpu_has_to_be_given(name: str) -> None:
    text = FILES[name].read_text().replace("nvidia.com/gpu.product", "pool")
    for gpu in ("H100", "B200"):
        text = text.replace(gpu, "GPU")
    with pytest.raises(InputError, match="--gpu h100 or h200"):
        converted(text.replace("b200", "x"))
    assert plain(converted(text, "gb200").values)["hardware"]["gpu"] == "gb200"


def test_check_says_what_they_are_and_what_reads_them() -> None:
    for name, path in FILES.items():
        with pytest.raises(InputError, match=r"values of .* chart; gptoss import") as raised:
            CliRunner().invoke(check, [str(path)], catch_exceptions=False)
        assert name.split("_")[0] in raised.value.message.lower().replace("-", "_")


def test_there_is_an_example_of_each_chart() -> None:
    assert set(SILENT) == set(FILES)


ODD = (None, 7, "text", ["a", {"b": 1}], {"a": {"b": [1]}}, -1, True, "")


@pytest.mark.parametrize("name", FILES)
def test_odd_values_are_one_message_or_a_file_never_a_traceback(name: str) -> None:
    whole = yaml.safe_load(FILES[name].read_text())
    for number, place in enumerate(_places(whole)):
        for odd in (ODD[number % len(ODD)], ODD[(number + 3) % len(ODD)]):
            changed = copy.deepcopy(whole)
            inner = changed
            for step in place[:-1]:
                inner = inner[step]
            inner[place[-1]] = odd
            (tree,) = parse_documents(json.dumps(changed), "theirs.yaml")
            chart = other_chart(tree)
            if chart is None:
                continue
            request = Request(("theirs.yaml",), gpu="h100")
            try:
                convert_values(tree, chart, request, FACTS, None, "values.yaml", None)
            except InputError:
                continue


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else ()
    for key, inner in items or enumerate(value if isinstance(value, list) else ()):
        yield from _places(inner, (*path, key))


ROWS = {
    "modelCache": (production_stack.STORAGE, nim.STORAGE),
    "workers.worker": (production_stack.MODEL_KEYS, nim.WORKER_KEYS),
    "workers.worker.autoscaling": (production_stack.SCALING, nim.SCALING),
    "service": (production_stack.SERVICE,),
    "httpRoute": ({key: key for key in production_stack.ROUTE},),
    "ingress": (shared_values.INGRESS_KEYS,),
    "frontend.pdb": (production_stack.BUDGET,),
}


def test_every_key_that_is_written_is_one_of_the_chart() -> None:
    keys = {f"{at}.{to}" for at, rows in ROWS.items() for row in rows for to in row.values()}
    keys |= set(nim.WHOLE.values())
    keys |= {"serviceAccount.name", "updateStrategy", "autoscaling.prometheus.serverAddress"}
    assert [key for key in sorted(keys) if not has_key(key)] == []
