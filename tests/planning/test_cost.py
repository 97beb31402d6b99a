"""What tokens cost, and from where on one configuration is cheaper than another."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from gptoss.cli import main
from gptoss.planning.costs.cost import Cost, break_even, cost_of
from gptoss.planning.costs.cost_words import told, told_break_even
from gptoss.planning.costs.plan_cost import cost_data, cost_lines
from gptoss.planning.costs.prices import prices_of
from gptoss.planning.layouts import Load
from gptoss.planning.loops.closed_loop import predict
from gptoss.planning.telling.planned import Asked, Planned
from gptoss.sources.load import load
from gptoss.sources.request import Request
from gptoss.text.errors import InputError
from tests.planning.systems import aggregated, split

if TYPE_CHECKING:
    from pathlib import Path

    from gptoss.planning.steps.step_times import Times

PRICES = {"gb200": 10.0}
costs = st.builds(Cost, *[st.floats(0.1, 1000)] * 3)


def test_a_price_is_dollars_an_hour_of_one_gpu_and_the_option_goes_before_the_file(
    tmp_path: Path,
) -> None:
    file = tmp_path / "prices.yaml"
    file.write_text("gb200: 10.5\nb200: 6\n")
    assert prices_of([], None) == {}
    assert prices_of(["h200=2.5"], None) == {"h200": 2.5}
    assert prices_of(["b200=5"], file) == {"gb200": 10.5, "b200": 5.0}


@pytest.mark.parametrize("price", ["gb200", "gb200=", "gb200=dear", "gb200=0", "gb200=-1", "=3"])
def test_a_price_that_is_none_is_refused_in_one_message(price: str) -> None:
    with pytest.raises(InputError, match=f"--price {price}: "):
        prices_of([price], None)


@pytest.mark.parametrize("text", ["- 1", "gb200: {}", "gpu: 3", "gb200: nan", ": :"])
def test_a_file_of_prices_that_is_none_is_named(text: str, tmp_path: Path) -> None:
    file = tmp_path / "prices.yaml"
    file.write_text(text)
    with pytest.raises(InputError, match=r"prices\.yaml"):
        prices_of([], file)
    with pytest.raises(InputError, match=r"cannot read .*none\.yaml: No such file"):
        prices_of([], tmp_path / "none.yaml")


def test_a_file_of_prices_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    file = tmp_path / "prices.yaml"
    file.write_bytes(b"gb200: \xff")
    with pytest.raises(InputError, match=r"prices\.yaml:1: this is not UTF-8 text"):
        prices_of([], file)
    with pytest.raises(InputError, match=r"cannot read .*: Is a directory"):
        prices_of([], tmp_path)


def test_costs_have_the_numbers_that_deployments_have_side_by_side(times: Times) -> None:
    (deployment,) = load(Request(("disagg-gb200",))).deployments
    asked = Asked(prices=PRICES)
    found = predict(aggregated("gb200", "TP1", 5), Load(320, 8192, 1024), times)
    unknown = Planned(deployment, asked, why_not="nothing is known")
    lines = list(cost_lines([unknown, Planned(deployment, asked, (found,))]))
    assert lines[-1].split()[:2] == ["2", "320"]


def test_a_million_tokens_cost_the_whole_bill_of_the_time_that_they_take() -> None:
    cost = Cost(per_hour=36.0, output_rate=10_000, input_rate=40_000)
    assert cost.per_million_output == pytest.approx(1.0)
    assert cost.per_million_input == pytest.approx(0.25)
    assert told(cost) == "$1.00 per million output tokens, $0.250 per million input; $36.00 an hour"


def test_gpus_that_no_engine_uses_are_paid_for_too(times: Times) -> None:
    used = aggregated("gb200", "TP2")
    cost = cost_of(predict(replace(used, unused=1), Load(16, 1024, 1024), times), PRICES)
    assert cost is not None
    assert cost.per_hour == pytest.approx(3 * PRICES["gb200"])


def test_gpus_that_prefill_are_paid_for_too(times: Times) -> None:
    system = split("gb200", (1, "TP1"), (1, "TP4"))
    prediction = predict(system, Load(64, 8192, 1024), times)
    cost = cost_of(prediction, PRICES)
    assert cost is not None
    assert cost.per_hour == 50
    assert cost.output_rate == pytest.approx(5 * prediction.per_gpu)
    assert cost.input_rate == pytest.approx(8 * cost.output_rate)
    assert cost_of(prediction, {"b200": 3.0}) is None
    assert cost_data(prediction, {}) is None


@given(costs, costs)
def test_at_the_price_of_the_break_even_both_cost_the_same(first: Cost, second: Cost) -> None:
    dearer = Cost(
        second.per_hour * break_even(first, second).price, second.output_rate, second.input_rate
    )
    assert dearer.per_million_output == pytest.approx(first.per_million_output)


@given(costs, costs)
def test_below_the_load_of_the_break_even_copies_of_the_first_cost_less(
    first: Cost, second: Cost
) -> None:
    begins = break_even(first, second).tokens_per_second
    copies = round((begins if begins is not None else second.output_rate) / first.output_rate - 0.5)
    if begins is None:
        assert max(1, copies) * first.per_hour <= second.per_hour * (1 + 1e-6)
    else:
        few = round(begins / first.output_rate)
        assert few * first.per_hour < second.per_hour
        assert (few + 1) * first.per_hour >= second.per_hour * (1 - 1e-6)


def test_a_break_even_is_said_in_words() -> None:
    small, large = Cost(10, 1000, 1000), Cost(40, 8000, 8000)
    assert "large pays from 3,000 output tokens/s on" in told_break_even(
        ("small", "large"), (small, large)
    )
    assert "small is at no load" not in told_break_even(("large", "small"), (large, small))
    assert "large costs no more than small at any load" in told_break_even(
        ("small", "large"), (small, Cost(10, 8000, 8000))
    )


def test_plan_has_a_line_a_load_and_compares_what_has_the_same_traffic(times: Times) -> None:
    (deployment,) = load(Request(("disagg-gb200",))).deployments
    systems = (split("gb200", (1, "TP1"), (1, "TP4")), aggregated("gb200", "TP1", 5))
    asked = Asked(prices=PRICES)
    every = [
        Planned(deployment, asked, (predict(system, Load(320, 8192, 1024), times),))
        for system in systems
    ]
    lines = list(cost_lines(every))
    assert max(map(len, lines)) <= 100
    assert lines[0].startswith("Cost (gb200 $10.00 an hour")
    assert [line.split()[:2] for line in lines[-4:-2]] == [["1", "320"], ["2", "320"]]
    assert "break-even: 2 costs no more than 1" in lines[-2]
    assert list(cost_lines([Planned(deployment, Asked(), every[0].predictions)])) == []
    of_two = list(cost_lines([Planned(deployment, asked, why_not="no data"), every[1]]))
    assert of_two[-1].split()[:2] == ["2", "320"], "by its number among all of them"
    (missing,) = cost_lines(
        [Planned(deployment, Asked(prices={"h200": 2.0}), every[0].predictions)]
    )
    assert missing == "Cost: nobody says what an hour of a gb200 costs; give --price gb200=DOLLARS"


def test_a_wrong_price_is_refused_before_anything_is_predicted() -> None:
    for command in (("plan", "disagg-gb200"), ("tune", "disagg-gb200"), ("bench", "report", ".")):
        result = CliRunner().invoke(main, [*command, "--price", "gb20=1"])
        assert result.exit_code == 2
        assert "it prices no known GPU; those are" in result.stderr


def test_data_of_a_prediction_has_its_cost(times: Times) -> None:
    prediction = predict(aggregated("gb200", "TP1"), Load(64, 1024, 1024), times)
    found = json.loads(json.dumps(cost_data(prediction, PRICES)))
    assert found["dollars_per_hour"] == 10
    assert found["dollars_per_million_output_tokens"] == found["dollars_per_million_input_tokens"]
