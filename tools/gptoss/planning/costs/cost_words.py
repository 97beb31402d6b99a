"""Cost in words: the same of what is predicted and of what was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.planning.costs.cost import break_even
from gptoss.planning.telling.plan_words import amount

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gptoss.planning.costs.cost import Cost

HEAD = ("$/hour", "$/1M output", "$/1M input")
NOTE = "each is the whole bill by these tokens; they do not add up"


def title(prices: Mapping[str, float]) -> str:
    """What is reckoned with."""
    told = ", ".join(f"{gpu} ${price:,.2f} an hour" for gpu, price in prices.items())
    return f"Cost ({told}; {NOTE})"


def cells(cost: Cost | None) -> tuple[str, str, str]:
    """What stands below the head; dashes where a GPU has no price."""
    if cost is None:
        return ("–", "–", "–")
    return (
        f"{cost.per_hour:,.2f}",
        dollars(cost.per_million_output),
        dollars(cost.per_million_input),
    )


def dollars(amount_of: float) -> str:
    """Dollars to a tenth of a cent below one."""
    return f"{amount_of:,.2f}" if amount_of >= 1 else f"{amount_of:.3f}"


def told(cost: Cost) -> str:
    """All of it in one clause."""
    hour, output, prompts = cells(cost)
    return f"${output} per million output tokens, ${prompts} per million input; ${hour} an hour"


def told_break_even(names: tuple[str, str], costs: tuple[Cost, Cost]) -> str:
    """From where on the second of two is cheaper."""
    first, second = names
    found = break_even(*costs)
    even = f"both cost the same a token when GPUs of {second} cost {found.price:.2f} times as much"
    if found.tokens_per_second is None:
        return f"break-even: {second} is at no load cheaper than {first}; {even}"
    if found.tokens_per_second == 0:
        return f"break-even: {second} costs no more than {first} at any load; {even}"
    least = amount(found.tokens_per_second)
    return f"break-even: {second} pays from {least} output tokens/s on; {even}"


def as_dollars(cost: Cost | None) -> dict[str, float] | None:
    """The same as data."""
    if cost is None:
        return None
    return {
        "dollars_per_hour": round(cost.per_hour, 4),
        "dollars_per_million_output_tokens": round(cost.per_million_output, 4),
        "dollars_per_million_input_tokens": round(cost.per_million_input, 4),
    }


def unpriced(gpus: Iterable[str]) -> str:
    """What to give where a GPU has no price."""
    named = list(dict.fromkeys(gpus))
    flags = " ".join(f"--price {gpu}=DOLLARS" for gpu in named)
    return f"nobody says what an hour of a {' or a '.join(named)} costs; give {flags}"
