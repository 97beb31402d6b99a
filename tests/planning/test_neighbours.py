"""What to change, what it brings and what it costs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gptoss.planning.layouts import KvType, Load, System
from gptoss.planning.loops.closed_loop import predict
from gptoss.planning.searching.neighbours import Kind, changes, kind_of, neighbours
from gptoss.planning.searching.search import best_of, search
from tests.planning.systems import aggregated, engine, split
from tests.planning.wishes import much_room, wish

if TYPE_CHECKING:
    from gptoss.planning.steps.step_times import Times


def test_a_starved_split_has_three_neighbours_that_give_more(times: Times) -> None:
    load = Load(1280, 8192, 1024)
    starved = predict(split("gb200", (1, "TP1"), (1, "TP4")), load, times)
    others = search(wish("gb200", 5, 8192, 1024, clients=1280), much_room, times).predicted
    found = neighbours(starved, others)
    assert len(found) == 3
    assert {one.kind for one in found} >= {Kind.SERVING, Kind.SIZES}
    assert len({one.prediction.system.name for one in found}) == 3
    best = found[0].prediction
    assert best.tokens_per_second > 2 * starved.tokens_per_second
    for one in found:
        assert one.prediction.load == load
        assert one.changes
        assert any("tokens/s/GPU instead of" in told for told in one.brings)
    assert any("tokens/s/user instead of" in told for one in found for told in one.costs)
    sizes = next(one for one in found if one.kind is Kind.SIZES)
    assert any(" instead of 1 x TP4" in told for told in sizes.changes)


def test_what_is_best_already_has_no_neighbour_that_gives_more(times: Times) -> None:
    found = search(wish("gb200", 2, 1024, 1024, clients=256), much_room, times)
    best = best_of(found.wish, found.predicted)
    assert best is not None
    for one in neighbours(best, found.predicted):
        assert one.prediction.per_user > 1.05 * best.per_user


def test_faster_answers_may_take_a_twentieth_of_the_throughput_and_no_more(times: Times) -> None:
    of = predict(aggregated("gb200", "TP1", 2, batch=64), Load(64, 1024, 1024), times)
    system = aggregated("gb200", "TP1", 2, batch=32)
    close, far = (replace(of, system=system, rate=x * of.rate, itl=of.itl / 2) for x in (0.96, 0.9))
    assert [one.prediction for one in neighbours(of, [close])] == [close]
    assert not neighbours(of, [far])


def test_another_type_of_the_cache_is_told_as_the_engine_file_has_it() -> None:
    old, new = (System("one", engine("b200", "TP1", kv=kv)) for kv in KvType)
    assert kind_of(old, new) is Kind.KV
    assert changes(old, new) == ("each: kv_cache_config.dtype fp8 instead of auto",)


def test_throughput_counts_gpus_that_a_neighbour_leaves_unused(times: Times) -> None:
    load = Load(32, 1024, 1024)
    three = predict(aggregated("gb200", "TP1", 3, batch=2), load, times)
    two = predict(replace(aggregated("gb200", "TP2", 1), unused=1), load, times)
    (found,) = neighbours(three, [two])
    assert f"{two.tokens_per_second / 3:,.0f} tokens/s/GPU instead of" in found.brings[0]


def test_a_neighbour_is_named_by_its_largest_difference() -> None:
    one = split("gb200", (1, "TP1"), (1, "TP4"))
    assert kind_of(one, one) is None
    assert kind_of(one, split("gb200", (2, "TP1"), (1, "TP4"))) is Kind.REPLICAS
    assert kind_of(one, split("gb200", (1, "TP1"), (1, "DEP4"))) is Kind.SIZES
    assert kind_of(one, aggregated("gb200", "TP1", 5)) is Kind.SERVING
    two = aggregated("gb200", "TP1", 5)
    assert kind_of(two, aggregated("gb200", "TP1", 5, batch=7)) is Kind.SETTINGS
