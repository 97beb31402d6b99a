"""The system to run for a wish: searched with a margin, told without."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gptoss.planning.loops.closed_loop import predict
from gptoss.planning.prediction import Belief
from gptoss.planning.searching.front import front_of
from gptoss.planning.searching.kv_rooms import room_for
from gptoss.planning.searching.margin import WithMargin
from gptoss.planning.searching.search import best_of, search
from gptoss.planning.searching.space import Limits, batches
from gptoss.planning.telling.plan_words import amount, duration
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gptoss.facts.models import Model
    from gptoss.planning.layouts import Load, System
    from gptoss.planning.prediction import Prediction
    from gptoss.planning.searching.search import Found
    from gptoss.planning.searching.space import Wish
    from gptoss.planning.steps.step_times import Times


@dataclass(frozen=True, slots=True)
class Tuned:
    """What was chosen, and among what.

    Attributes:
        wish: What was asked for.
        choice: Prediction of the chosen system.
        with_margin: The same where prefill is slower.
        found: What the search looked at; predictions with the margin.
        front: What the same GPUs can do without it, the fastest answers first.
        runner_up: The best of the other kind of serving; None where there is none.
        before: The most that its source does within the limits; None without a source, or where
            that has no room for such requests.
    """

    wish: Wish
    choice: Prediction
    with_margin: Prediction
    found: Found
    front: tuple[Prediction, ...]
    runner_up: Prediction | None
    before: Prediction | None = None


# Two predictions of throughput differ by less than their errors where they differ by less than
# this. Published engines are off by up to a tenth on average, which are the errors of a fit
# (docs/planning.md); the library alone is off by 12 % within the grid and by 14 to 29 beyond it.
SURE = {Belief.MEASURED: 1.15, Belief.WITHIN: 1.15, Belief.EXTRAPOLATED: 1.3}


def is_sure(more: Prediction, less: Prediction) -> bool:
    """Whether one has more throughput a GPU than another beyond the error of both."""
    believed = min(more.judged.belief, less.judged.belief)
    return more.per_gpu > SURE.get(believed, math.inf) * less.per_gpu


def tuned(wish: Wish, model: Model, times: Times) -> Tuned:
    """The most output tokens a second within the limits, with the margin and without.

    Raises:
        InputError: The library has no data, or nothing keeps the limits.
    """
    found = search(wish, room_for(wish, model), WithMargin(times))
    plain = Plain(wish, times)
    best = plain.best_of(found.predicted)
    if best is None:
        raise InputError(why_nothing(found))
    split = is_disaggregated(best)
    others = [one for one in found.predicted if is_disaggregated(one) is not split]
    second = plain.best_of(others)
    points = front_of(found.predicted)
    return Tuned(
        wish,
        plain.of(best),
        best,
        found,
        front_of(map(plain.of, points)),
        second and plain.of(second),
    )


def within_limits(system: System, load: Load, wish: Wish, times: Times) -> Prediction:
    """The most that a system does within a wish's limits; under its own load where that is nothing.

    Raises:
        InputError: The library has no data.
    """
    own = predict(system, load, times)
    if wish.clients or wish.limits == Limits():
        return own
    every = (replace(load, clients=batch * system.decode.ranks) for batch in batches())
    return best_of(wish, [predict(system, each, times) for each in every]) or own


@dataclass(frozen=True, slots=True)
class Plain:
    """Predictions without the margin of those that have one."""

    wish: Wish
    times: Times

    def of(self, one: Prediction) -> Prediction:
        """The same system under the same load."""
        return predict(one.system, one.load, self.times) if is_disaggregated(one) else one

    def best_of(self, predicted: Iterable[Prediction]) -> Prediction | None:
        """The best that keeps the limits here too: sooner prefilled, more answer at once."""
        left = [one for one in predicted if self.wish.limits.hold(one)]
        while best := best_of(self.wish, left):
            if self.wish.limits.hold(self.of(best)):
                return best
            left.remove(best)
        return None


def is_disaggregated(one: Prediction) -> bool:
    """Whether prefill has engines of its own."""
    return one.system.prefill is not None


def why_nothing(found: Found) -> str:
    """What stands in the way of every system."""
    wish = found.wish
    on = f"{wish.gpus} x {wish.gpu.key}"
    request = f"a request of {wish.isl:,} tokens in and {wish.osl:,} out"
    if not found.predicted:
        if found.without_data:
            named = ", ".join(dict.fromkeys(map(str, found.without_data)))
            return f"nothing on {on} can be judged for {request}: no data of {named}, or no room"
        return f"no engine on {on} has room for {request}: take more GPUs or shorter requests"
    first = min(found.predicted, key=lambda one: one.ttft)
    fast = min(found.predicted, key=lambda one: one.itl)
    return (
        f"nothing on {on} keeps the limits for {request}"
        + (f" at {wish.clients:,} clients" if wish.clients else "")
        + f": the lowest TTFT is {duration(first.ttft)} ({first.system.name}, "
        f"{first.load.clients:,} clients), the fastest answers {amount(fast.per_user)} "
        f"tokens/s/user ({fast.system.name}, {fast.load.clients:,} clients); relax a limit, or "
        "give more GPUs"
    )
