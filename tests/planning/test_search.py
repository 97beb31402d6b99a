"""The best of everything, by looking at less than everything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gptoss.planning.layouts import KvType
from gptoss.planning.loops.split_loop import PREFILL_SLOWER
from gptoss.planning.searching.front import front_of
from gptoss.planning.searching.margin import WithMargin
from gptoss.planning.searching.search import best_of, search
from gptoss.planning.searching.space import Limits, Serving
from tests.planning.systems import layout
from tests.planning.wishes import much_room, wish

if TYPE_CHECKING:
    from gptoss.deployment.model import Role
    from gptoss.planning.layouts import Layout
    from gptoss.planning.prediction import Prediction
    from gptoss.planning.searching.search import Found
    from gptoss.planning.steps.step_times import Times

EVERYTHING = 10**9
SPLIT: dict[str, Any] = {"serving": (Serving.DISAGGREGATED,)}
SMALL: list[tuple[str, int, int, int, dict[str, Any]]] = [
    ("gb200", 4, 8192, 1024, {"limits": Limits(2000, 7), "clients": 60, **SPLIT}),
    ("b200", 1, 1024, 1024, {"limits": Limits(itl=25)}),
    ("h200", 2, 2000, 500, {"limits": Limits(itl=15), "clients": 100, "kv": KvType.BF16}),
]


def best(found: Found) -> Prediction:
    """What a search would choose."""
    chosen = best_of(found.wish, found.predicted)
    assert chosen is not None
    return chosen


@pytest.mark.parametrize(("gpu", "gpus", "isl", "osl", "more"), SMALL)
def test_a_coarse_search_is_within_two_percent_of_an_exhaustive_one(
    times: Times, gpu: str, gpus: int, isl: int, osl: int, more: dict[str, Any]
) -> None:
    asked = wish(gpu, gpus, isl, osl, **more)
    coarse = search(asked, much_room, times, exhaustive=0)
    whole = search(asked, much_room, times, exhaustive=EVERYTHING)
    assert whole.is_exhaustive
    assert not coarse.is_exhaustive
    assert coarse.systems == whole.systems > len(coarse.predicted)
    assert best(coarse).tokens_per_second >= 0.98 * best(whole).tokens_per_second
    assert asked.limits.hold(best(coarse))


def test_many_gpus_are_searched_by_a_few_splits_first(times: Times) -> None:
    asked = wish("gb200", 32, 8192, 1024, clients=3200, **SPLIT)
    coarse = search(asked, much_room, times, exhaustive=0)
    whole = search(asked, much_room, times)
    assert whole.is_exhaustive
    assert len(coarse.predicted) < whole.systems
    assert best(coarse).tokens_per_second >= 0.98 * best(whole).tokens_per_second


def test_the_same_question_has_the_same_answer(times: Times) -> None:
    asked = wish("gb200", 5, 8192, 1024, clients=640)
    assert search(asked, much_room, times) == search(asked, much_room, times)


def test_nothing_is_chosen_where_nothing_keeps_the_limits(times: Times) -> None:
    found = search(wish("gb200", 2, 8192, 1024, limits=Limits(ttft=1), clients=9), much_room, times)
    assert best_of(found.wish, found.predicted) is None
    assert found.predicted


def test_no_batch_is_larger_than_its_kv_cache(times: Times) -> None:
    def little(layout: Layout, role: Role, max_batch_size: int, max_num_tokens: int) -> int:
        return much_room(layout, role, max_batch_size, max_num_tokens) // 30

    for one in search(wish("gb200", 1, 8192, 1024), little, times).predicted:
        engine = one.system.decode
        assert engine.max_batch_size * (8192 + 1024) <= engine.kv_tokens
        assert one.load.clients <= engine.max_batch_size * engine.ranks


def test_a_layout_without_data_is_left_out_and_named(times: Times) -> None:
    found = search(wish("h100", 2, 4000, 1000, kv=KvType.BF16, clients=16), much_room, times)
    assert [str(layout) for layout in found.without_data] == ["TP1"]
    assert {str(one.system.decode.layout) for one in found.predicted} == {"TP2", "DEP2"}


def test_a_margin_gives_prefill_more_gpus(times: Times) -> None:
    asked = wish("gb200", 4, 4096, 512, clients=900, **SPLIT)
    with_margin, without = (best(search(asked, much_room, of)) for of in (WithMargin(times), times))
    assert with_margin.rate < without.rate
    assert with_margin.system.prefill is not None
    assert without.system.prefill is not None
    assert with_margin.system.prefill.gpus > without.system.prefill.gpus


def test_prefill_with_the_margin_takes_as_long_as_it_was_measured_to(times: Times) -> None:
    alone = layout("b200", "TP1")
    slow, plain = (of.of(alone) for of in (WithMargin(times), times))
    measured = slow.prefill(4, 2048) * PREFILL_SLOWER / plain.prefill(4, 2048)
    assert measured == pytest.approx(48.89 / 28.83)
    assert slow.decode(64, 4096) == plain.decode(64, 4096)
    assert slow.mixed(2048, 2048, 64, 512) == plain.mixed(2048, 2048, 64, 512)


def test_nothing_beats_a_point_of_the_front_in_both(times: Times) -> None:
    predicted = search(wish("gb200", 1, 1024, 1024), much_room, times, exhaustive=0).predicted
    front = front_of(predicted)
    speeds = [point.per_user for point in front]
    rates = [point.per_gpu for point in front]
    assert speeds == sorted(speeds, reverse=True)
    assert rates == sorted(rates)
    assert len(front) > 10
    for point in front:
        beaten_by = [
            one
            for one in predicted
            if one.per_user > 1.02 * point.per_user
            and one.tokens_per_second > point.tokens_per_second
        ]
        assert not beaten_by
    most = max(predicted, key=lambda one: one.tokens_per_second)
    assert front[-1].tokens_per_second >= 0.99 * most.tokens_per_second
