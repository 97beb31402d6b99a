"""Percentiles, fronts, changes and rates a GPU, for all numbers there are."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gptoss.benchmarking.gpus import Gpus, parsed, per_gpu
from gptoss.benchmarking.statistics import change, front, percentile, spread
from gptoss.text.errors import InputError

NUMBERS = st.floats(-1e6, 1e6, allow_nan=False)
RATES = st.floats(0.001, 1e6)
COUNTS = st.integers(0, 10_000)


@given(st.lists(NUMBERS, min_size=2, max_size=40))
def test_percentiles_are_those_of_the_standard_library(values: list[float]) -> None:
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    for percent in (1, 50, 90, 99):
        assert percentile(values, percent) == pytest.approx(cuts[percent - 1], abs=1e-6)


@given(st.lists(NUMBERS, min_size=1), st.floats(0, 100), st.floats(0, 100))
def test_percentiles_rise_and_stay_between_least_and_most(
    values: list[float], one: float, other: float
) -> None:
    low, high = (percentile(values, percent) for percent in sorted((one, other)))
    assert low is not None
    assert high is not None
    assert min(values) <= low <= high <= max(values)


def test_nothing_has_no_percentile() -> None:
    assert percentile([], 50) is None


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30))
def test_the_front_is_what_no_point_beats(points: list[tuple[int, int]]) -> None:
    def beaten(point: tuple[int, int]) -> bool:
        return any(o != point and o[0] >= point[0] and o[1] >= point[1] for o in points)

    kept = front(points)
    assert sorted(kept) == [i for i, point in enumerate(points) if not beaten(point)]
    assert [points[i] for i in kept] == sorted(points[i] for i in kept)


@given(RATES, st.floats(-99, 1000))
def test_a_change_is_undone_by_itself(base: float, percent: float) -> None:
    assert change(base * (1 + percent / 100), base) == pytest.approx(percent, abs=1e-6)


def test_a_change_from_nothing_is_no_number() -> None:
    assert change(1, 0) is None
    assert change(None, 1) is None
    assert change(1, None) is None


@given(st.lists(RATES, min_size=2), RATES)
def test_spread_is_the_same_in_every_unit(values: list[float], factor: float) -> None:
    scaled = [value * factor for value in values]
    assert spread(scaled) == pytest.approx(spread(values), rel=1e-6, abs=1e-9)


def test_one_run_has_no_spread() -> None:
    assert spread([5.0]) is None
    assert spread([5.0, None]) is None
    assert spread([9.0, 11.0]) == pytest.approx(10)


@given(RATES, COUNTS, COUNTS, COUNTS)
def test_rates_a_gpu_add_up_to_the_rate(
    rate: float, aggregated: int, prefill: int, decode: int
) -> None:
    gpus = Gpus(aggregated, prefill, decode)
    assert gpus.owned == gpus.decoding + prefill
    for count in (gpus.owned, gpus.decoding):
        each = per_gpu(rate, count)
        assert each is None if count == 0 else each and each * count == pytest.approx(rate)


def test_no_gpus_give_no_rate_instead_of_a_division_by_zero() -> None:
    assert per_gpu(100, 0) is None


@given(st.integers(1, 999_999))
def test_a_number_of_gpus_is_aggregated(count: int) -> None:
    assert parsed(str(count)) == Gpus(aggregated=count)


def test_gpus_are_read_by_role() -> None:
    assert parsed("prefill=1,decode=4") == Gpus(prefill=1, decode=4)
    assert str(parsed("prefill=1,decode=4")) == "1 prefill + 4 decode GPUs"
    assert str(parsed("1")) == "1 GPU"


@pytest.mark.parametrize(
    "text",
    ["", "0", "-1", "four", "prefill=1", "decode=x", "decode=1,decode=2", "decode=1;", "worker=1"],
)
def test_gpus_that_cannot_be_meant_are_refused_with_what_to_write(text: str) -> None:
    with pytest.raises(InputError, match=r"--gpus .*give"):
        parsed(text)
