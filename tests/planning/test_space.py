"""Everything that some GPUs can be, and nothing else."""

from __future__ import annotations

import itertools

import pytest

from gptoss.deployment.model import Role
from gptoss.planning.layouts import Layout
from gptoss.planning.searching.space import (
    MOST_A_RANK,
    Part,
    Serving,
    batches,
    engine_of,
    layouts,
    longest_sequence,
    prefill_tokens,
    shapes,
    with_headroom,
)
from tests.planning.wishes import much_room, wish

SIZES = (1, 2, 4, 8)


@pytest.mark.parametrize(("gpu", "gpus"), [("gb200", 3), ("gb200", 5), ("b200", 8), ("h200", 11)])
def test_every_split_that_uses_all_it_can_is_there(gpu: str, gpus: int) -> None:
    asked = wish(gpu, gpus, 1024, 1024, serving=(Serving.DISAGGREGATED,))
    found = {
        (s.prefill.layout, s.prefill.replicas, s.decode.layout, s.decode.replicas)
        for s in shapes(asked)
        if s.prefill
    }
    every = set()
    for first in layouts(asked):
        for second in layouts(asked):
            for x in range(1, gpus + 1):
                for y in range(1, gpus + 1):
                    left = gpus - x * first.gpus - y * second.gpus
                    if 0 <= left < min(first.gpus, second.gpus):
                        every.add((first, x, second, y))
    assert found == every


@pytest.mark.parametrize(("gpu", "most"), [("gb200", 4), ("b200", 8), ("h100", 8)])
def test_no_replica_spans_nodes(gpu: str, most: int) -> None:
    found = layouts(wish(gpu, 64, 1024, 1024))
    assert {layout.gpus for layout in found} == {size for size in SIZES if size <= most}


def test_replicas_fit_on_the_nodes_that_there_are() -> None:
    """Whatever the shape: largest first, each to the first node with room for it."""
    for gpus in range(1, 14):
        for shape in shapes(wish("gb200", gpus, 1024, 1024)):
            free = [4] * (gpus // 4) + ([gpus % 4] if gpus % 4 else [])
            parts = [part for part in (shape.prefill, shape.decode) if part]
            sizes = sorted((p.layout.gpus for p in parts for _ in range(p.replicas)), reverse=True)
            for size in sizes:
                node = next(n for n, room in enumerate(free) if room >= size)
                free[node] -= size


def test_attention_data_parallelism_wants_two_gpus() -> None:
    found = layouts(wish("b200", 1, 1024, 1024))
    assert [str(layout) for layout in found] == ["TP1"]
    assert all(isinstance(layout, Layout) for layout in found)


def test_batches_grow_by_small_steps_to_the_most() -> None:
    for steps in (4, 32):
        found = batches(steps)
        assert found == sorted(set(found))
        assert found[0] == 1
        assert found[-1] == MOST_A_RANK
        pairs = itertools.pairwise(found)
        assert all(b - a == 1 or b <= a * (1 + 1 / steps) for a, b in pairs)


def test_a_prefill_iteration_has_whole_prompts_with_their_markup() -> None:
    assert prefill_tokens(1024) == [1280, 2560, 5120, 10240]
    assert prefill_tokens(8192) == [8448, 16896]
    assert prefill_tokens(32_000) == [32_256]


def test_sequences_are_as_long_as_the_source_says_or_a_fifth_longer_than_the_mean() -> None:
    assert longest_sequence(wish("gb200", 1, 1024, 1024)) == 8192
    # 1.2 times 9,216 in blocks of 32.
    assert longest_sequence(wish("gb200", 1, 8192, 1024)) == 11_072
    assert longest_sequence(wish("gb200", 1, 8192, 1024, longest=20_000)) == 20_000
    assert longest_sequence(wish("gb200", 1, 8192, 1024, longest=9216)) == 9216 + 256


def test_only_workers_that_answer_alone_compute_no_prompts_in_pieces() -> None:
    asked = wish("gb200", 1, 8192, 1024)
    part = Part(layouts(asked)[0], 1, 8192)
    engines = {role: engine_of(part, role, 64, asked, much_room) for role in Role}
    assert {role: each and each.chunked_prefill for role, each in engines.items()} == {
        Role.AGGREGATED: True,
        Role.PREFILL: True,
        Role.DECODE: False,
    }


def test_a_batch_limit_leaves_room_for_an_uneven_share() -> None:
    assert [with_headroom(batch) for batch in (1, 8, 13, 128, 1024)] == [2, 10, 24, 160, 1280]
