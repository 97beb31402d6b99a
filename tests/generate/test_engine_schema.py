import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from generate.engine_schema import (
    ENGINE,
    ROOT,
    compact_facts,
    json_schema,
    read_yaml,
    shipped,
    union_schema,
)
from gptoss.facts.engine_keys import EngineSchema, Life
from gptoss.facts.versions import trtllm_number
from gptoss.text import plain_yaml

FACTS = read_yaml(ENGINE / "fields.yaml")
SHIPPED = {schema.version: schema for schema in shipped(compact_facts())}
SCHEMAS = {version: json_schema(schema) for version, schema in SHIPPED.items()}
SCHEMA = SCHEMAS["1.3.0rc14"]
UNION = union_schema(list(SHIPPED.values()))
ENGINE_YAML = Draft202012Validator(SCHEMA)
versions = pytest.mark.parametrize("version", SHIPPED)

AGGREGATED = """
tensor_parallel_size: 4
moe_expert_parallel_size: 4
enable_attention_dp: true
attention_dp_config: {enable_balance: true, batching_wait_iters: 0, timeout_iters: 60}
max_batch_size: 640
max_num_tokens: 20000
max_seq_len: 9236
enable_chunked_prefill: true
stream_interval: 20
num_postprocess_workers: 4
kv_cache_config: {dtype: fp8, free_gpu_memory_fraction: 0.85, max_attention_window: [128, 9236]}
cuda_graph_config: {max_batch_size: 640, enable_padding: true}
moe_config: {backend: TRTLLM}
env_overrides: {TRTLLM_ENABLE_PDL: 1, NCCL_GRAPH_REGISTER: "0"}
print_iter_log: true
"""
PREFILL = """
disable_overlap_scheduler: true
cuda_graph_config: null
max_batch_size: null
cache_transceiver_config: {backend: UCX, max_tokens_in_buffer: 9216, kv_transfer_timeout_ms: null}
kv_cache_config: {enable_block_reuse: false, tokens_per_block: 32, dtype: bfloat16}
speculative_config: {decoding_type: Eagle3, max_draft_len: 3, draft_len_schedule: {1: 3, 64: 1}}
load_format: AUTO
hf_revision: refs/pr/35
"""


def fields_of(schema: dict[str, Any], prefix: str = "") -> set[str]:
    paths = set()
    for name, field in schema["properties"].items():
        paths |= {prefix + name} | fields_of({"properties": {}} | field, f"{prefix}{name}.")
    return paths


def found(schema: dict[str, Any], path: str) -> dict[str, Any] | None:
    at: dict[str, Any] | None = schema
    for name in path.split("."):
        at = (at or {}).get("properties", {}).get(name)
    return at


def refusals(text: str) -> list[str]:
    return [error.message for error in ENGINE_YAML.iter_errors(plain_yaml.load(text))]


@pytest.mark.parametrize("schema", [*SCHEMAS.values(), UNION], ids=[*SCHEMAS, "union"])
def test_schema_is_valid_draft_2020_12_without_references(schema: dict[str, Any]) -> None:
    Draft202012Validator.check_schema(schema)
    assert "$ref" not in json.dumps(schema)


def test_every_version_that_a_release_ships_has_its_schema() -> None:
    releases = read_yaml(Path("schema/releases.yaml"))["releases"].values()
    for release in releases:
        path = ROOT / ENGINE / f"trtllm-{release['trtllm']}.schema.json"
        assert json.loads(path.read_text(encoding="utf-8")) == SCHEMAS[release["trtllm"]]


@versions
def test_every_field_says_which_versions_have_it(version: str) -> None:
    for path, field in FACTS["fields"].items():
        schema = found(SCHEMAS[version], path)
        if SHIPPED[version].life(field) is Life.ABSENT:
            assert schema is None, path
            continue
        assert schema is not None, path
        assert "TensorRT-LLM since" in schema["description"], path
        doubted = "Not certain" in schema["description"]
        assert doubted is (SHIPPED[version].life(field) is Life.UNDECIDED), path


