"""What rules of kernels, sizes and memory say, and where they keep quiet."""

from __future__ import annotations

import pytest

from gptoss.checking.checker import run
from gptoss.sources.engine_alone import build_engine
from gptoss.text.yaml_tree import parse_documents
from tests.rules.examples import FACTS, deployment_of, read


def told(text: str) -> dict[str, str]:
    """What each rule that fires says, with its advice."""
    findings = run(deployment_of(read(text)), FACTS).findings
    return {finding.rule.id: f"{finding.message}; {finding.hint}" for finding in findings}


TENSOR = """\
# gpu: {gpu}
# worker.yaml
moe_config: {{backend: {backend}}}
moe_expert_parallel_size: {experts}
enable_attention_dp: false
"""


@pytest.mark.parametrize(
    ("gpu", "backend", "experts", "fires"),
    [
        ("h200", "AUTO", 1, True),
        ("h200", "TRITON", 2, True),
        ("h200", "AUTO", 4, False),
        ("b200", "AUTO", 1, False),
    ],
)
def test_auto_is_triton_on_hopper_for_the_advice_to_spread_experts(
    gpu: str, backend: str, experts: int, fires: bool
) -> None:
    text = TENSOR.format(gpu=gpu, backend=backend, experts=experts)
    assert ("P010" in told(text)) is fires


def test_cutlass_is_no_slower_choice_where_attention_is_data_parallel() -> None:
    cutlass = "# worker.yaml\nmoe_config: {backend: CUTLASS}\n"
    assert "M006" not in told(cutlass)
    assert "M006" in told(f"{cutlass}enable_attention_dp: false\n")


@pytest.mark.parametrize(("gpu", "advised"), [("h200", False), ("b200", True)])
def test_a_smaller_kv_cache_type_is_advised_where_the_gpu_has_it(gpu: str, advised: bool) -> None:
    cache = "kv_cache_config: {dtype: auto, free_gpu_memory_fraction: 0.4}"
    text = f"# gpu: {gpu}\n# decode.yaml\nmoe_config: {{backend: AUTO}}\n{cache}\n"
    text += "max_batch_size: 6144\n"
    assert ("fp8" in told(text)["K003"]) is advised


def test_graphs_of_prefill_may_be_smaller_than_its_batch() -> None:
    graphs = "max_batch_size: 64\ncuda_graph_config: {max_batch_size: 30, enable_padding: true}\n"
    assert "E006" not in told(f"# prefill.yaml\n{graphs}")
    assert "E006" in told(f"# decode.yaml\n{graphs}")


@pytest.mark.parametrize(("padding", "fires"), [("true", False), ("false", True)])
def test_a_graph_above_the_batch_counts_only_where_padding_cuts_it(
    padding: str, fires: bool
) -> None:
    graphs = f"{{batch_sizes: [8, 64], enable_padding: {padding}}}"
    assert (
        "E006" in told(f"# decode.yaml\nmax_batch_size: 16\ncuda_graph_config: {graphs}\n")
    ) is fires


@pytest.mark.parametrize(
    ("release", "rule"), [("1.4.2", "M001"), ("1.5.1", "M008"), ("1.6.1", "M008")]
)
def test_a_backend_without_kernels_stops_old_engines_and_is_replaced_by_new_ones(
    release: str, rule: str
) -> None:
    found = told(f"# release: {release}\n# decode.yaml\nmoe_config: {{backend: DEEPGEMM}}\n")
    assert {"M001", "M002", "M008"} & set(found) == {rule}


def test_a_backend_that_may_be_replaced_is_told_where_nobody_knows_the_release() -> None:
    text = "tensor_parallel_size: 1\nmoe_config: {backend: TRTLLM}\n"
    alone = build_engine(parse_documents(text, "a.yaml")[0], "a.yaml", FACTS, None, "h200")
    found = {finding.rule.id for finding in run(alone, FACTS).findings}
    assert {"M002", "M008"} & found == {"M008"}


@pytest.mark.parametrize(("release", "fires"), [("1.3.1", True), ("1.5.1", False)])
def test_sums_of_16_bits_are_told_until_the_engine_adds_in_32(release: str, fires: bool) -> None:
    text = f"# release: {release}\n# decode env\nALL_REDUCE_FUSION_KERNEL_ACC_FP32: null\n"
    assert ("P013" in told(text)) is fires


def test_prompts_beyond_a_batch_are_a_remark_where_nobody_says_how_long_they_are() -> None:
    assert {"E009", "E042"} & set(told("# prefill.yaml\nmax_seq_len: null\n")) == {"E042"}
    assert {"E009", "E042"} & set(told("# prefill.yaml\nmax_num_tokens: 9000\n")) == {"E009"}
