"""The best of everything, by looking at less than everything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gptoss.planning.layouts import KvType
from gptoss.planning.searching.front import front_of
from gptoss.planning.searching.margin import PREFILL_MARGIN, WithMargin
from gptoss.planning.searching.search import search
from gptoss.planning.searching.space import Limits, Serving
from tests.planning.wishes import much_room, wish

if TYPE_CHECKING:
    from gptoss.planning.layouts import Layout
    from gptoss.planning.steps.step_times import Times

EVERYTHING = 10**9
SPLIT: dict[str, Any] = {"serving": (Serving.DISAGGREGATED,)}
SMALL: list[tuple[str, int, int, int, dict[str, Any]]] = [
    ("gb200", 4, 8192, 1024, {"limits": Limits(2000, 7), "clients": 60, **SPLIT}),
    ("b200", 1, 1024, 1024, {"limits": Limits(itl=25)}),
    ("h200", 2, 2000, 500, {"limits": Limits(itl=15), "clients": 100, "kv": KvType.BF16}),
]


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
    assert coarse.best is not None
    assert whole.best is not None
    assert coarse.best.tokens_per_second >= 0.98 * whole.best.tokens_per_second
    assert asked.limits.hold(coarse.best)


def test_many_gpus_are_searched_by_a_few_splits_first(times: Times) -> None:
    asked = wish("gb200", 32, 8192, 1024, clients=3200, **SPLIT)
    coarse = search(asked, much_room, times, exhaustive=0)
    whole = search(asked, much_room, times)
    assert whole.is_exhaustive
    assert len(coarse.predicted) < whole.systems
    assert coarse.best is not None
    assert whole.best is not None
    assert coarse.best.tokens_per_second >= 0.98 * whole.best.tokens_per_second


def test_the_same_question_has_the_same_answer(times: Times) -> None:
    asked = wish("gb200", 5, 8192, 1024, clients=640)
    assert search(asked, much_room, times) == search(asked, much_room, times)


def test_nothing_is_chosen_where_nothing_keeps_the_limits(times: Times) -> None:
    found = search(wish("gb200", 2, 8192, 1024, limits=Limits(ttft=1), clients=9), much_room, times)
    assert found.best is None
    assert found.predicted


def test_no_batch_is_larger_than_its_kv_cache(times: Times) -> None:
    def little(layout: Layout, role: str, max_batch_size: int, max_num_tokens: int) -> int:
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
    asked = wish("gb200", 5, 8192, 1024, clients=640, serving=(Serving.DISAGGREGATED,))
    with_margin = search(asked, much_room, WithMargin(times)).best
    without = search(asked, much_room, times).best
    assert PREFILL_MARGIN >= 1
    assert with_margin is not None
    assert without is not None
    assert with_margin.rate <= without.rate
    assert with_margin.system.prefill is not None
    assert without.system.prefill is not None
    assert with_margin.system.prefill.gpus >= without.system.prefill.gpus


def test_nothing_beats_a_point_of_the_front_in_both(times: Times) -> None:
    predicted = search(wish("gb200", 1, 1024, 1024), much_room, times, exhaustive=0).predicted
    front = front_of(predicted, 1)
    speeds = [point.per_user for point in front.points]
    rates = [front.per_gpu(point) for point in front.points]
    assert speeds == sorted(speeds, reverse=True)
    assert rates == sorted(rates)
    assert len(front.points) > 10
    for point in front.points:
        beaten_by = [
            one
            for one in predicted
            if one.per_user > 1.02 * point.per_user
            and one.tokens_per_second > point.tokens_per_second
        ]
        assert not beaten_by
    most = max(predicted, key=lambda one: one.tokens_per_second)
    assert front.points[-1].tokens_per_second >= 0.99 * most.tokens_per_second
    assert front.at_speed(50) in front.points
    assert front.at_speed(1e6) is None
