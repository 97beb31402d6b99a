"""The engine schema says what is known of a version, and no more."""

from __future__ import annotations

from typing import Any

import pytest

from gptoss.rules._engine_schema import Life, schema_for
from gptoss.rules._engine_values import fault, mended
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
    assert fault(field, EXACT.limits(field), value) == expected


@pytest.mark.parametrize(
    ("given", "meant"), [("ucx", "UCX"), ("Nixl", "NIXL"), ("NIX", "NIXL"), ("xyzzy", None)]
)
def test_the_value_that_was_meant_is_found(given: str, meant: str | None) -> None:
    field = EXACT.field("cache_transceiver_config.backend")
    assert field is not None
    assert mended(EXACT.limits(field), given) == meant


def test_what_two_readings_disagree_about_is_not_judged() -> None:
    between = schema_for(FACTS, "1.3.0rc19")
    field = between.field("moe_config.backend")
    assert field is not None
    assert fault(field, between.limits(field), "MARLIN") is None
