"""The best of everything that some GPUs can be."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from gptoss.planning.searching.candidates import Candidates
from gptoss.planning.searching.space import COARSE, batches, shapes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gptoss.planning.layouts import Layout
    from gptoss.planning.prediction import Prediction
    from gptoss.planning.searching.candidates import Candidate
    from gptoss.planning.searching.space import Room, Wish
    from gptoss.planning.steps.step_times import Times

# Up to so many systems each is predicted.
EXHAUSTIVE = 10_000
# Between two coarse batches lies at most this part of a batch, and of throughput with it.
GAP = 1 + 1 / COARSE
# Shapes of a row, replicas told apart, that are tried first.
SHAPES = 8
# Differences in throughput below this are none; then the lower TTFT decides.
EQUAL = 0.995


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found.

    Attributes:
        wish: What was searched for.
        predicted: Everything that was predicted.
        systems: How many systems there are, loads and batch limits told apart.
        without_data: Layouts that the library has no data of.
    """

    wish: Wish
    predicted: tuple[Prediction, ...]
    systems: int
    without_data: tuple[Layout, ...] = ()

    @property
    def is_exhaustive(self) -> bool:
        """Whether every system was predicted."""
        return len(self.predicted) == self.systems


def best_of(wish: Wish, predicted: Iterable[Prediction]) -> Prediction | None:
    """The most output tokens a second within the limits; None where nothing keeps them.

    Among equals those that have a place for each client, and of them the lowest TTFT.
    """
    keeping = [one for one in predicted if wish.limits.hold(one)]
    if not keeping:
        return None
    enough = EQUAL * max(one.tokens_per_second for one in keeping)
    equals = [one for one in keeping if one.tokens_per_second >= enough]
    return min(
        equals,
        key=lambda one: (
            one.load.clients > one.system.decode.max_batch_size * one.system.decode.ranks,
            one.ttft,
            one.itl,
            -one.system.unused,
            repr(one.system),
        ),
    )


def search(wish: Wish, room: Room, times: Times, *, exhaustive: int = EXHAUSTIVE) -> Found:
    """Predicts every system where there are few, else those that may be the best.

    Raises:
        InputError: A prediction fails.
    """
    candidates = Candidates(wish, room, times)
    rows = _rows(candidates)
    count = sum(len(those) for row in rows for those in row)
    if count <= exhaustive:
        for row in rows:
            for those in row:
                candidates.predicted(those)
    else:
        _coarse_to_fine(candidates, rows)
    return Found(wish, tuple(candidates.known.values()), count, candidates.without_data)


def _rows(candidates: Candidates) -> list[list[list[Candidate]]]:
    """The loads of each shape; shapes that differ in replicas alone are a row."""
    rows: dict[object, list[list[Candidate]]] = {}
    for shape in shapes(candidates.wish):
        if those := candidates.of(shape):
            rows.setdefault(shape.without_replicas, []).append(those)
    return list(rows.values())


class Tried(NamedTuple):
    """A shape of a row of which a few loads were predicted, and the best of them."""

    row: Sequence[Sequence[Candidate]]
    place: int
    best: Prediction | None


def _coarse_to_fine(candidates: Candidates, rows: list[list[list[Candidate]]]) -> None:
    """A few loads of a few shapes, of those between that may win, then all beside the best."""
    tried = []
    for row in rows:
        tried += [_tried(candidates, row, place) for place in range(0, len(row), _step(row))]
    for one in _may_win(tried):
        beyond = one.place + _step(one.row)
        between = range(max(0, 2 * one.place - beyond + 1), min(beyond, len(one.row)))
        tried += [_tried(candidates, one.row, place) for place in between if place != one.place]
    for one in _may_win(tried):
        if one.best:
            candidates.predicted(beside(one.row[one.place], one.best))


def _step(row: Sequence[Sequence[Candidate]]) -> int:
    return max(1, len(row) // SHAPES)


def _tried(candidates: Candidates, row: Sequence[Sequence[Candidate]], place: int) -> Tried:
    coarse = set(batches(COARSE))
    few = [one for one in row[place][:-1] if one.batch in coarse] + [row[place][-1]]
    return Tried(row, place, best_of(candidates.wish, candidates.predicted(few)))


def _may_win(tried: list[Tried]) -> list[Tried]:
    """Those that a step between coarse ones may bring to the most."""
    rates = [one.best.tokens_per_second if one.best else 0 for one in tried]
    most = max(rates, default=0)
    return [one for one, rate in zip(tried, rates, strict=True) if rate * GAP >= most]


def beside(those: Sequence[Candidate], best: Prediction) -> list[Candidate]:
    """Candidates between the coarse batches on both sides of the best."""
    grid = batches(COARSE)
    at = next(one.batch for one in those if (one.system, one.load) == (best.system, best.load))
    low = grid[max(0, bisect_left(grid, at) - 1)]
    high = grid[min(len(grid) - 1, bisect_right(grid, at))]
    return [one for one in those if low <= one.batch <= high]
