"""Dollars for tokens, and from where on one configuration is cheaper than another."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.planning.prediction import Prediction

HOUR, MILLION = 3600, 1_000_000


@dataclass(frozen=True, slots=True)
class Cost:
    """What tokens cost while a configuration is as busy as it was predicted or measured.

    Attributes:
        per_hour: Dollars an hour of all GPUs owned.
        output_rate, input_rate: Tokens of answers and of prompts a second.
    """

    per_hour: float
    output_rate: float
    input_rate: float

    @property
    def per_million_output(self) -> float:
        """Dollars for a million output tokens, their prompts included."""
        return _per_million(self.per_hour, self.output_rate)

    @property
    def per_million_input(self) -> float:
        """Dollars for a million input tokens, their answers included: the same bill."""
        return _per_million(self.per_hour, self.input_rate)


def _per_million(per_hour: float, rate: float) -> float:
    return per_hour * MILLION / (HOUR * rate) if rate > 0 else math.inf


def cost_of(prediction: Prediction, prices: Mapping[str, float]) -> Cost | None:
    """What the tokens of a prediction cost; None where a GPU of it has no price."""
    system, load = prediction.system, prediction.load
    if not system.owned.keys() <= prices.keys():
        return None
    per_hour = sum(count * prices[gpu] for gpu, count in system.owned.items())
    return Cost(per_hour, prediction.tokens_per_second, prediction.rate * load.isl)


@dataclass(frozen=True, slots=True)
class BreakEven:
    """Where two configurations cost the same for an output token.

    Attributes:
        price: How many times the price of its GPUs the second could cost, both fully used.
        tokens_per_second: Output tokens a second from which on one of the second costs no more than
            copies of the first that bear as many; 0 where it never costs more, and None where it
            does at every load that it bears.
    """

    price: float
    tokens_per_second: float | None


def break_even(first: Cost, second: Cost) -> BreakEven:
    """Where the second configuration begins to pay.

    Below, as few copies of the first as bear the load cost less by the hour than one of the second.
    """
    price = first.per_million_output / second.per_million_output
    copies = math.ceil(second.per_hour / first.per_hour - 1e-9)
    begins = (copies - 1) * first.output_rate
    return BreakEven(price, begins if begins < second.output_rate else None)
