"""The closed form against a benchmark that is run event by event."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as some

from gptoss.planning.layouts import Engine, Load, System
from gptoss.planning.loops.closed_loop import predict
from gptoss.text.errors import InputError
from tests.planning.made_times import Made
from tests.planning.simulated_run import simulate
from tests.planning.systems import aggregated, engine, split

if TYPE_CHECKING:
    from gptoss.planning.steps.step_times import Times

# Where answers or prompts wait in a queue for a good part of their time, TTFT is left out: it is a
# small difference of large numbers there.
QUEUE = 0.25
GRID = [
    (aggregated("b200", "TP1", batch=512), Load(4, 1024, 1024)),
    (aggregated("b200", "TP1", batch=512), Load(64, 1024, 1024)),
    (aggregated("b200", "TP1", batch=512), Load(256, 8192, 1024)),
    (aggregated("b200", "TP8", batch=512), Load(16, 1024, 1024)),
    (aggregated("gb200", "DEP4", batch=800, tokens=8192), Load(400, 128, 1000)),
    (aggregated("gb200", "DEP4", batch=100, tokens=8192), Load(600, 128, 1000)),
    (aggregated("gb200", "DEP2", 2), Load(512, 1024, 1024)),
    (aggregated("b200", "TP1", batch=64, tokens=2048, chunked=True), Load(64, 8192, 1024)),
    (aggregated("b200", "TP1", batch=64, tokens=2048, chunked=True), Load(16, 1024, 1024)),
    (aggregated("b200", "TP1", batch=256, kv_tokens=64 * 9216), Load(128, 8192, 1024)),
    (aggregated("b200", "TP1", batch=256), Load(256, 4096, 32)),
    (split("gb200", (1, "TP1"), (1, "TP4")), Load(2, 8192, 1024)),
    (split("gb200", (1, "TP1"), (1, "TP4")), Load(256, 8192, 1024)),
    (split("gb200", (1, "TP1"), (1, "TP4")), Load(64, 1024, 1024)),
    (split("gb200", (2, "TP1"), (3, "TP1")), Load(250, 8192, 1024)),
    (split("gb200", (1, "TP1"), (1, "DEP2")), Load(1024, 1024, 1024)),
]


@pytest.mark.parametrize(("system", "load"), GRID)
def test_the_closed_form_is_what_a_benchmark_comes_to(
    system: System, load: Load, times: Times
) -> None:
    said = predict(system, load, times)
    ran = simulate(system, load, times, max(300, 4 * load.clients))
    assert said.rate == pytest.approx(ran.rate, rel=0.1)
    assert said.itl == pytest.approx(ran.itl.mean, rel=0.1)
    if max(said.wait / said.ttft, ran.wait / ran.ttft.mean) < QUEUE:
        assert said.ttft == pytest.approx(ran.ttft.mean, rel=0.1)
    assert ran.decoding + ran.prefilling + ran.queued == pytest.approx(load.clients, rel=0.1)
    assert ran.ttft.p50 <= ran.ttft.p95
    assert ran.itl.p50 <= ran.itl.p95


def test_the_same_benchmark_comes_to_the_same(times: Times) -> None:
    system, load = GRID[1]
    assert simulate(system, load, times, 300) == simulate(system, load, times, 300)


def test_a_queue_is_seen_in_the_spread(times: Times) -> None:
    system = split("gb200", (1, "TP1"), (1, "TP4"))
    waits = simulate(system, Load(128, 8192, 1024), times, 400)
    alone = simulate(system, Load(1, 8192, 1024), times, 20)
    assert waits.ttft.p50 > 20 * alone.ttft.p95
    assert waits.queued > 50


def test_prompts_wait_for_decode_places_in_the_prefill_engine(times: Times) -> None:
    crowded = System(
        "crowded", engine("gb200", "TP1", batch=16), engine("gb200", "TP1", 2, kv_tokens=40_000)
    )
    said = predict(crowded, Load(64, 8192, 1024), times)
    ran = simulate(crowded, Load(64, 8192, 1024), times, 256)
    assert ran.decoding == pytest.approx(16, rel=0.05)
    assert said.rate == pytest.approx(ran.rate, rel=0.1)


def test_what_can_never_be_served_is_not_simulated(times: Times) -> None:
    with pytest.raises(InputError, match="holds 9,000"):
        simulate(aggregated("b200", "TP1", kv_tokens=9000), Load(4, 8192, 1024), times, 10)


MADE = some.builds(
    Made,
    iteration=some.sampled_from([2.0, 5.0, 10.0]),
    answer=some.sampled_from([0.005, 0.05, 0.2]),
    token=some.sampled_from([0.002, 0.01, 0.03]),
)
LOADS = some.builds(
    Load,
    clients=some.sampled_from([1, 2, 5, 17, 60, 200]),
    isl=some.sampled_from([50, 200, 1000, 5000]),
    osl=some.sampled_from([100, 400]),
)
NAMES = some.sampled_from(["TP1", "TP4", "DEP2", "DEP4"])


@some.composite
def engines(draw: some.DrawFn) -> Engine:
    chunked = draw(some.booleans())
    return engine(
        "b200",
        draw(NAMES),
        draw(some.integers(1, 3)),
        batch=draw(some.sampled_from([8, 64, 256])),
        tokens=draw(some.sampled_from([2048, 8192] if chunked else [8192, 16384])),
        chunked=chunked,
        kv_tokens=draw(some.sampled_from([120_000, 10_000_000])),
    )


PREFILLS = some.builds(
    lambda name, replicas, batch: engine("b200", name, replicas, batch=batch, tokens=8448),
    some.sampled_from(["TP1", "DEP2"]),
    some.integers(1, 3),
    some.sampled_from([1, 32]),
)
SYSTEMS = some.builds(System, some.just("any"), engines(), some.none() | PREFILLS)


def answers_take_longer(load: Load, made: Made) -> bool:
    """Whether requests can be spread over the phases of an answer: a closed form's assumption."""
    return load.osl * made.iteration > 4 * (load.isl * made.token + made.iteration)


