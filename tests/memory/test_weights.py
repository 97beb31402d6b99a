"""Weights on a GPU are the checkpoint's tensors, cut and padded as the engine does."""

from __future__ import annotations

from math import prod

import pytest

from gptoss.memory.placed_weights import placed_weights
from tests.memory.shapes import GIB, MODEL, shaped


def test_the_tensors_are_all_of_the_checkpoint() -> None:
    a_layer = sum(tensor.bytes for tensor in MODEL.layer_tensors)
    once = sum(tensor.bytes for tensor in MODEL.model_tensors)
    assert MODEL.layers * a_layer + once == MODEL.checkpoint_bytes == 65_248_815_744


def test_the_tensors_have_the_sizes_of_the_model() -> None:
    shapes = {tensor.name: tensor.shape for tensor in MODEL.layer_tensors}
    heads, hidden = MODEL.attention_heads * MODEL.head_dimension, MODEL.hidden_size
    assert shapes["self_attn.q_proj.weight"] == (heads, hidden)
    assert shapes["self_attn.k_proj.weight"] == (MODEL.kv_heads * MODEL.head_dimension, hidden)
    numbers = prod(shapes["mlp.experts.gate_up_proj_blocks"]) * 2
    assert numbers == MODEL.experts * 2 * MODEL.intermediate_size * hidden


def test_a_backend_that_pads_nothing_holds_the_experts_as_the_checkpoint_has_them() -> None:
    in_checkpoint = MODEL.layers * sum(t.bytes for t in MODEL.layer_tensors if t.part == "experts")
    assert placed_weights(shaped("b200", moe_backend="VANILLA"), MODEL)["experts"] == in_checkpoint


# Of an expert: gate and up 2 x 2,944 x the padded hidden size that goes in, down 2,944 x the
# one that comes out, at 17/32 bytes; and biases of 2 x 2,944 + what comes out.
@pytest.mark.parametrize(
    ("backend", "into", "out", "bias"),
    [("TRTLLM", 3072, 2944, 4), ("CUTLASS", 2944, 2944, 2), ("TRITON", 2944, 3072, 4)],
)
def test_experts_are_padded_as_their_kernels_want_it(
    backend: str, into: int, out: int, bias: int
) -> None:
    expert = (2 * 2944 * into + 2944 * out) * 17 // 32 + (2 * 2944 + out) * bias
    placed = placed_weights(shaped("b200", moe_backend=backend), MODEL)
    assert placed["experts"] == 36 * 128 * expert


@pytest.mark.parametrize(("moe_tp", "inner"), [(2, 1536), (4, 768), (8, 384), (16, 256)])
def test_cut_experts_are_padded_on_each_gpu(moe_tp: int, inner: int) -> None:
    shape = shaped("b200", moe_tp, moe_tp=moe_tp, moe_ep=1)
    expert = (2 * inner * 3072 + inner * 2944) * 17 // 32 + (2 * inner + 2944) * 4
    assert placed_weights(shape, MODEL)["experts"] == 36 * 128 * expert


def test_spread_experts_are_divided_evenly() -> None:
    one, four = (placed_weights(shaped("b200", size), MODEL)["experts"] for size in (1, 4))
    assert one == 4 * four


def test_tensor_parallelism_cuts_attention_and_vocabulary_but_neither_router_nor_norms() -> None:
    one, eight = (placed_weights(shaped("b200", size), MODEL) for size in (1, 8))
    assert eight["attention"] == pytest.approx(one["attention"] / 8, rel=0.001)
    assert eight["embeddings"] == one["embeddings"] // 8
    assert (eight["router"], eight["norms"]) == (one["router"], one["norms"])


def test_more_gpus_than_kv_heads_keep_a_head_each() -> None:
    eight, sixteen = (placed_weights(shaped("b200", size), MODEL) for size in (8, 16))
    keys_and_values = 36 * 2 * (64 * 2880 + 64) * 2
    rest = eight["attention"] - keys_and_values
    assert sixteen["attention"] == pytest.approx(rest / 2 + keys_and_values, rel=0.01)


def test_pipeline_stages_share_layers_and_one_embeds_what_another_unembeds() -> None:
    one, two, eight = (placed_weights(shaped("b200", pp=pp), MODEL) for pp in (1, 2, 8))
    assert {part: 2 * two[part] for part in ("experts", "attention", "embeddings")} == {
        part: one[part] for part in ("experts", "attention", "embeddings")
    }
    # The fullest of eight stages has 5 of 36 layers.
    assert eight["experts"] == one["experts"] // 36 * 5


def test_attention_data_parallel_ranks_hold_all_but_experts() -> None:
    alone, rank = (
        placed_weights(shaped("gb200", size, attention_dp=size > 1), MODEL) for size in (1, 4)
    )
    assert {**alone, "experts": alone["experts"] // 4} == rank


def test_the_output_head_of_attention_data_parallel_ranks_may_be_cut() -> None:
    whole, cut = (
        placed_weights(shaped("gb200", 4, attention_dp=True, output_tp=tp), MODEL)
        for tp in (False, True)
    )
    assert whole["embeddings"] - cut["embeddings"] == 201_088 * 2880 * 2 * 3 // 4


def test_one_gpu_holds_all_weights() -> None:
    assert sum(placed_weights(shaped("b200"), MODEL).values()) / GIB == pytest.approx(65.1, abs=0.1)
