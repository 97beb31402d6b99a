"""The memory of a GPU, line by line."""

from __future__ import annotations

import pytest

from tests.memory.shapes import GIB, memory, taken


def test_the_lines_with_what_is_left_are_the_whole_gpu() -> None:
    of = memory("gb200", 4, attention_dp=True, graph_sizes=(1, 2, 4), transfers=True)
    assert sum(taken(of).values()) * GIB + of.left == pytest.approx(189_471 * 2**20, abs=100)


def test_every_line_says_where_it_is_from_and_only_weights_are_exact() -> None:
    of = memory("b200", transfers=True)
    assert all(line.source for line in (*of.weights, *of.working, of.kv, *of.after))
    assert all(line.exact for line in of.weights)
    assert not any(line.exact for line in (*of.working, of.kv, *of.after))


def test_activations_grow_with_the_tokens_of_an_iteration() -> None:
    # 2 x 8,192 tokens x 64 heads x 64 x 22.
    assert taken(memory("b200"), "activations") == {"activations": 2 * 8192 * 4096 * 22 / GIB}
    few, many = (taken(memory("b200", max_num_tokens=n)) for n in (16, 32_768))
    assert few["activations"] == 70 / 1024
    assert many["MoE workspace"] == 4 * 0.5


def test_attention_data_parallel_ranks_route_the_tokens_of_all() -> None:
    alone = taken(memory("gb200", 4, moe_ep=4))
    together = taken(memory("gb200", 4, moe_ep=4, attention_dp=True))
    assert together["MoE workspace"] == 4 * alone["MoE workspace"]


def test_transfer_buffers_hold_their_tokens_and_one_block_each() -> None:
    of = memory("b200", kv="fp8", transfers=True, buffer_tokens=9216)
    assert taken(of)["transfer buffers"] * GIB == 2 * (9216 + 32) * 36_864
    assert taken(memory("b200", transfers=True))["transfer buffers"] == 1
    assert "transfer buffers" not in taken(memory("b200", buffer_tokens=9216))


def test_graphs_take_up_to_200_mb_each() -> None:
    assert taken(memory("b200", graph_sizes=(1, 2, 4)))["CUDA graphs"] * GIB == 600e6


def test_where_weights_do_not_fit_there_is_no_cache() -> None:
    of = memory("h100", max_num_tokens=131_072)
    assert (of.free, of.kv_tokens, of.longest, of.sequences(100)) == (0, 0, 0, 0)
    assert of.left < 0
