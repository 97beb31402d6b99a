"""What can be had at once: speed of an answer against throughput of the same GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gptoss.planning.prediction import Prediction

# Points whose speeds differ by less are one.
APART = 1.02
# Of systems that are as good as one another but for this, the one with the lowest TTFT stands.
ALIKE = 0.99


def front_of(predicted: Iterable[Prediction]) -> tuple[Prediction, ...]:
    """The systems of the same GPUs that none beats in both, the fastest answers first."""
    those = list(predicted)
    return tuple(_front(_soonest_like(point, those) for point in _front(those)))


def _front(predicted: Iterable[Prediction]) -> list[Prediction]:
    """What nothing beats in both; of what is as fast as one another the most."""
    points: list[Prediction] = []
    order = sorted(predicted, key=lambda one: (-one.per_user, -one.tokens_per_second, one.ttft))
    for one in order:
        if points and one.tokens_per_second <= points[-1].tokens_per_second:
            continue
        if len(points) > 1 and points[-2].per_user < one.per_user * APART:
            points.pop()
        points.append(one)
    return points


def _soonest_like(point: Prediction, predicted: Iterable[Prediction]) -> Prediction:
    """What is as good as a point and answers first: overload adds clients that only wait."""
    speed, rate = ALIKE * point.per_user, ALIKE * point.tokens_per_second
    alike = (p for p in predicted if p.per_user >= speed and p.tokens_per_second >= rate)
    return min(alike, key=lambda one: one.ttft)
