"""What ``gptoss tune`` prints: the front, the choice and why."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from gptoss.planning.costs.cost import cost_of
from gptoss.planning.costs.cost_words import dollars, told_break_even, unpriced
from gptoss.planning.costs.cost_words import told as told_cost
from gptoss.planning.costs.plan_cost import cost_data
from gptoss.planning.layouts import KvType
from gptoss.planning.searching.margin import PREFILL_MARGIN
from gptoss.planning.searching.space import Limits
from gptoss.planning.searching.tuning import is_disaggregated, is_sure
from gptoss.planning.telling.plan_data import prediction_data
from gptoss.planning.telling.plan_words import amount, duration, told_bottleneck
from gptoss.planning.tuned.tuned_values import gained, told

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gptoss.planning.prediction import Prediction
    from gptoss.planning.searching.space import Wish
    from gptoss.planning.searching.tuning import Tuned

WIDTH = 100
ROWS = 12
NUMBERS = ("", "tok/s/user", "tok/s/GPU", "TTFT", "clients")
PRICED = ("$/1M output",)
WORDS = ("system", "believed")


def tune_lines(tuned: Tuned, prices: Mapping[str, float]) -> Iterator[str]:
    """The report as text."""
    wish, found = tuned.wish, tuned.found
    yield from _wrapped(asked(wish))
    yield from _wrapped(f"  {looked_at(tuned)}")
    yield ""
    yield f"{_title(wish)}, fastest answers first (* keeps the limits, > the choice)"
    yield from _table(tuned, prices)
    yield ""
    yield from _wrapped(f"Choice: {tuned.choice.system.name}, {told(tuned.choice)}")
    for label, text in reasons(tuned):
        yield from _wrapped(f"  {label:<12}{text}", 14)
    for label, text in _costs(tuned, prices) if prices else ():
        yield from _wrapped(f"  {label:<12}{text}", 14)
    if found.without_data:
        names = ", ".join(map(str, found.without_data))
        yield from _wrapped(f"  {'no data':<12}of {names} on {wish.gpu.key}", 14)


def _title(wish: Wish) -> str:
    at = f" with {wish.clients:,} clients" if wish.clients else ""
    return f"What these GPUs can do{at}"


def asked(wish: Wish) -> str:
    """The wish in words."""
    limits = []
    if wish.limits.ttft < float("inf"):
        limits.append(f"TTFT at most {duration(wish.limits.ttft)}")
    if wish.limits.itl < float("inf"):
        limits.append(f"at least {amount(1000 / wish.limits.itl)} tokens/s/user")
    clients = f"{wish.clients:,} clients" if wish.clients else "as many clients as that bears"
    kv = "FP8" if wish.kv is KvType.FP8 else "BF16"
    return (
        f"{wish.gpus} x {wish.gpu.key}, {wish.isl:,} tokens in, {wish.osl:,} out, KV cache in "
        f"{kv}: the most tokens/s with {', '.join(limits) or 'no limit'}, {clients}"
    )


def looked_at(tuned: Tuned) -> str:
    """How thorough the search was."""
    found = tuned.found
    if found.is_exhaustive:
        return f"exhaustive: all {found.systems:,} systems and loads were predicted"
    return (
        f"{len(found.predicted):,} of {found.systems:,} systems and loads were predicted: coarse "
        "steps first, then all beside the best; within 2 % of the best of all"
    )


def reasons(tuned: Tuned) -> Iterator[tuple[str, str]]:
    """Why it was chosen, and how far that may be believed."""
    choice, second = tuned.choice, tuned.runner_up
    yield "why", _why(tuned)
    if tuned.before is not None:
        yield "gain", gained(tuned.before, choice)
    if second is not None:
        kind = "split" if is_disaggregated(second) else "aggregated"
        near = "" if is_sure(choice, second) else " That is inside the error of the predictions."
        yield "else", f"the best {kind}: {second.system.name}, {told(second)}{near}"
    if is_disaggregated(choice):
        yield (
            "margin",
            (
                f"chosen for prefill {PREFILL_MARGIN:.2f} times as slow as predicted, as "
                f"measured on B200 (ai-dynamo/aiconfigurator#1254); then {told(tuned.with_margin)}"
            ),
        )
    yield "bottleneck", told_bottleneck(choice)
    yield "believed", "; ".join((choice.judged.belief.told, *choice.judged.reasons))


def _costs(tuned: Tuned, prices: Mapping[str, float]) -> Iterator[tuple[str, str]]:
    """What tokens of the choice cost, and of what it is held against."""
    yield "cost", _cost(tuned.choice, prices)
    others = {"the best of the other serving": tuned.runner_up, "the source": tuned.before}
    chosen = cost_of(tuned.choice, prices)
    for name, one in others.items():
        cost = cost_of(one, prices) if one else None
        if one and cost and chosen:
            even = told_break_even((name, "the choice"), (cost, chosen))
            yield "", f"{name}: {told_cost(cost)}; {even}"


def _cost(one: Prediction, prices: Mapping[str, float]) -> str:
    cost = cost_of(one, prices)
    return told_cost(cost) if cost else unpriced([one.system.decode.layout.gpu])


def _why(tuned: Tuned) -> str:
    kept = [one for one in tuned.found.predicted if tuned.wish.limits.hold(one)]
    among = "that keep the limits" if tuned.wish.limits != Limits() else "that were predicted"
    return (
        f"the most tokens/s of {len(kept):,} {among}; those within half a percent of it count as "
        "equal, and of those with a place for each client it has the lowest TTFT"
    )


def _table(tuned: Tuned, prices: Mapping[str, float]) -> Iterator[str]:
    priced = PRICED if tuned.wish.gpu.key in prices else ()
    rows = [(*NUMBERS, *priced, *WORDS), *(_row(tuned, one, prices) for one in shown(tuned))]
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    last = len(widths) - len(WORDS)
    for cells in rows:
        numbers = [cell.rjust(width) for cell, width in zip(cells[:last], widths, strict=False)]
        words = [cell.ljust(width) for cell, width in zip(cells[last:], widths[last:], strict=True)]
        yield "  ".join((*numbers, *words)).rstrip()


def shown(tuned: Tuned) -> list[Prediction]:
    """Some points of the front, evenly, with the choice in place of what is like it."""
    choice = tuned.choice
    points = [one for one in tuned.front if _amounts(one) != _amounts(choice)]
    step = max(1, len(points) / ROWS)
    few = {int(n * step) for n in range(min(ROWS, len(points)))} | {len(points) - 1}
    some = [one for n, one in enumerate(points) if n in few]
    return sorted((*some, choice), key=lambda one: -one.per_user)


def _amounts(one: Prediction) -> tuple[str, str]:
    return amount(one.per_user), amount(one.tokens_per_second)


def _row(tuned: Tuned, one: Prediction, prices: Mapping[str, float]) -> tuple[str, ...]:
    mark, cost = "*" if tuned.wish.limits.hold(one) else "", cost_of(one, prices)
    return (
        ">" if one == tuned.choice else mark,
        amount(one.per_user),
        amount(one.per_gpu),
        duration(one.ttft),
        f"{one.load.clients:,}",
        *((dollars(cost.per_million_output),) if cost else ()),
        one.system.name,
        one.judged.belief.told,
    )


def _wrapped(text: str, indent: int = 4) -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent=" " * indent)


def tune_data(tuned: Tuned, prices: Mapping[str, float]) -> dict[str, Any]:
    """The report as data."""
    wish, found = tuned.wish, tuned.found
    return {
        "asked": {
            "gpu": wish.gpu.key,
            "gpus": wish.gpus,
            "isl": wish.isl,
            "osl": wish.osl,
            "kv": str(wish.kv),
            "clients": wish.clients,
            "ttft_ms": _finite(wish.limits.ttft),
            "itl_ms": _finite(wish.limits.itl),
            "serving": [str(each) for each in wish.serving],
        },
        "search": {
            "systems": found.systems,
            "predicted": len(found.predicted),
            "exhaustive": found.is_exhaustive,
            "without_data": [str(layout) for layout in found.without_data],
        },
        "choice": _prediction(tuned.choice, prices),
        "with_margin": {"prefill_slower": PREFILL_MARGIN} | _prediction(tuned.with_margin, prices),
        "before": tuned.before and _prediction(tuned.before, prices),
        "other_serving": tuned.runner_up and _prediction(tuned.runner_up, prices),
        "front": [_prediction(point, prices) for point in tuned.front],
    }


def _finite(number: float) -> float | None:
    return number if number < float("inf") else None


def _prediction(one: Prediction, prices: Mapping[str, float]) -> dict[str, Any]:
    cost = {"cost": cost_data(one, prices)} if prices else {}
    return {"system": one.system.name, **prediction_data(one), **cost}
