from dataclasses import replace

import pytest

from gptoss.planning.loops.published import measured_sets
from gptoss.text.columns import columns
from predicted.errors import LIMITS, Error, groups, limited
from predicted.held_out import CALIBRATED, errors
from predicted.points import Held, held
from predicted.records import HELD_OUT, POINTS, differences, written
from predicted.table import HEAD, rows


@pytest.fixture(scope="module")
def recorded() -> list[Held]:
    return list(held(POINTS.read()))


def test_every_measured_point_has_a_recorded_prediction(recorded: list[Held]) -> None:
    assert len(recorded) == sum(len(each.points) for each in measured_sets())


def test_what_is_recorded_is_within_its_limits(recorded: list[Held]) -> None:
    errors = {limit.of: (mean, limit.most) for limit, mean in limited(recorded)}
    assert len(errors) == len(LIMITS)
    assert not {of: both for of, both in errors.items() if both[0] > both[1]}


def test_a_limit_is_exceeded_when_predictions_move_away(recorded: list[Held]) -> None:
    wrong = [replace(each, itl=each.itl * 1.2, per_gpu=each.per_gpu * 1.3) for each in recorded]
    assert all(mean > limit.most for limit, mean in limited(wrong))


def test_the_h100_says_that_it_is_unreliable(recorded: list[Held]) -> None:
    assert {e.belief for e in recorded if e.measured.group == "h100"} == {"unreliable"}


def test_the_start_of_a_benchmark_brings_ttft_nearer_to_what_is_measured(
    recorded: list[Held],
) -> None:
    for group in groups(recorded):
        if group.name in ("B200, aggregated", "H200, aggregated", "GB200, split"):
            assert group.ttft is not None
            assert group.steady_ttft is not None
            assert group.ttft.mean < group.steady_ttft.mean


def test_a_mean_error_counts_both_directions() -> None:
    error = Error((0.9, 1.1, 1.0))
    assert (round(error.mean, 3), error.middle) == (0.067, 1.0)


def test_the_table_fits_a_terminal(recorded: list[Held]) -> None:
    lines = columns([list(HEAD), *rows(list(groups(recorded)))])
    assert max(map(len, lines)) <= 100


def test_a_record_differs_by_more_than_rounding() -> None:
    assert not list(differences({"a": {"b": 1.0}}, {"a": {"b": 1.0005}}))
    assert list(differences({"a": {"b": 1.0}}, {"a": {"b": 1.01}})) == [
        "a: b: recorded 1.0, now 1.01"
    ]
    assert list(differences({}, {"a": 1})) == ["a: recorded nothing, now 1"]


def test_a_record_is_written_as_it_is_read() -> None:
    assert written(POINTS.read()) == (POINTS.path).read_text("utf-8")


def test_every_second_step_of_a_published_sweep_halves_the_error_of_those_between() -> None:
    found = errors(HELD_OUT.read())
    assert found.steps > 50
    assert found.itl[1] <= found.itl[0] / 2
    assert found.ttft[1] <= found.ttft[0] * CALIBRATED["ttft"]
