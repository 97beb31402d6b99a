"""What holds a system up, in numbers that the prediction was made with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.planning.layouts import Load
from gptoss.planning.loops.closed_loop import predict
from gptoss.planning.prediction import Bottleneck
from gptoss.planning.telling.plan_words import told_bottleneck
from tests.planning.systems import aggregated

if TYPE_CHECKING:
    from gptoss.planning.steps.step_times import Times


def test_kv_room_is_counted_in_whole_blocks(times: Times) -> None:
    # 128 + 1,000 tokens take 36 blocks of 32, which are 1,152.
    found = predict(aggregated("gb200", "DEP4", kv_tokens=100 * 1128), Load(900, 128, 1000), times)
    assert found.bottleneck is Bottleneck.KV_ROOM
    assert "it holds 388 requests of 1,128 tokens" in told_bottleneck(found)


def test_a_batch_is_limited_by_the_tokens_beside_a_prompt_too(times: Times) -> None:
    whole = aggregated("b200", "TP1", batch=512, tokens=2048 + 15)
    found = predict(whole, Load(64, 2048, 1024), times)
    assert found.bottleneck is Bottleneck.BATCH
    assert "batch limit: 16 requests decode at once" in told_bottleneck(found)
