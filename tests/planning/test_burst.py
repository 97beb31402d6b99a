import pytest

from gptoss.planning.loops.burst import ttft_of_run
from gptoss.planning.loops.closed_loop import predict
from gptoss.planning.loops.published import Measured, measured_sets
from gptoss.planning.steps.step_times import Times
from predicted.points import name_of, predictions_of
from predicted.records import POINTS, differences


def some() -> list[Measured]:
    """One system of some sets."""
    sets = {each.name: each for each in measured_sets()}
    return [sets[name].points[-1] for name in ("b200", "gb200", "gb200-recipe")]


@pytest.mark.parametrize("point", some(), ids=name_of)
def test_what_is_recorded_is_what_is_predicted(point: Measured, times: Times) -> None:
    before = POINTS.read()[point.group][name_of(point)]
    assert not list(differences(before, predictions_of(point, times)))


@pytest.mark.parametrize("point", some(), ids=name_of)
def test_a_longer_benchmark_is_more_like_the_long_run(point: Measured, times: Times) -> None:
    found = predict(point.system, point.load, times)
    short, long, longest = (ttft_of_run(found, each, times) for each in (1, 10, 1e9))
    assert longest == pytest.approx(found.ttft, rel=1e-3)
    assert short >= long >= longest or short <= long <= longest


def test_one_client_waits_for_nobody(times: Times) -> None:
    point = next(p for e in measured_sets() for p in e.points if p.load.clients == 1)
    found = predict(point.system, point.load, times)
    assert ttft_of_run(found, 1, times) == pytest.approx(found.ttft, rel=0.01)