def test_only_a_version_newer_than_the_sources_takes_unknown_keys() -> None:
    unknown = {"brand_new": 1, "kv_cache_config": {"brand_new": 1}}
    for version, schema in SCHEMAS.items():
        refused = list(Draft202012Validator(schema).iter_errors(unknown))
        is_newer = trtllm_number(version) > trtllm_number(FACTS["known_until"])
        assert len(refused) == (0 if is_newer else 2), version
    assert is_newer


@pytest.mark.parametrize(
    ("version", "text", "accepted"),
    [
        ("1.3.0rc11", "kv_cache_config: {onboard_blocks: true}", True),
        ("1.3.0rc14", "kv_cache_config: {onboard_blocks: true}", False),
        ("1.3.0rc14", "moe_config: {backend: MARLIN}", False),
        ("1.3.0rc19", "moe_config: {backend: MARLIN}", True),
        ("1.3.0rc22", "moe_config: {backend: MARLIN}", True),
        ("1.3.0rc22", "cache_transceiver_config: {transceiver_runtime: auto}", True),
        ("1.3.0rc19", "gms_config: {mode: ro}", True),
        ("1.3.0rc11", "gms_config: {mode: ro}", False),
        ("1.3.0rc5.post1", "cache_transceiver_config: {backend: ucx}", False),
    ],
)
def test_each_version_takes_what_it_knows(version: str, text: str, accepted: bool) -> None:
    validator = Draft202012Validator(SCHEMAS[version])
    assert validator.is_valid(plain_yaml.load(text)) is accepted


def test_the_union_has_the_fields_of_all_versions_and_is_closed() -> None:
    assert fields_of(UNION) == set().union(*map(fields_of, SCHEMAS.values()))
    union = Draft202012Validator(UNION)
    assert union.is_valid({"kv_cache_config": {"onboard_blocks": True, "avg_seq_len": 9}})
    assert not union.is_valid({"kv_cache_config": {"onboard_block": True}})


def test_373_paths_are_known_each_with_a_one_line_summary() -> None:
    assert len(FACTS["fields"]) == 373
    for path, field in FACTS["fields"].items():
        assert 0 < len(field["summary"]) <= 110, path
        assert "\n" not in field["summary"], path


@pytest.mark.parametrize(
    ("version", "present", "absent", "undecided"),
    [
        ("1.0.0", 144, 170, 59),
        ("1.1.0", 144, 170, 59),
        ("1.2.0", 182, 140, 51),
        ("1.3.0rc5.post1", 217, 115, 41),
        ("1.3.0rc11", 229, 116, 28),
        ("1.3.0rc14", 272, 101, 0),
        ("1.3.0rc19", 269, 61, 43),
        ("1.3.0rc22", 309, 28, 36),
        ("1.3.0rc25", 310, 14, 49),
        ("1.3.0rc29", 310, 14, 49),
    ],
)
def test_limits_decide_which_fields_a_version_has(
    version: str, present: int, absent: int, undecided: int
) -> None:
    schema = EngineSchema(version, FACTS)
    counts = Counter(schema.life(field).value for field in FACTS["fields"].values())
    assert counts == Counter(present=present, absent=absent, undecided=undecided)


def test_schema_of_rc14_has_the_272_fields_of_that_version_and_their_aliases() -> None:
    fields = fields_of(SCHEMA)
    aliases = {"hf_revision", "_mpi_session"}
    assert len(fields - aliases) == 272
    assert aliases < fields
    assert len(SCHEMA["properties"]) == 95 + len(aliases)
    blocks = Counter(path.partition(".")[0] for path in fields if path.count(".") == 1)
    assert blocks["kv_cache_config"] == 23
    assert blocks["speculative_config"] == 48
    assert blocks["cache_transceiver_config"] == 5
    assert {"moe_config.load_balancer.num_slots", "video_pruning_rate", "sampler_type"} < fields
    assert not fields & {"build_config", "kv_cache_config.onboard_blocks", "multimodal_config"}


def test_every_block_is_closed_but_those_not_read_in_full() -> None:
    def open_blocks(schema: dict[str, Any], path: str) -> set[str]:
        found = {path} if schema.get("additionalProperties") is not False else set()
        for name, field in schema["properties"].items():
            if "properties" in field:
                found |= open_blocks(field, f"{path}.{name}".lstrip("."))
        return found

    assert open_blocks(SCHEMA, "") == {
        "lora_config",
        "sleep_config",
        "speculative_config.sa_config",
        "telemetry_config",
    }


