"""Predictions on the chart of throughput over speed, among what the same GPUs could do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from gptoss.drawing.legend import Key
from gptoss.drawing.marks import LETTERS, MARK
from gptoss.drawing.pareto import DOT, SPEED, Line, Pareto, Spot
from gptoss.drawing.style import SERIES
from gptoss.planning.prediction import Belief
from gptoss.planning.telling.plan_words import amount, duration, engines, gpus, short

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gptoss.planning.prediction import Prediction
    from gptoss.planning.telling.planned import Planned

UNIT = "tokens/s/GPU"
# More points than these have numbers beside them and no words.
FEW = 4
ON_FRONT, EXTRAPOLATED = "·", "∘"


class Charted(NamedTuple):
    """A prediction as the chart shows it.

    Attributes:
        engines: As in ``1 x TP1 + 1 x TP4``.
        clients: Requests on their way at once.
        per_user, per_gpu: Output tokens a second.
        ttft: Milliseconds.
        belief: How far to believe it.
    """

    engines: str
    clients: int
    per_user: float
    per_gpu: float
    ttft: float
    belief: Belief

    @property
    def is_extrapolated(self) -> bool:
        """Whether it leaves what was measured."""
        return self.belief < Belief.WITHIN

    @property
    def told(self) -> str:
        """All of it in words."""
        return (
            f"{self.engines}, {self.clients:,} clients: {amount(self.per_gpu)} {UNIT}, "
            f"{amount(self.per_user)} {SPEED}, TTFT {duration(self.ttft)}; {self.belief.told}"
        )


@dataclass(frozen=True, slots=True)
class Pictured:
    """A deployment on the chart.

    Attributes:
        name: What to call it.
        gpus: Its GPUs, as in ``5 x gb200``.
        points: It, under its loads.
        front: The best that its GPUs can do, by speed.
        neighbours: What is near it, best first.
    """

    name: str
    gpus: str
    points: tuple[Charted, ...]
    front: tuple[Charted, ...] = ()
    neighbours: tuple[Charted, ...] = ()

    @property
    def belief(self) -> Belief:
        """How far all of its points may be believed."""
        return min(point.belief for point in self.points)


def charted(of: Prediction) -> Charted:
    """A prediction for the chart."""
    name, clients = engines(of.system), of.load.clients
    return Charted(name, clients, of.per_user, of.per_gpu, of.ttft, of.judged.belief)


def pictured(each: Planned) -> Pictured:
    """What was predicted of a deployment, for the chart."""
    system = each.predictions[0].system
    near = [one.prediction for one in each.neighbours]
    points, front, neighbours = (
        tuple(map(charted, those)) for those in (each.predictions, each.front, near)
    )
    return Pictured(short(each.deployment.source), gpus(system), points, front, neighbours)


def chart_of(those: Sequence[Pictured]) -> Pareto:
    """The chart of deployments; neighbours only of one alone."""
    few = sum(len(each.points) for each in those) <= FEW
    spots: list[Spot] = []
    for series, each in enumerate(those):
        spots += _own(each, series, few=few)
    if len(those) == 1:
        spots += _neighbours(those[0])
    lines = []
    for series, each in _with_front(those):
        spots += _dots(each, series)
        places = tuple(map(_place, each.front))
        lines.append(Line(places, _best_of(each), "line thin dashed", series))
    for series, each in enumerate(those):
        if len(each.points) > 1:
            lines.append(Line(tuple(map(_place, each.points)), each.name, "line", series))
    return Pareto(UNIT, tuple(spots), tuple(lines), tuple(_keys(those, spots)))


def legend(those: Sequence[Pictured]) -> str:
    """What stands for what on the chart in a terminal."""
    told = [f"{LETTERS[n % len(LETTERS)]} {each.name}" for n, each in enumerate(those)]
    if len(those) == 1 and (count := len(those[0].neighbours)):
        told.append("1 the best neighbour" if count == 1 else f"1 to {count} the best neighbours")
    fronts = [each for _, each in _with_front(those)]
    told += [f"{ON_FRONT} {_best_of(each)}" for each in fronts]
    if any(point.is_extrapolated for each in fronts for point in each.front):
        told.append(f"{EXTRAPOLATED} extrapolated")
    return "  ".join(told)


def _with_front(those: Sequence[Pictured]) -> list[tuple[int, Pictured]]:
    """Deployments whose front is to be drawn; one front is drawn once."""
    known: dict[tuple[Charted, ...], tuple[int, Pictured]] = {}
    for series, each in enumerate(those):
        if len(each.front) > 1:
            known.setdefault(each.front, (series, each))
    return list(known.values())


def _best_of(each: Pictured) -> str:
    return f"the best of {each.gpus}"


def _place(one: Charted) -> tuple[float, float]:
    return one.per_user, one.per_gpu


def _own(each: Pictured, series: int, *, few: bool) -> Iterator[Spot]:
    for one in each.points:
        short, hover = f"{one.clients:,}", f"{each.name}: {one.told}"
        # TTFT is what the axes do not show.
        label = f"{short} clients, TTFT {duration(one.ttft)}" if few else short
        place = _place(one)
        yield Spot(*place, label, hover, series, "mark", "strong", MARK + 1, short=short)


def _neighbours(each: Pictured) -> Iterator[Spot]:
    for number, one in enumerate(each.neighbours, 1):
        hover, letter = f"neighbour {number}: {one.told}", f"{number}"
        yield Spot(*_place(one), letter, hover, 0, "hollow", "strong", MARK + 1, letter)


def _dots(each: Pictured, series: int) -> Iterator[Spot]:
    """The points of a front; layouts are named where each comes first."""
    named = set[str]()
    for one in sorted(each.front, key=lambda point: point.per_user):
        label = "" if one.engines in named else one.engines
        named.add(one.engines)
        css, letter = ("faint", EXTRAPOLATED) if one.is_extrapolated else ("of", ON_FRONT)
        yield Spot(*_place(one), label, one.told, series, css, "muted", DOT, letter)


def _keys(those: Sequence[Pictured], spots: Sequence[Spot]) -> Iterator[Key]:
    """The legend."""
    for series, each in enumerate(those):
        yield Key(f"{each.name} ({each.belief.told})", series)
    if len(those) == 1 and (count := len(those[0].neighbours)):
        yield Key("the best neighbours" if count > 1 else "the best neighbour", 0, "hollow")
    for series, each in _with_front(those):
        yield Key(_best_of(each), series % SERIES, "line thin dashed")
    if any(spot.css == "faint" for spot in spots):
        yield Key("extrapolated", 0, "faint")
