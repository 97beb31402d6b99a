"""What rules of speed say beyond their examples."""

from __future__ import annotations

import pytest

from gptoss.checking.checker import run
from gptoss.facts.world import Facts
from gptoss.sources.load import load
from gptoss.sources.request import Request
from tests.rules.examples import deployment_of, read

FACTS = Facts()
LONG = "# benchmark flags\n--synthetic-input-tokens-mean 8192"
# Documents whose prefill starves decode; their values say nothing about it, and check does.
STARVING = ("disagg-gb200", "disagg-b200", "disagg-b200-node")


def told(text: str) -> dict[str, str]:
    found = run(deployment_of(read(text)), FACTS).findings
    return {f.rule.id: f"{f.message}; {f.hint}" for f in found if f.rule.id.startswith("T")}


def told_of(target: str) -> set[str]:
    (deployment,) = load(Request((target,))).deployments
    return {f.rule.id for f in run(deployment, FACTS).findings if f.rule.id.startswith("T")}


@pytest.mark.parametrize("target", STARVING)
def test_documented_split_targets_starve_and_their_benchmark_waits(target: str) -> None:
    assert told_of(target) == {"T001", "T003"}


@pytest.mark.parametrize(
    "target",
    ["agg-gb200", "disagg-gb200-tuned", "disagg-b200-node-tuned", "serve-throughput-b200"],
)
def test_other_targets_do_not(target: str) -> None:
    assert told_of(target) == set()


def test_a_better_split_is_named_in_gpus() -> None:
    assert "let about 3 of the 5 GPUs prefill instead of 1" in told(LONG)["T001"]


def test_more_replicas_of_prefill_end_the_hunger() -> None:
    three = "# prefill\nreplicas: 3\n---\n# decode gpus: 2\n# decode.yaml\ntensor_parallel_size: 2"
    assert "T001" in told(f"{LONG} --concurrency 600")
    assert "T001" not in told(f"{LONG} --concurrency 600\n---\n{three}")


def test_the_limit_of_goodput_says_what_may_be_waited() -> None:
    calm = f"{LONG} --concurrency 80"
    assert "T003" not in told(calm)
    assert "T003" not in told(f"{calm} --goodput time_to_first_token:5000")
    assert "the limit is 0.2 s" in told(f"{calm} --goodput time_to_first_token:200")["T003"]


@pytest.mark.parametrize(
    "unknown",
    [
        "# gpu: h100\n# decode.yaml\nmoe_config: {backend: TRITON}",
        "# decode.yaml\npipeline_parallel_size: 2",
        "# decode.yaml\nspeculative_config: {decoding_type: NGram}",
        "# decode.yaml\nmoe_config: {backend: CUTLASS}",
        "# benchmark flags\n--shared-system-prompt-length 4096",
        "# benchmark flags\n--prefix-prompt-length 4096 --num-prefix-prompts 1",
        "# benchmark flags\n--public-dataset sharegpt",
        "# benchmark flags\n--request-rate 5",
        "# benchmark flags\n--conversation-turn-mean 3",
    ],
)
def test_nothing_is_said_where_nothing_was_measured_or_traffic_is_another(unknown: str) -> None:
    assert not told(f"{LONG}\n---\n{unknown}")


def test_sizes_that_the_engine_refuses_are_reckoned_as_left_out() -> None:
    refused = told(f"{LONG}\n---\n# prefill.yaml\nmax_num_tokens: -1")
    left_out = told(f"{LONG}\n---\n# prefill.yaml\nmax_num_tokens: null")
    assert refused == left_out != {}


@pytest.mark.parametrize("limit", ["0", "-5", "nan", "inf"])
def test_a_limit_that_is_none_is_no_limit(limit: str) -> None:
    calm = f"{LONG} --concurrency 80"
    assert "T003" not in told(f"{calm} --goodput time_to_first_token:{limit}")
    assert "an answer takes" in told(f"{LONG} --goodput time_to_first_token:{limit}")["T003"]


@pytest.mark.parametrize(
    ("cache", "hint"),
    [
        ("", "lower max_batch_size to about 702, or use more GPUs"),
        ("max_tokens: 65536", "lower max_batch_size to about 64, or raise kv_cache_config"),
        ("max_tokens: 512", "only 1,024 tokens, but max_batch_size is 900; raise kv_cache_config"),
    ],
)
def test_the_advice_on_a_full_cache_is_what_helps(cache: str, hint: str) -> None:
    engine = f"max_batch_size: 900\nmoe_config: {{backend: AUTO}}\nkv_cache_config: {{{cache}}}"
    short = "# benchmark flags removed\n--synthetic-input-tokens-mean"
    assert hint in told(f"# gpu: h100\n# worker.yaml\n{engine}\n---\n{short}")["T004"]
