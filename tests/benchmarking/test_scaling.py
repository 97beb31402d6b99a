"""A benchmark made smaller."""

from __future__ import annotations

from gptoss.benchmarking.scaling import scaled

ONE = ["aiperf", "profile", "--concurrency", "3600", "--request-count", "36000"]
COUNTS = ["--warmup-request-count", "3600", "--num-dataset-entries", "39600"]


def test_requests_keep_their_proportion_to_the_concurrency() -> None:
    words = scaled([*ONE, *COUNTS], 0.001)
    assert words[2:6] == ["--concurrency", "4", "--request-count", "40"]
    assert words[6:] == ["--warmup-request-count", "4", "--num-dataset-entries", "44"]


def test_nothing_becomes_less_than_one() -> None:
    assert scaled(ONE, 1e-9)[3] == "1"
    assert scaled(ONE, 1e-9)[5] == "10"


def test_a_sweep_keeps_each_concurrency_once_and_its_rounds() -> None:
    words = ["--sweep", "32,64,128,4096", "--rounds", "5", "aiperf", "profile"]
    assert scaled(words, 0.01) == ["--sweep", "1,41", "--rounds", "5", "aiperf", "profile"]


def test_a_whole_benchmark_stays_as_it_is() -> None:
    assert scaled([*ONE, *COUNTS], 1.0) == [*ONE, *COUNTS]
