"""Every condition of schema/engine/validators.yaml that a file can show is told, and only then."""

from __future__ import annotations

import pytest

from gptoss.checking.checker import run
from gptoss.rules.rule import RULES
from tests.rules.examples import FACTS, deployment_of, read

DRAFTED = "decoding_type: Eagle3, max_draft_len: 3, speculative_model: a/b"
TREE = f"{DRAFTED}, use_dynamic_tree: true, max_batch_size: 4, dynamic_tree_max_topK: 2"
AUTOMATON = "decoding_type: SA, max_draft_len: 4, enable_global_pool: 1, global_pool_size: 900"


def told(text: str, release: str = "1.2.1") -> dict[str, list[str]]:
    """Messages about the engine YAML by rule."""
    example = read(f"# release: {release}\n# worker.yaml\n{text}\n")
    ids = ("E001", "E002", "E003", "E012", "E013", "E014", "E015", "E016")
    found: dict[str, list[str]] = {}
    for finding in run(deployment_of(example), FACTS, [RULES[rule] for rule in ids]).findings:
        found.setdefault(finding.rule.id, []).append(finding.message)
    return found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("peft_cache_config: {lora_prefetch_dir: /lora}", "lora_prefetch_dir is set"),
        ("ray_worker_extension_cls: a.B", "orchestrator_type is not ray"),
        ("kv_connector_config: {connector_module: a.b}", "lacks connector_scheduler_class and"),
        ("layer_wise_benchmarks_config: {calibration_mode: COLLECT}", "calibration_file_path"),
        ("moe_config: {load_balancer: {num_slots: 130}}", "130 is not divisible"),
        ("moe_config: {load_balancer: {layer_updates_per_iter: 2}}", "has no num_slots"),
        (
            "context_parallel_size: 2\ncp_config: {cp_type: helix, tokens_per_block: 64}",
            "tokens_per_block is 64, but kv_cache_config.tokens_per_block is 32",
        ),
    ],
)
def test_settings_that_do_not_go_together_are_refused(text: str, said: str) -> None:
    (message,) = told(text)["E012"]
    assert said in message
    assert message.endswith("which TensorRT-LLM 1.3.0rc14 refuses")


@pytest.mark.parametrize(
    "text",
    [
        "kv_connector_config: {connector: lmcache}",
        "orchestrator_type: ray\nray_placement_config: {defer_workers_init: true}",
        "moe_config: {load_balancer: {num_slots: 128}}",
        "moe_config: {load_balancer: /etc/balancer.yaml}",
        "moe_config: {load_balancer: null}",
        "cp_config: {cp_type: HELIX, tokens_per_block: 64}",
        f"speculative_config: {{{DRAFTED}}}",
        "speculative_config: {decoding_type: NGram, max_draft_len: 4}",
        f"speculative_config: {{{DRAFTED}, draft_len_schedule: {{1: 3, 8: 0}}}}",
        f"speculative_config: {{{TREE}, max_total_draft_tokens: 6}}",
        f"speculative_config: {{{AUTOMATON}, max_matching_ngram_size: -1}}",
    ],
)
def test_settings_that_go_together_are_left_alone(text: str) -> None:
    assert told(text) == {}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("decoding_type: Medusa", "Medusa is not there on the PyTorch backend"),
        ("decoding_type: Eagle3, max_draft_len: 3", "has no draft model"),
        ("decoding_type: Eagle3, speculative_model_dir: /m", "needs a max_draft_len above 0"),
        ("decoding_type: NGram, max_draft_len: 0", "needs a max_draft_len above 0"),
        ("decoding_type: Draft_Target, max_draft_len: 3", "has no draft model"),
        (f"{DRAFTED}, draft_len_schedule: {{1: 3}}, max_concurrency: 4", "are both set"),
        (f"{DRAFTED}, draft_len_schedule: {{1: 3, 8: 4}}", "has 8: 4 with max_draft_len 3"),
        (f"{DRAFTED}, draft_len_schedule: {{2: 2, 8: 1}}", "has 2: 2 with max_draft_len 3"),
        (f"{DRAFTED}, use_dynamic_tree: true, max_batch_size: 4", "without dynamic_tree_max_topK"),
        (
            f"{TREE}, max_total_draft_tokens: 7",
            "max_total_draft_tokens is 7, outside max_draft_len 3 to 6",
        ),
        ("decoding_type: SA, max_draft_len: 4, max_matching_ngram_size: 0", "ngram_size is 0"),
        ("decoding_type: SA, max_draft_len: 4, global_pool_size: 9", "without enable_global_pool"),
    ],
)
def test_speculation_that_the_engine_refuses_is_refused(settings: str, said: str) -> None:
    found = told(f"speculative_config: {{{settings}}}")
    assert said in " ".join(found["E014"])
    assert "E013" not in found


def test_a_condition_that_was_not_read_in_this_version_is_a_warning() -> None:
    text = "speculative_config: {decoding_type: Eagle3, max_draft_len: 3}"
    found = told(text, release="1.4.2")
    assert "E014" not in found
    assert "which TensorRT-LLM 1.3.0rc22 probably refuses" in found["E013"][0]


def test_a_condition_that_came_later_is_not_told_of_a_version_read_in_full() -> None:
    text = "encode_only: true\nmm_encoder_only: true"
    assert told(text) == {}
    assert "are both set" in told(text, release="1.4.2")["E013"][0]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("max_batch_sise: 8", "E001"),
        ("post_processor_hook: a.b", "E001"),
        ("stream_interval: fast", "E003"),
        ("kv_cache_config: {avg_seq_len: 9216}", "E002"),
        ("speculative_config: {decoding_type: MTP, no_such_key: 1}", "E002"),
    ],
)
def test_between_two_versions_is_certain_what_both_refuse(text: str, rule: str) -> None:
    # 1.3.0rc19 was not read; rc14 before it was, and rc21 after it but for speculation.
    assert {"E001", "E002", "E003", "E004"} & set(told(text, "1.3.1")) == {rule}


def test_a_key_that_the_version_lacks_is_told_once() -> None:
    assert set(told("kv_cache_config: {disk_cache_size: 1000}")) == {"E001"}
    assert set(told("kv_cache_config: {disk_cache_size: 1000}", "1.4.2")) == {"E013"}


@pytest.mark.parametrize(
    ("text", "rule", "said"),
    [
        ("kv_cache_config: {dtype: bfloat16}", "E015", "takes only auto, fp8 and nvfp4"),
        ("enable_lora: true\nlora_config: {lora_dir: [a]}", "E015", "lora_config decides"),
        (
            "scheduler_config: {dynamic_batch_config: {enable_batch_size_tuning: true}}",
            "E015",
            "only the TensorRT backend reads it",
        ),
        (
            "speculative_config: {decoding_type: MTP, max_draft_len: 4}",
            "E015",
            "MTP drafts num_nextn_predict_layers (1) tokens",
        ),
        (f"speculative_config: {{{DRAFTED}, eagle3_one_model: false}}", "E016", "two models"),
        (f"speculative_config: {{{DRAFTED.replace('Eagle3', 'Eagle')}}}", "E016", "for Eagle3"),
        ("backend: pytorch", "E016", "backend is deprecated"),
    ],
)
def test_what_has_no_effect_or_will_not_last_is_told(text: str, rule: str, said: str) -> None:
    found = told(text)
    assert set(found) == {rule}
    assert said in found[rule][0]