@settings(max_examples=20)
@given(system=SYSTEMS, load=LOADS, made=MADE)
def test_whatever_the_times_closed_form_and_benchmark_agree(
    system: System, load: Load, made: Made
) -> None:
    assume(answers_take_longer(load, made))
    said = predict(system, load, made)
    ran = simulate(system, load, made, max(100, 3 * load.clients))
    assert said.rate == pytest.approx(ran.rate, rel=0.2)
    assert said.itl == pytest.approx(ran.itl.mean, rel=0.25)


@settings(max_examples=50)
@given(system=SYSTEMS, load=LOADS, made=MADE)
def test_whatever_the_times_every_client_is_somewhere(
    system: System, load: Load, made: Made
) -> None:
    found = predict(system, load, made)
    somewhere = found.decoding + found.prefilling + found.queued
    assert somewhere == pytest.approx(load.clients, rel=0.02)
    assert min(found.decoding, found.prefilling, found.queued) >= 0
    assert found.ttft >= found.wait >= 0
    assert found.rate * (found.ttft + found.itl * (load.osl - 1)) / 1000 == pytest.approx(
        load.clients, rel=0.02
    )


@settings(max_examples=50)
@given(system=SYSTEMS, load=LOADS, made=MADE, more=some.integers(1, 100))
def test_whatever_the_times_more_clients_do_not_bring_less(
    system: System, load: Load, made: Made, more: int
) -> None:
    crowded = Load(load.clients + more, load.isl, load.osl)
    before, after = predict(system, load, made), predict(system, crowded, made)
    assert after.tokens_per_second >= 0.97 * before.tokens_per_second
    assert after.ttft >= 0.95 * before.ttft
