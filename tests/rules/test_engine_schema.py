"""The engine schema says what is known of a version, and no more."""

from __future__ import annotations

from typing import Any

import pytest

from gptoss.facts.engine_keys import Life, schema_for
from gptoss.facts.engine_types import fault, mended
from tests.rules.examples import FACTS

EXACT = schema_for(FACTS, "1.3.0rc14")


@pytest.mark.parametrize(
    ("version", "field", "life"),
    [
        ("1.3.0rc14", "max_batch_size", Life.PRESENT),
        ("1.3.0rc14", "post_processor_hook", Life.ABSENT),
        ("1.3.0rc22", "post_processor_hook", Life.PRESENT),
        ("1.3.0rc11", "kv_cache_config.onboard_blocks", Life.PRESENT),
        ("1.3.0rc14", "kv_cache_config.onboard_blocks", Life.ABSENT),
        ("1.3.0rc25", "sampler_type", Life.UNDECIDED),
    ],
)
def test_a_field_lives_from_version_to_version(version: str, field: str, life: Life) -> None:
    schema = schema_for(FACTS, version)
    known = schema.field(field)
    assert known is not None
    assert schema.life(known) is life


@pytest.mark.parametrize(
    ("path", "shortest"),
    [
        ("no_such_block.inside.it", "no_such_block"),
        ("kv_cache_config.no_such_key", "kv_cache_config.no_such_key"),
        ("env_overrides.ANYTHING", None),
        ("model_kwargs.anything.at.all", None),
        ("hf_revision", None),
    ],
)
def test_an_unknown_key_is_named_once_where_it_begins(path: str, shortest: str | None) -> None:
    found = EXACT.unknown(path)
    assert (found[0] if found else None) == shortest


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("tp_size", "write tensor_parallel_size"),
        ("max_batchsize", "write max_batch_size"),
        ("kv_cache_config.free_gpu_memory_fracton", "write free_gpu_memory_fraction"),
        ("enable_padding", "write cuda_graph_config.enable_padding"),
        ("enable_overlap_scheduler", "with the opposite value"),
        ("post_processor_hook", "came with TensorRT-LLM 1.3.0rc21"),
        ("xyzzy", "remove it"),
    ],
)
def test_a_suggestion_says_what_to_write(path: str, hint: str) -> None:
    assert hint in EXACT.suggestion(path)


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("max_batch_size", 64, None),
        ("max_batch_size", "64", None),
        ("max_batch_size", None, None),
        ("max_batch_size", "many", "a whole number"),
        ("max_batch_size", 1.5, "a whole number"),
        ("max_batch_size", [64], "a whole number"),
        ("enable_attention_dp", "yes", None),
        ("enable_attention_dp", 2, "true or false"),
        ("kv_cache_config", 5, "a map"),
        ("kv_cache_config.dtype", "FP8", None),
        ("kv_cache_config.dtype", "bfloat16", None),
        ("kv_cache_config.dtype", "fp4", "one of auto, fp8, nvfp4"),
        ("kv_cache_config.free_gpu_memory_fraction", 1.5, "at most 1"),
        ("kv_cache_config.free_gpu_memory_fraction", None, "a number"),
        ("kv_cache_config.max_attention_window", [], "a list of at least 1"),
        ("kv_cache_config.max_attention_window", [128, 0], "more than 0"),
        ("cache_transceiver_config.backend", "ucx", "one of DEFAULT, UCX, NIXL, MOONCAKE, MPI"),
        ("cuda_graph_config", None, None),
        ("stream_interval", 0, "more than 0"),
    ],
)
def test_a_value_is_judged_as_the_engine_judges_it(
    path: str, value: Any, expected: str | None
) -> None:
    field = EXACT.field(path)
    assert field is not None
    assert fault(EXACT.reading(field), value) == expected


@pytest.mark.parametrize(
    ("given", "meant"), [("ucx", "UCX"), ("Nixl", "NIXL"), ("NIX", "NIXL"), ("xyzzy", None)]
)
def test_the_value_that_was_meant_is_found(given: str, meant: str | None) -> None:
    field = EXACT.field("cache_transceiver_config.backend")
    assert field is not None
    assert mended(EXACT.reading(field), given, {}) == meant


def test_what_two_readings_disagree_about_is_not_judged() -> None:
    between = schema_for(FACTS, "1.3.0rc19")
    field = between.field("moe_config.backend")
    assert field is not None
    assert fault(between.reading(field), "MARLIN") is None


@pytest.mark.parametrize(
    ("version", "path", "hint"),
    [
        ("1.3.0rc14", "kv_cache_config.block_reuse_policy", "came with TensorRT-LLM 1.3.0rc21"),
        ("1.3.0rc29", "kv_cache_config.onboard_blocks", "dropped before 1.3.0rc14"),
        ("1.3.0rc14", "Max_Batch_Size", "write max_batch_size"),
        ("1.3.0rc14", "max-batch-size", "write max_batch_size"),
        ("1.3.0rc22", "video_pruning_rate", "write multimodal_config.video_pruning_rate"),
    ],
)
def test_a_suggestion_goes_by_the_version(version: str, path: str, hint: str) -> None:
    assert hint in schema_for(FACTS, version).suggestion(path)


@pytest.mark.parametrize(
    ("version", "path", "value", "history"),
    [
        ("1.3.0rc14", "moe_config.backend", "MARLIN", "MARLIN came with TensorRT-LLM 1.3.0rc21"),
        ("1.3.0rc14", "cache_transceiver_config.backend", "ucx", "last read in 1.0.0-dev"),
        ("1.3.0rc14", "speculative_config.decoding_type", "UserProvided", "last read in 1.2.0rc2"),
        ("1.3.0rc14", "moe_config.backend", "XYZZY", None),
    ],
)
def test_a_value_of_another_version_is_known_as_such(
    version: str, path: str, value: str, history: str | None
) -> None:
    schema = schema_for(FACTS, version)
    told = schema.value_history(schema.field(path) or {}, value)
    assert told is None if history is None else told is not None and history in told


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (
            "prometheus_metrics_config.e2e_request_latency_buckets",
            [1, 1],
            "a list that rises from each value to the next",
        ),
        ("speculative_config.draft_len_schedule", {"1": "three"}, "a map"),
        ("speculative_config.draft_len_schedule", {"1": "3"}, None),
        ("max_batch_size", "nan", "a whole number"),
        ("pp_partition", False, "a list"),
        ("max_batch_size", True, None),
        ("kv_cache_config.free_gpu_memory_fraction", "0.9", None),
    ],
)
def test_lists_and_maps_are_judged_by_what_they_hold(
    path: str, value: Any, expected: str | None
) -> None:
    assert fault(EXACT.reading(EXACT.field(path) or {}), value) == expected


def test_shares_of_pools_have_to_add_up() -> None:
    schema = schema_for(FACTS, "1.3.0rc22")
    reading = schema.reading(schema.field("kv_cache_config.pool_ratio") or {})
    assert fault(reading, [0.5, 0.5]) is None
    assert fault(reading, [0.5, 0.4]) == "a list that adds up to 1"
