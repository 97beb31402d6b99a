"""Promises of gptoss.precedence.serve: who wins on trtllm-serve, by version of TensorRT-LLM."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gptoss.deployment.settings import Layer, Settings
from gptoss.facts.programs import SERVE, taken_for
from gptoss.facts.world import Facts
from gptoss.precedence.serve import flags_win, serve_settings
from gptoss.text.places import Place
from gptoss.text.yaml_tree import parse_documents
from tests.command_lines.words import arguments_of

FACTS = Facts()
HOME = Place("server.yaml", 1)
BEFORE, AFTER = "1.3.0rc14", "1.3.0rc22"


def settings_of(version: str, *words: str, engine: dict[str, Any] | None = None) -> Settings:
    program = taken_for(SERVE, version, FACTS)
    arguments = arguments_of(program, "openai/gpt-oss-120b", *words)
    documents = parse_documents(yaml.safe_dump(engine), "engine.yaml") if engine else [None]
    return serve_settings(version, arguments, documents[0], HOME, FACTS, lambda _, place: place)


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("1.2.0rc2", False),
        ("1.3.0rc5.post1", False),
        ("1.3.0rc11", False),
        ("1.3.0rc14", False),
        ("1.3.0rc16", None),
        ("1.3.0rc18", True),
        ("1.3.0rc19", True),
        ("1.3.0rc29", True),
        ("1.3.0", True),
        ("", None),
        ("latest", None),
    ],
)
def test_flags_win_from_1_3_0rc18_on_and_the_yaml_up_to_rc14(
    version: str, expected: bool | None
) -> None:
    assert flags_win(version, FACTS) is expected


@given(flag=st.integers(1, 9999), engine=st.integers(1, 9999))
def test_both_claims_are_kept_in_the_order_of_the_version(flag: int, engine: int) -> None:
    for version, layers in (
        (BEFORE, [Layer.FLAG, Layer.ENGINE]),
        ("1.3.0rc16", [Layer.FLAG, Layer.ENGINE]),
        (AFTER, [Layer.ENGINE, Layer.FLAG]),
    ):
        words = ("--max_batch_size", str(flag))
        setting = settings_of(version, *words, engine={"max_batch_size": engine})["max_batch_size"]
        assert [claim.layer for claim in setting.claims] == layers
        assert setting.value == {Layer.FLAG: flag, Layer.ENGINE: engine}[layers[-1]]


@pytest.mark.parametrize("version", [BEFORE, AFTER])
def test_a_flag_survives_in_a_block_that_the_yaml_sets_otherwise(version: str) -> None:
    settings = settings_of(
        version,
        "--free_gpu_memory_fraction",
        "0.7",
        engine={"kv_cache_config": {"enable_block_reuse": False}},
    )
    assert settings["kv_cache_config.free_gpu_memory_fraction"].value == 0.7
    assert settings["kv_cache_config.free_gpu_memory_fraction"].lost == ()


def test_before_1_3_the_block_of_the_yaml_replaces_that_of_the_flags() -> None:
    settings = settings_of(
        "1.2.0rc2",
        "--kv_cache_free_gpu_memory_fraction",
        "0.7",
        engine={"kv_cache_config": {"enable_block_reuse": False}},
    )
    lost = settings["kv_cache_config.free_gpu_memory_fraction"].lost
    assert [claim.value for claim in lost] == [0.7]


@pytest.mark.parametrize(
    ("words", "key", "value"),
    [
        (("--tp_size", "8"), "tensor_parallel_size", 8),
        (("--ep_size=8",), "moe_expert_parallel_size", 8),
        (
            ("--kv_cache_free_gpu_memory_fraction", "0.5"),
            "kv_cache_config.free_gpu_memory_fraction",
            0.5,
        ),
        (("--kv_cache_dtype", "fp8"), "kv_cache_config.dtype", "fp8"),
        (("--enable_attention_dp",), "enable_attention_dp", True),
        (("--no-telemetry",), "telemetry_config.disabled", True),
        (("--telemetry",), "telemetry_config.disabled", False),
        (("--tp_size", "8", "--tensor_parallel_size", "4"), "tensor_parallel_size", 4),
    ],
)
def test_a_flag_sets_its_engine_setting_under_any_of_its_names(
    words: tuple[str, ...], key: str, value: Any
) -> None:
    assert settings_of(BEFORE, *words)[key].value == value


def test_what_nobody_sets_has_the_default_of_the_flag() -> None:
    settings = settings_of(BEFORE)
    assert settings["max_batch_size"].value == 2048
    assert settings["max_num_tokens"].value == 8192
    assert settings["kv_cache_config.free_gpu_memory_fraction"].value == 0.9
    assert settings["telemetry_config.disabled"].value is False
