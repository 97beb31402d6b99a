"""The closed form against what was measured, and against what must hold whatever the times."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from gptoss.planning.layouts import Load
from gptoss.planning.loops.closed_loop import predict
from gptoss.planning.prediction import Bottleneck, Prediction
from gptoss.text.errors import InputError
from tests.planning.systems import aggregated, engine, split

if TYPE_CHECKING:
    from gptoss.planning.steps.step_times import Times

LONG = Load(1280, 8192, 1024)


def requests(found: Prediction) -> float:
    return found.decoding + found.prefilling + found.queued


def test_one_prefill_gpu_starves_four_that_decode(times: Times) -> None:
    starved = predict(split("gb200", (1, "TP1"), (1, "TP4")), LONG, times)
    assert starved.bottleneck is Bottleneck.PREFILL
    assert starved.ttft > 60_000
    assert starved.queued > 1000
    assert starved.decoding < 100
    fed = predict(aggregated("gb200", "TP1", 5, batch=128), Load(600, 8192, 1024), times)
    assert fed.per_gpu > 2 * starved.per_gpu
    assert fed.ttft < 2000


@pytest.mark.parametrize("clients", [1, 3, 64, 640, 5000])
def test_every_client_is_somewhere(times: Times, clients: int) -> None:
    for system in (
        aggregated("b200", "TP1", 2, batch=128),
        aggregated("b200", "DEP4", batch=128),
        split("gb200", (1, "TP1"), (1, "TP4")),
    ):
        found = predict(system, Load(clients, 1024, 1024), times)
        assert requests(found) == pytest.approx(clients, rel=0.02)
        cycle = found.ttft + found.itl * 1023
        assert found.rate * cycle / 1000 == pytest.approx(clients, rel=0.02)


def test_one_client_waits_for_nobody(times: Times) -> None:
    system = aggregated("b200", "TP1")
    alone = predict(system, Load(1, 8192, 1024), times)
    of = times.of(system.decode.layout)
    assert alone.wait == pytest.approx(0, abs=1)
    assert alone.itl == pytest.approx(of.decode(1, 8192 + 512), rel=0.01)
    assert alone.ttft == pytest.approx(of.prefill(1, 8192) + 32, rel=0.02)
    assert alone.bottleneck is Bottleneck.CLIENTS


def test_clients_beyond_the_batch_wait(times: Times) -> None:
    system = aggregated("gb200", "DEP4", batch=800, tokens=8192)
    full = predict(system, Load(3200, 128, 1000), times)
    beyond = predict(system, Load(3600, 128, 1000), times)
    assert beyond.bottleneck is Bottleneck.BATCH
    assert beyond.per_gpu == pytest.approx(full.per_gpu, rel=0.01)
    assert beyond.wait == pytest.approx(full.wait + 400 / full.rate * 1000, rel=0.05)


def test_sequences_beyond_the_kv_room_wait(times: Times) -> None:
    system = aggregated("b200", "TP1", kv_tokens=64 * 9216)
    found = predict(system, Load(128, 8192, 1024), times)
    assert found.bottleneck is Bottleneck.KV_ROOM
    assert found.decoding == pytest.approx(64, abs=2)


def test_what_can_never_be_served_is_said(times: Times) -> None:
    small = aggregated("b200", "TP1", kv_tokens=9000)
    with pytest.raises(InputError, match="holds 9,000"):
        predict(small, LONG, times)
    short = aggregated("b200", "TP1", tokens=8000)
    with pytest.raises(InputError, match="enable_chunked_prefill"):
        predict(short, LONG, times)
    chunked = replace(short, decode=replace(short.decode, chunked_prefill=True))
    assert predict(chunked, LONG, times).rate > 0


def test_replicas_share_the_clients(times: Times) -> None:
    one = predict(aggregated("b200", "TP2"), Load(64, 1024, 1024), times)
    four = predict(aggregated("b200", "TP2", 4), Load(256, 1024, 1024), times)
    assert four.rate == pytest.approx(4 * one.rate)
    assert four.itl == pytest.approx(one.itl)


def test_prompts_are_computed_in_pieces_where_they_may_be(times: Times) -> None:
    whole = aggregated("b200", "TP1", batch=32, tokens=16384)
    pieces = replace(whole, decode=engine("b200", "TP1", batch=32, tokens=2048, chunked=True))
    load = Load(32, 8192, 1024)
    assert predict(pieces, load, times).ttft > predict(whole, load, times).ttft
