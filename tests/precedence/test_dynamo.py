"""Promises of gptoss.precedence.dynamo: who sets an engine setting, and who wins."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gptoss.deployment.settings import Layer, Settings
from gptoss.facts.programs import SERVE, WORKER, program, releases
from gptoss.facts.world import Facts
from gptoss.precedence.dynamo import engine_settings, object_blocks, override_problem
from gptoss.text.places import Place
from gptoss.text.yaml_tree import parse_documents
from tests.command_lines.words import arguments_of, known

if TYPE_CHECKING:
    from gptoss.deployment.model import Problem

FACTS = Facts()
HOME = Place("worker.yaml", 1)


def settings_of(
    *words: str, yaml_text: str = "", release: str = "1.2.1", **variables: str | None
) -> Settings:
    documents = parse_documents(yaml_text, "engine.yaml")
    engine = documents[0] if documents else None
    arguments = arguments_of(known(WORKER, release), *words, variables=variables)
    return engine_settings(
        arguments, engine, HOME, FACTS, lambda _, place: place, FACTS.releases[release]
    )


def problem_of(*words: str) -> Problem | None:
    return override_problem(arguments_of(known(WORKER, "1.2.1"), *words))


NUMBERS = [
    flag for flag in known(WORKER, "1.2.1").flags.values() if flag.engine and flag.kind is int
]
choices = st.fixed_dictionaries({}, optional={flag.name: st.integers(1, 9999) for flag in NUMBERS})


@given(variables=choices, flags=choices, engine=choices, override=choices)
def test_the_strongest_layer_wins_and_every_other_one_is_kept(
    variables: dict[str, int],
    flags: dict[str, int],
    engine: dict[str, int],
    override: dict[str, int],
) -> None:
    key_of = {flag.name: flag.engine[0] for flag in NUMBERS}
    words = [word for name, value in flags.items() for word in (name, str(value))]
    if override:
        text = json.dumps({key_of[name]: value for name, value in override.items()})
        words += ["--override-engine-args", text]
    settings = settings_of(
        *words,
        yaml_text=yaml.safe_dump({key_of[name]: value for name, value in engine.items()}),
        **{
            flag.env: str(variables[flag.name])
            for flag in NUMBERS
            if flag.env and flag.name in variables
        },
    )
    for flag in NUMBERS:
        layers = {
            Layer.ENVIRONMENT: variables,
            Layer.FLAG: flags,
            Layer.ENGINE: engine,
            Layer.OVERRIDE: override,
        }
        expected = [(layer, at[flag.name]) for layer, at in layers.items() if flag.name in at]
        setting = settings[flag.engine[0]]
        assert [(claim.layer, claim.value) for claim in setting.claims] == expected
        default = FACTS.engine_defaults[flag.engine[0]]
        assert setting.value == (expected[-1][1] if expected else default)


blocks = st.dictionaries(
    st.sampled_from(["free_gpu_memory_fraction", "dtype", "tokens_per_block", "max_tokens"]),
    st.integers(1, 64),
    max_size=4,
)


@given(engine=blocks, override=blocks)
def test_an_override_of_a_typed_block_leaves_nothing_else_of_it_in_force(
    engine: dict[str, int], override: dict[str, int]
) -> None:
    settings = settings_of(
        "--free-gpu-memory-fraction",
        "0.8",
        "--override-engine-args",
        json.dumps({"kv_cache_config": override}) if override else "{}",
        yaml_text=yaml.safe_dump({"kv_cache_config": engine}) if engine else "",
    )
    in_force = {s.key for s in settings.under("kv_cache_config")}
    expected = {"free_gpu_memory_fraction", *engine} if not override else set(override)
    assert in_force == {f"kv_cache_config.{name}" for name in expected}
    lost = {s.key for s in settings if s.lost}
    gone = {"free_gpu_memory_fraction", *engine} - set(override) if override else set()
    assert lost == {f"kv_cache_config.{name}" for name in gone}


def test_the_memory_fraction_of_the_flag_survives_a_block_that_leaves_it_out() -> None:
    settings = settings_of(
        "--free-gpu-memory-fraction", "0.8", yaml_text="kv_cache_config: {dtype: fp8}"
    )
    assert settings["kv_cache_config.free_gpu_memory_fraction"].value == 0.8
    assert settings["kv_cache_config.dtype"].value == "fp8"


def test_an_override_of_a_plain_block_is_merged_into_it() -> None:
    settings = settings_of(
        "--override-engine-args",
        '{"cuda_graph_config": {"max_batch_size": 8}}',
        yaml_text="cuda_graph_config: {max_batch_size: 4, enable_padding: true}",
    )
    assert settings["cuda_graph_config.max_batch_size"].value == 8
    assert settings["cuda_graph_config.enable_padding"].value is True


@pytest.mark.parametrize("block", ["null", "7"])
def test_an_override_of_a_whole_block_beats_what_is_in_it(block: str) -> None:
    settings = settings_of(
        "--override-engine-args",
        f'{{"cuda_graph_config": {block}}}',
        yaml_text="cuda_graph_config: {max_batch_size: 4}",
    )
    assert not settings["cuda_graph_config.max_batch_size"].is_set
    assert settings["cuda_graph_config.max_batch_size"].lost[0].value == 4
    assert settings["cuda_graph_config"].winner is not None


def test_dotted_overrides_guess_their_type_as_dynamo_does() -> None:
    settings = settings_of(
        "--trtllm.max_batch_size", "8",
        "--trtllm.kv_cache_config.free_gpu_memory_fraction", "0.5",
        "--trtllm.enable_attention_dp", "True",
        "--trtllm.cuda_graph_config", "none",
        "--trtllm.moe_config.backend", "TRTLLM",
    )  # fmt: skip
    assert {s.key: s.value for s in settings} == {
        "max_batch_size": 8,
        "kv_cache_config.free_gpu_memory_fraction": 0.5,
        "enable_attention_dp": True,
        "cuda_graph_config": None,
        "moe_config.backend": "TRTLLM",
    }
    winner = settings["moe_config.backend"].winner
    assert winner is not None
    assert winner.spelling == "--trtllm.moe_config.backend"
    assert winner.layer is Layer.OVERRIDE


@pytest.mark.parametrize(
    ("words", "variables", "value"),
    [
        (["--enable-attention-dp"], {}, True),
        (["--no-enable-attention-dp"], {}, False),
        (["--enable-attention-dp", "--no-enable-attention-dp"], {}, False),
        ([], {"DYN_TRTLLM_ENABLE_ATTENTION_DP": "on"}, True),
        ([], {"DYN_TRTLLM_ENABLE_ATTENTION_DP": "off"}, False),
        ([], {}, False),
    ],
)
def test_a_switch_is_turned_by_its_two_flags_and_its_variable(
    words: list[str], variables: dict[str, str], value: bool
) -> None:
    assert settings_of(*words, **variables)["enable_attention_dp"].value is value


def test_what_is_no_number_stays_text() -> None:
    settings = settings_of("--max-batch-size", "${SIZE}")
    assert settings["max_batch_size"].value == "${SIZE}"
    assert settings.whole("max_batch_size") is None


def test_a_variable_whose_value_comes_from_elsewhere_claims_nothing() -> None:
    assert not settings_of(DYN_TRTLLM_MAX_BATCH_SIZE=None)["max_batch_size"].is_set


def test_the_block_size_of_the_command_line_is_no_engine_setting() -> None:
    assert list(settings_of("--kv-block-size", "64")) == []


def test_leaves_of_the_engine_yaml_are_lists_empty_blocks_and_maps_with_free_keys() -> None:
    text = """
    cuda_graph_config:
    cache_transceiver_config: {}
    moe_config: {load_balancer: {num_slots: 4}}
    model_kwargs: {torch_dtype: x, other: {y: 1}}
    kv_cache_config: {max_attention_window: [128, 256]}
    """
    settings = settings_of(yaml_text=text)
    assert {s.key: s.value for s in settings} == {
        "cuda_graph_config": None,
        "cache_transceiver_config": {},
        "moe_config.load_balancer.num_slots": 4,
        "model_kwargs": {"torch_dtype": "x", "other": {"y": 1}},
        "kv_cache_config.max_attention_window": [128, 256],
    }


def test_a_claim_says_how_and_where_it_is_written() -> None:
    settings = settings_of(
        "--max-batch-size",
        "8",
        yaml_text="# sizes\nmax_batch_size: 4\n",
        DYN_TRTLLM_MAX_BATCH_SIZE="2",
    )
    assert [(c.spelling, str(c.place)) for c in settings["max_batch_size"].claims] == [
        ("DYN_TRTLLM_MAX_BATCH_SIZE", "env:1:1"),
        ("--max-batch-size", "flags:4:1"),
        ("max_batch_size", "engine.yaml:2:1"),
    ]
    assert settings["max_num_tokens"].place == HOME


def test_a_connector_of_the_command_line_goes_when_the_engine_yaml_has_one() -> None:
    assert settings_of("--connector", "kvbm")["kv_connector_config.connector_module"].is_set
    settings = settings_of(
        "--connector", "kvbm", yaml_text="kv_connector_config: {connector_scheduler_class: X}"
    )
    assert not settings["kv_connector_config.connector_module"].is_set
    assert settings["kv_connector_config.connector_module"].lost
    assert settings["kv_cache_config.enable_partial_reuse"].value is False


@pytest.mark.parametrize(("text", "default"), [("", True), ("scheduler_config: {x: 1}", None)])
def test_the_scheduler_that_dynamo_builds_goes_when_the_engine_yaml_has_one(
    text: str, default: Any
) -> None:
    key = "scheduler_config.dynamic_batch_config.enable_batch_size_tuning"
    expected = default if default is not None else FACTS.engine_defaults.get(key)
    assert settings_of(yaml_text=text)[key].value == expected


@pytest.mark.parametrize("text", ["{max_batch_size: 8}", "[1]", "x", "[" * 10000])
def test_overrides_that_are_no_json_object_are_a_problem_and_set_nothing(text: str) -> None:
    problem = problem_of("--override-engine-args", text)
    assert problem is not None
    assert problem.kind == "override-not-json"
    assert list(settings_of("--override-engine-args", text)) == []


def test_overrides_that_are_json_are_no_problem() -> None:
    assert problem_of("--override-engine-args", '{"a": 1}') is None
    assert problem_of() is None


@pytest.mark.parametrize(
    ("version", "block", "is_object"),
    [
        ("1.3.0rc5.post1", "telemetry_config", False),
        ("1.3.0rc11", "telemetry_config", False),
        ("1.3.0rc14", "telemetry_config", True),
        ("1.3.0rc14", "reorder_policy_config", False),
        ("1.3.0rc19", "reorder_policy_config", False),
        ("1.3.0rc22", "reorder_policy_config", True),
        ("1.3.0rc29", "multimodal_config", True),
    ],
)
def test_the_blocks_that_an_override_replaces_are_those_of_the_version(
    version: str, block: str, is_object: bool
) -> None:
    assert (block in object_blocks(version, FACTS)) is is_object


def test_an_override_replaces_a_block_only_where_it_is_an_object() -> None:
    words = ("--override-engine-args", '{"reorder_policy_config": {"policy_name": "AgentTree"}}')
    text = "reorder_policy_config: {policy_args: {agent_percentage: 0.5}}"
    for release, lost in (("1.3.1", []), ("1.4.2", [0.5])):
        settings = settings_of(*words, yaml_text=text, release=release)
        setting = settings["reorder_policy_config.policy_args.agent_percentage"]
        assert [claim.value for claim in setting.lost] == lost


@pytest.mark.parametrize("name", [WORKER, SERVE])
def test_every_setting_that_a_flag_becomes_is_one_of_the_engine_yaml(name: str) -> None:
    programs = [program(name, release) for release in releases(name)]
    flags = [flag for found in programs if found for flag in found.flags.values()]
    keys = {key for flag in flags for key in flag.engine}
    assert "tensor_parallel_size" in keys
    assert keys - FACTS.engine_fields.keys() == set()


def test_a_flag_under_its_new_name_sets_what_the_old_one_did() -> None:
    for release, flag in (
        ("1.2.1", "--publish-events-and-metrics"),
        ("1.3.1", "--publish-kv-events"),
    ):
        settings = settings_of(flag, release=release)
        assert settings["enable_iter_perf_stats"].value is True
