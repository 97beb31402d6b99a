"""The memory estimates agree with figures worked out by hand."""

from __future__ import annotations

import pytest

from gptoss.rules import _memory
from tests.rules.examples import FACTS, deployment_of, read

MODEL = FACTS.models["openai/gpt-oss-120b"]


def estimate(gpu: str, engine: str, backend: str) -> tuple[float, float, int]:
    """Weights in GiB, bytes of a token and tokens that fit, on one GPU."""
    [worker] = deployment_of(read(f"# worker.yaml\n{engine}")).workers
    facts = FACTS.gpus[gpu]
    return (
        _memory.weights(worker, MODEL, backend),
        _memory.token_bytes(worker, MODEL),
        _memory.kv_tokens(worker, MODEL, facts, backend),
    )


ONE_GPU = """\
tensor_parallel_size: 1
moe_expert_parallel_size: 1
enable_attention_dp: false
kv_cache_config: {free_gpu_memory_fraction: 0.85}
"""


@pytest.mark.parametrize(("gpu", "millions"), [("b200", 1.36), ("h200", 0.89)])
def test_one_gpu_holds_weights_and_about_this_many_tokens(gpu: str, millions: float) -> None:
    weights, token, tokens = estimate(gpu, ONE_GPU, "TRTLLM")
    assert weights == pytest.approx(65.9, abs=0.1)
    assert token == 73_728
    assert tokens / 1e6 == pytest.approx(millions, abs=0.03)


def test_tensor_parallel_ranks_share_weights_and_kv_heads() -> None:
    engine = ONE_GPU.replace("tensor_parallel_size: 1", "tensor_parallel_size: 8")
    weights, token, _ = estimate("b200", engine, "TRTLLM")
    assert weights == pytest.approx((64.6 + 4.04) / 8, abs=0.01)
    assert token == 9_216


def test_attention_data_parallel_ranks_share_only_experts() -> None:
    engine = "tensor_parallel_size: 4\nenable_attention_dp: true\nkv_cache_config: {dtype: fp8}\n"
    weights, token, _ = estimate("gb200", engine, "TRTLLM")
    assert weights == pytest.approx(61.9 / 4 + 4.04, abs=0.01)
    assert token == 36_864


def test_more_ranks_than_kv_heads_save_no_kv_cache() -> None:
    engine = ONE_GPU.replace("tensor_parallel_size: 1", "tensor_parallel_size: 16")
    assert estimate("b200", engine, "TRTLLM")[1] == 9_216
