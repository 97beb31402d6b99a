"""The chart of throughput over speed, with the front that nothing beats in both."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from gptoss.drawing.axes import framed, horizontal_axis, tick, vertical_axis
from gptoss.drawing.labels import Box, around, beside
from gptoss.drawing.marks import MARK, draw_mark
from gptoss.drawing.scales import linear

if TYPE_CHECKING:
    from gptoss.drawing.legend import Key
    from gptoss.drawing.scales import Scale
    from gptoss.drawing.svg import Drawing

WIDE, NARROW = 980, 350
SPEED = "tokens/s/user"
# Beyond the highest values, for labels.
ROOM = 1.04
# Of a point that only its line and its hover name.
DOT = 2.2


class Spot(NamedTuple):
    """A mark.

    Attributes:
        x, y: Tokens a second that a user sees, and that a GPU (or all) delivers.
        label: What to write beside it where there is room.
        hover: What it says when one points at it.
        series: Its shape and colour.
        css: How it looks, a class of ``style.RULES``: ``mark``, ``hollow``, ``of`` or ``faint``.
        label_css: How its label is written.
        size: Half of its width.
        letter: What stands for it in a terminal; the shape of its series where empty.
        short: A shorter label, for where there is too little room.
    """

    x: float
    y: float
    label: str
    hover: str
    series: int = 0
    css: str = "mark"
    label_css: str = ""
    size: float = MARK
    letter: str = ""
    short: str = ""

    @property
    def labels(self) -> list[str]:
        """Its labels, the best first."""
        return [label for label in (self.label, self.short) if label]


class Line(NamedTuple):
    """A line through points by rising ``x``, with what it says when one points at it."""

    points: tuple[tuple[float, float], ...]
    hover: str
    css: str = "front"
    series: int = 0


@dataclass(frozen=True, slots=True)
class Pareto:
    """What a chart shows.

    Attributes:
        unit: Of the vertical axis.
        spots: Marks; the first get their labels first and lie on top.
        lines: What lies below them.
        keys: What the legend says; none where there is nothing to tell apart.
    """

    unit: str
    spots: tuple[Spot, ...]
    lines: tuple[Line, ...] = ()
    keys: tuple[Key, ...] = ()

    @property
    def title(self) -> str:
        """What the chart shows, in words."""
        return f"Pareto chart of {self.unit} over {SPEED}"

    @property
    def highest(self) -> tuple[float, float]:
        """The largest values on both axes."""
        places = [(spot.x, spot.y) for spot in self.spots]
        places += [place for line in self.lines for place in line.points]
        return max(x for x, _ in places), max(y for _, y in places)


def as_drawing(chart: Pareto, width: int = WIDE) -> Drawing:
    """The chart in a width."""
    height = 420 if width >= WIDE else 340
    frame = framed(width, height, chart.title, f"{chart.unit} ↑ better", chart.keys)
    right, top = chart.highest
    vertical = linear(top * ROOM, frame.plot.bottom, frame.plot.top)
    left = vertical_axis(frame, vertical)
    across = linear(right * ROOM, left, frame.plot.right - 24, 5 if width >= WIDE else 3)
    horizontal_axis(frame, [(across(t), tick(t)) for t in across.ticks], f"{SPEED} → better")
    for line in chart.lines:
        where = [(across(x), vertical(y)) for x, y in line.points]
        frame.drawing.path(where, f"{line.css} s{line.series}", line.hover)
    for spot in reversed(chart.spots):
        at = (across(spot.x), vertical(spot.y))
        draw_mark(frame.drawing, spot.series, *at, spot.hover, spot.css, spot.size)
    inside = Box(left, frame.plot.top - 8, frame.plot.right, frame.plot.bottom)
    _labels(frame.drawing, chart, across, vertical, inside)
    return frame.drawing


def _labels(drawing: Drawing, chart: Pareto, across: Scale, vertical: Scale, inside: Box) -> None:
    """Writes labels where there is room; else pointing at the mark must do."""
    places = [(across(spot.x), vertical(spot.y)) for spot in chart.spots]
    taken = [around(*at, spot.size + 2) for at, spot in zip(places, chart.spots, strict=True)]
    for line in chart.lines:
        taken += _along([(across(x), vertical(y)) for x, y in line.points])
    for at, spot in zip(places, chart.spots, strict=True):
        for label in spot.labels:
            if box := beside(*at, label, taken, inside):
                drawing.text(box.left, box.bottom - 2, label, spot.label_css)
                taken.append(box)
                break


def _along(points: list[tuple[float, float]]) -> list[Box]:
    """What a line takes, in small steps."""
    boxes = []
    for (x, y), (to_x, to_y) in pairwise(points):
        steps = int(max(abs(to_x - x), abs(to_y - y)) // 6) + 1
        boxes += [
            around(x + (to_x - x) * part / steps, y + (to_y - y) * part / steps, 1.0)
            for part in range(steps)
        ]
    return boxes
