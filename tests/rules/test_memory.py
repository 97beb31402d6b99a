"""The memory estimates agree with figures worked out by hand."""

from __future__ import annotations

import pytest

from gptoss.facts import folders
from gptoss.rules.memory import estimate
from tests.rules.examples import FACTS, deployment_of, read

MODEL = FACTS.models["openai/gpt-oss-120b"]


def estimated(gpu: str, engine: str, backend: str) -> tuple[float, float, int]:
    """Weights in GiB, bytes of a token and tokens that fit, on one GPU."""
    [worker] = deployment_of(read(f"# worker.yaml\n{engine}")).workers
    facts = FACTS.gpus[gpu]
    return (
        estimate.weights(worker, MODEL, backend),
        estimate.token_bytes(worker, MODEL),
        estimate.kv_tokens(worker, MODEL, facts, backend),
    )


ONE_GPU = """\
tensor_parallel_size: 1
moe_expert_parallel_size: 1
enable_attention_dp: false
kv_cache_config: {free_gpu_memory_fraction: 0.85}
"""


@pytest.mark.parametrize(("gpu", "millions"), [("b200", 1.36), ("h200", 0.89)])
def test_one_gpu_holds_weights_and_about_this_many_tokens(gpu: str, millions: float) -> None:
    weights, token, tokens = estimated(gpu, ONE_GPU, "TRTLLM")
    assert weights == pytest.approx(65.9, abs=0.1)
    assert token == 73_728
    assert tokens / 1e6 == pytest.approx(millions, abs=0.03)


def test_tensor_parallel_ranks_share_weights_and_kv_heads() -> None:
    engine = ONE_GPU.replace("tensor_parallel_size: 1", "tensor_parallel_size: 8")
    weights, token, _ = estimated("b200", engine, "TRTLLM")
    assert weights == pytest.approx((64.6 + 4.04) / 8, abs=0.01)
    assert token == 9_216


def test_attention_data_parallel_ranks_share_only_experts() -> None:
    engine = "tensor_parallel_size: 4\nenable_attention_dp: true\nkv_cache_config: {dtype: fp8}\n"
    weights, token, _ = estimated("gb200", engine, "TRTLLM")
    assert weights == pytest.approx(61.9 / 4 + 4.04, abs=0.01)
    assert token == 36_864


def test_more_ranks_than_kv_heads_save_no_kv_cache() -> None:
    engine = ONE_GPU.replace("tensor_parallel_size: 1", "tensor_parallel_size: 16")
    assert estimated("b200", engine, "TRTLLM")[1] == 9_216


def shipped(target: str, role: str) -> str:
    return (folders.root() / "engine_configs" / target / f"{role}.yaml").read_text()


def test_agg_gb200_as_worked_out_by_hand() -> None:
    # 189471 MiB = 185.03 GiB. Experts 61.9 / 4 ranks + all of the other 4.04 = 19.52 GiB.
    # 185.03 - 19.52 - 3.5 = 162.02 GiB free, 0.9 of it for KV cache at 36 × 2 × 8 × 64 × 2 bytes.
    weights, token, tokens = estimated("gb200", shipped("agg-gb200", "worker"), "TRTLLM")
    assert weights == pytest.approx(19.515, abs=0.001)
    assert token == 73_728
    assert tokens == pytest.approx(2_123_566, abs=50)


def test_decode_of_disagg_b200_as_worked_out_by_hand() -> None:
    # 183359 MiB = 179.06 GiB. Experts split by tensor parallelism are padded to 64.6 GiB:
    # 64.6 / 4 + 4.04 / 4 = 17.16. 179.06 - 17.16 - 3.5 = 158.40 GiB free, 0.85 of it for KV cache
    # at 36 × 2 × 2 heads × 64 × 1 byte.
    engine = shipped("disagg-b200", "decode") + "enable_attention_dp: false\n"
    weights, token, tokens = estimated("b200", engine, "TRTLLM")
    assert weights == pytest.approx(17.16, abs=0.001)
    assert token == 9_216
    assert tokens == pytest.approx(15_686_847, abs=300)


def test_one_h100_as_worked_out_by_hand() -> None:
    # 81559 MiB = 79.65 GiB. TRITON does not pad: 56.73 + 4.04 = 60.77. 79.65 - 60.77 - 3.5 = 15.38
    # GiB free, 0.85 of it for KV cache.
    weights, token, tokens = estimated("h100", ONE_GPU, "TRITON")
    assert weights == pytest.approx(60.77, abs=0.001)
    assert token == 73_728
    assert tokens == pytest.approx(190_357, abs=50)


def test_a_moe_tensor_parallel_size_of_its_own_decides_the_padding() -> None:
    engine = ONE_GPU.replace("tensor_parallel_size: 1", "tensor_parallel_size: 8")
    engine = engine.replace("moe_expert_parallel_size: 1", "moe_tensor_parallel_size: 1")
    assert estimated("b200", engine, "TRTLLM")[0] == pytest.approx((61.9 + 4.04) / 8, abs=0.01)


@pytest.mark.parametrize(
    ("graphs", "count"),
    [
        ("{max_batch_size: 64, enable_padding: true}", 3 + 8),
        ("{max_batch_size: 900, enable_padding: true}", 3 + 16 + 2 + 1),
        ("{max_batch_size: 64, enable_padding: false}", 32 + 1),
        ("{batch_sizes: [1, 8, 64]}", 3),
    ],
)
def test_cuda_graphs_are_counted_as_the_engine_captures_them(graphs: str, count: int) -> None:
    engine = f"# worker.yaml text\nmax_batch_size: 900\ncuda_graph_config: {graphs}"
    [worker] = deployment_of(read(engine)).workers
    assert estimate.graphs(worker) == count


def test_without_cuda_graphs_there_are_none() -> None:
    engine = "# worker.yaml text\nmax_batch_size: 900\ncuda_graph_config: null"
    [worker] = deployment_of(read(engine)).workers
    assert estimate.graphs(worker) == 0
