"""What the KV cache holds, with figures worked out by hand."""

from __future__ import annotations

import pytest

from tests.memory.shapes import GIB, memory

WINDOWS = (128, 8192)


def test_a_token_takes_two_vectors_a_head_in_every_layer() -> None:
    assert memory("b200").token_bytes == 36 * 2 * 8 * 64 * 2
    assert memory("b200", kv="fp8").token_bytes == 36 * 2 * 8 * 64
    # A byte of scale for 16 numbers of four bits.
    assert memory("b200", kv="nvfp4").token_bytes == 36 * 2 * 8 * (32 + 4)
    assert memory("gb200", 4, attention_dp=True).token_bytes == 36 * 2 * 8 * 64 * 2


def test_tensor_parallel_ranks_share_kv_heads_until_each_has_one() -> None:
    assert [memory("b200", size).token_bytes for size in (2, 8, 16)] == [36_864, 9_216, 9_216]


def test_pipeline_stages_share_the_layers() -> None:
    assert memory("b200", pp=2).token_bytes == 18 * 2 * 8 * 64 * 2


def test_the_pool_is_the_free_fraction_of_what_weights_and_activations_leave() -> None:
    one = memory("b200", free_fraction=0.85)
    before = sum(line.bytes for line in (*one.weights, *one.working))
    assert one.kv.bytes == pytest.approx(0.85 * (183_359 * 2**20 - before), abs=1)
    assert one.kv_tokens == one.kv.bytes // 73_728


def test_max_tokens_limits_the_pool() -> None:
    assert memory("b200", max_kv_tokens=100_000).kv_tokens == 100_000


def test_max_tokens_counts_for_nothing_with_several_windows() -> None:
    limited = memory("b200", max_kv_tokens=100_000, attention_windows=WINDOWS)
    assert limited.kv.bytes == memory("b200", attention_windows=WINDOWS).kv.bytes


def test_sequences_take_whole_blocks() -> None:
    one = memory("b200", max_kv_tokens=320)
    assert [one.sequences(length) for length in (32, 33, 160, 161, 321)] == [10, 5, 2, 1, 0]


def test_the_longest_sequence_fits_and_a_longer_one_does_not() -> None:
    one = memory("h100", moe_backend="TRITON", max_seq_len=131_072, free_fraction=0.8)
    assert one.longest < 131_072
    assert (one.sequences(one.longest), one.sequences(one.longest + 1)) == (1, 0)


def test_windows_bring_nothing_on_the_first_manager_which_gives_each_the_same_memory() -> None:
    plain, windowed = memory("b200"), memory("b200", attention_windows=WINDOWS)
    assert windowed.kv_tokens == pytest.approx(plain.kv_tokens, rel=1e-6)
    assert windowed.sequences(4096) == plain.sequences(4096)


def test_the_first_manager_holds_as_many_tokens_as_layers_at_full_length_have_room_for() -> None:
    # Half of the memory for 12 of 36 layers, 2,048 bytes a token in each.
    of = memory("b200", attention_windows=(128, 128, 8192))
    assert of.kv_tokens == of.kv.bytes // 2 // (12 * 2048)


def test_windows_nearly_double_what_the_second_manager_holds() -> None:
    plain = memory("b200", kv="fp8")
    windowed = plain.with_windows()
    # 18 layers hold 8,192 tokens of a sequence, 18 hold the blocks of 128 and one more.
    a_sequence = 18 * 1024 * (8192 + 160)
    assert windowed.sequences(8192) == windowed.kv.bytes // a_sequence
    assert 1.9 < windowed.sequences(8192) / plain.sequences(8192) < 2


def test_windows_longer_than_any_sequence_are_none() -> None:
    plain = memory("b200")
    assert memory("b200", attention_windows=(100_000,)).sequences(4096) == plain.sequences(4096)


def test_one_h100_has_room_for_less_than_the_longest_sequence() -> None:
    # 79.65 GiB - 64.25 of weights - 1.375 - 0.5 - 3.5 = 10.0, of which 0.85.
    one = memory("h100", moe_backend="TRITON", free_fraction=0.85)
    assert one.kv.bytes / GIB == pytest.approx(8.5, abs=0.05)
    assert one.kv_tokens == pytest.approx(124_000, abs=500)
