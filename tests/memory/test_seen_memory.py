"""What others saw of this model's memory, held against the estimate as docs/planning.md tells."""

from __future__ import annotations

from typing import Any

import pytest

from tests.memory.shapes import memory, taken

PUBLISHED: dict[str, Any] = {"max_num_tokens": 20_000, "max_seq_len": 9236, "free_fraction": 0.85}
# Of TensorRT-LLM 1.1.0rc3 on a DGX Spark: CUTLASS, one GPU, 8,192 tokens an iteration.
LOGGED_WEIGHTS, LOGGED_ACTIVATIONS = 63.32, 0.85
# Of the recipe on four GB200: what CUDA has, and what PyTorch may take of it, rank by rank.
CUDA_HAS, LEFT_TO_TORCH = 184.0, (39.733, 40.470, 40.469, 40.624)


def test_the_weights_are_those_that_an_engine_logs_to_the_last_digit() -> None:
    of = memory("b200", moe_backend="CUTLASS")
    assert round(sum(line.gib for line in of.weights), 2) == LOGGED_WEIGHTS


def test_activations_are_rather_estimated_too_high_than_too_low() -> None:
    of = taken(memory("b200", moe_backend="CUTLASS"), "activations", "MoE workspace")
    assert LOGGED_ACTIVATIONS < sum(of.values()) < 1 + 2 * LOGGED_ACTIVATIONS


def test_the_kv_cache_of_the_recipe_is_that_of_its_log_within_a_gib() -> None:
    recipe = memory("gb200", 4, attention_dp=True, moe_backend="CUTLASS", max_batch_size=900)
    outside = [CUDA_HAS - left for left in LEFT_TO_TORCH]
    assert recipe.kv.gib == pytest.approx(sum(outside) / len(outside), abs=1)


def test_all_256_requests_of_a_published_run_on_one_b200_find_room() -> None:
    of = memory("b200", kv="fp8", max_batch_size=512, **PUBLISHED)
    # 0.9 of 8,192 + 1,024: the lengths are drawn between 0.8 and 1 of them.
    assert of.sequences(8295) == 315


def test_one_h200_is_said_to_hold_twice_of_what_published_runs_have_at_once() -> None:
    of = memory("h200", moe_backend="TRITON", **PUBLISHED)
    assert of.kv_tokens == pytest.approx(840_000, rel=0.01)
