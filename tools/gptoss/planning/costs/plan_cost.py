"""What the answers of ``gptoss plan`` cost, as text and as data."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from gptoss.planning.costs.cost import cost_of
from gptoss.planning.costs.cost_words import (
    HEAD,
    as_dollars,
    cells,
    title,
    told_break_even,
    unpriced,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gptoss.planning.prediction import Prediction
    from gptoss.planning.telling.planned import Planned

WIDTH = 100


def cost_lines(every: Sequence[Planned]) -> Iterator[str]:
    """A line a load and a neighbour, then from where on each is cheaper than the first."""
    prices = every[0].asked.prices
    rows = list(_rows(every))
    if not prices or not rows:
        return
    missing = [gpu for _, one in rows for gpu in one.system.owned if gpu not in prices]
    if missing:
        yield from textwrap.wrap(f"Cost: {unpriced(missing)}", WIDTH, subsequent_indent="  ")
    if len(missing) == sum(len(one.system.owned) for _, one in rows):
        return
    yield from textwrap.wrap(title(prices), WIDTH, subsequent_indent="  ")
    head = ("", "clients", "tok/s/GPU", *HEAD)
    table = [head, *((name, *_cells(one, prices)) for name, one in rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for name, *numbers in table:
        lined = [f"{number:>{width}}" for number, width in zip(numbers, widths[1:], strict=True)]
        yield f"  {name:<{widths[0]}}  {'  '.join(lined)}"
    yield from _break_evens(rows, prices)


def _cells(one: Prediction, prices: Mapping[str, float]) -> tuple[str, ...]:
    return (f"{one.load.clients:,}", f"{one.per_gpu:,.0f}", *cells(cost_of(one, prices)))


def _rows(every: Sequence[Planned]) -> Iterator[tuple[str, Prediction]]:
    """Each prediction under the name that it has above; neighbours are of one deployment alone."""
    for number, each in enumerate(every, 1):
        name = f"{number}" if len(every) > 1 else "this"
        yield from ((name, one) for one in each.predictions)
    known = [each for each in every if each.predictions]
    for number, near in enumerate(known[0].neighbours if len(known) == 1 else (), 1):
        yield f"neighbour {number}", near.prediction


def _break_evens(
    rows: Sequence[tuple[str, Prediction]], prices: Mapping[str, float]
) -> Iterator[str]:
    """Each of them under its last load, held against the first."""
    first, lasts = rows[0][0], dict(rows)
    last = lasts.pop(first)
    base = cost_of(last, prices)
    for name, one in lasts.items():
        cost = cost_of(one, prices)
        if base and cost and (one.load.isl, one.load.osl) == (last.load.isl, last.load.osl):
            sentence = told_break_even((first, name), (base, cost))
            yield from textwrap.wrap(sentence, WIDTH, initial_indent="  ", subsequent_indent="    ")


def cost_data(one: Prediction, prices: Mapping[str, float]) -> dict[str, float] | None:
    """The cost of a prediction; None where a GPU of it has no price."""
    return as_dollars(cost_of(one, prices))