@pytest.mark.parametrize("text", [AGGREGATED, PREFILL, "{}"])
def test_engine_yaml_of_a_recipe_is_accepted(text: str) -> None:
    assert refusals(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "cuda_graph_config: null",
        "moe_config: {load_balancer: /etc/balancer.yaml}",
        "model_kwargs: {anything: {at: all}}",
        "sleep_config: {not_read: 1}",
        "allreduce_strategy: null",
        "nvfp4_gemm_config: {allowed_backends: [cutlass]}",
        "kv_cache_config: {dtype: FP8}",
    ],
)
def test_what_the_engine_takes_is_accepted(text: str) -> None:
    assert refusals(text) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("max_batchsize: 4", "'max_batchsize' was unexpected"),
        ("kv_cache_config: {free_memory: 0.8}", "'free_memory' was unexpected"),
        ("cache_transceiver_config: {backend: ucx}", "'ucx' is not one of"),
        ("moe_config: {backend: trtllm}", "'trtllm' is not one of"),
        ("max_num_tokens: 8k", "'8k' is not of type"),
        ("disable_overlap_scheduler: 'yes'", "is not of type 'boolean'"),
        ("kv_cache_config: {free_gpu_memory_fraction: 1.2}", "1.2 is greater than the maximum"),
        ("kv_cache_config: {free_gpu_memory_fraction: null}", "None is not of type 'number'"),
        ("kv_cache_config: {dtype: fp88}", "'fp88' is not one of"),
        ("kv_cache_config: {max_attention_window: []}", "[] should be non-empty"),
        ("kv_cache_config: {max_attention_window: [0]}", "0 is less than or equal to"),
        ("kv_cache_config: null", "None is not of type 'object'"),
        ("stream_interval: 0", "0 is less than or equal to"),
        ("nvfp4_gemm_config: {allowed_backends: [marlin]}", "'marlin' is not one of"),
        ("speculative_config: {draft_len_schedule: {1: three}}", "'three' is not of type"),
        ("build_config: {max_batch_size: 4}", "'build_config' was unexpected"),
        ("ep_size: 4", "'ep_size' was unexpected"),
    ],
)
def test_what_the_engine_refuses_is_refused(text: str, message: str) -> None:
    [refusal] = refusals(text)
    assert message in refusal


def test_stale_keys_are_no_fields_of_rc14_and_point_at_fields() -> None:
    fields = fields_of(SCHEMA)
    for key, advice in read_yaml(ENGINE / "stale_keys.yaml")["keys"].items():
        assert key not in fields - {"video_pruning_rate"}, key
        assert advice["why"], key
        use = advice.get("use", [])
        for path in [use] if isinstance(use, str) else use:
            assert path in FACTS["fields"] or path.startswith("multimodal_config."), key


def test_compact_form_holds_every_field_and_every_stale_key() -> None:
    compact = json.loads((ROOT / ENGINE / "fields.json").read_text(encoding="utf-8"))
    assert compact["fields"].keys() == FACTS["fields"].keys()
    assert compact["fields"]["kv_cache_config.free_gpu_memory_fraction"] == {
        "summary": "Share of the GPU memory left after weights and activations that the KV cache "
        "takes (0 to 1)",
        "type": "float",
        "default": 0.9,
        "minimum": 0,
        "maximum": 1,
        "changes": [
            {
                "until": "1.0.0-dev",
                "default": None,
                "nullable": True,
                "minimum": None,
                "maximum": None,
            }
        ],
    }
    assert compact["stale_keys"]["ep_size"]["use"] == "moe_expert_parallel_size"


def test_limits_and_changes_name_known_versions_only() -> None:
    before = {"0.20", "1.0.0", "1.1.0rc0"}
    known = before | FACTS["sources"].keys() | FACTS["versions"].keys()
    limits = ("absent_until", "since", "until", "absent_from", "deprecated")
    for path, field in FACTS["fields"].items():
        for entry in [field, *field.get("changes", [])]:
            assert {entry[limit] for limit in limits if limit in entry} <= known, path
