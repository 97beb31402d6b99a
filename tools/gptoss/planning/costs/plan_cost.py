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
    known = [each for each in every if each.predictions]
    if not prices or not known:
        return
    rows = list(_rows(every))
    missing = [gpu for _, one in rows for gpu in _gpus(one) if gpu not in prices]
    if missing:
        yield from textwrap.wrap(f"Cost: {unpriced(missing)}", WIDTH, subsequent_indent="  ")
    if len(missing) == sum(len(_gpus(one)) for _, one in rows):
        return
    yield from textwrap.wrap(title(prices), WIDTH, subsequent_indent="  ")
    head = ("", "clients", "tok/s/GPU", *HEAD)
    table = [head, *((name, *_cells(one, prices)) for name, one in rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for name, *numbers in table:
        lined = [f"{number:>{width}}" for number, width in zip(numbers, widths[1:], strict=True)]
        yield f"  {name:<{widths[0]}}  {'  '.join(lined)}"
    yield from _break_evens(known, rows, prices)


def _cells(one: Prediction, prices: Mapping[str, float]) -> tuple[str, ...]:
    return (f"{one.load.clients:,}", f"{one.per_gpu:,.0f}", *cells(cost_of(one, prices)))


def _rows(every: Sequence[Planned]) -> Iterator[tuple[str, Prediction]]:
    """Each prediction under the name that it has above."""
    for number, each in enumerate(every, 1):
        name = f"{number}" if len(every) > 1 else "this"
        yield from ((name, one) for one in each.predictions)
    if len(every) == 1:
        near = enumerate(every[0].neighbours, 1)
        yield from ((f"neighbour {number}", each.prediction) for number, each in near)


def _break_evens(
    known: Sequence[Planned], rows: Sequence[tuple[str, Prediction]], prices: Mapping[str, float]
) -> Iterator[str]:
    last = known[0].predictions[-1]
    others = {name: one for name, one in rows if name != rows[0][0]}
    base = cost_of(last, prices)
    for name, one in others.items():
        cost = cost_of(one, prices)
        if base and cost and (one.load.isl, one.load.osl) == (last.load.isl, last.load.osl):
            sentence = told_break_even((rows[0][0], name), (base, cost))
            yield from textwrap.wrap(sentence, WIDTH, initial_indent="  ", subsequent_indent="    ")


def cost_data(one: Prediction, prices: Mapping[str, float]) -> dict[str, float] | None:
    """The cost of a prediction; None where a GPU of it has no price."""
    return as_dollars(cost_of(one, prices))


def _gpus(one: Prediction) -> list[str]:
    pair = (one.system.prefill, one.system.decode)
    return [engine.layout.gpu for engine in pair if engine]
