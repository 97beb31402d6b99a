"""The chart of throughput over speed for a terminal."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from gptoss.drawing.axes import tick
from gptoss.drawing.marks import LETTERS
from gptoss.drawing.pareto import ROOM, SPEED
from gptoss.drawing.scales import linear
from gptoss.drawing.style import SERIES

if TYPE_CHECKING:
    from collections.abc import Callable

    from gptoss.drawing.pareto import Line, Pareto, Spot
    from gptoss.drawing.scales import Scale

    # Colours a text in a style: "s0" to "s5" of a series, or "muted".
    Paint = Callable[[str, str], str]

WIDTH, ROWS = 100, 20
ON_LINE = "·"


def plain(text: str, _: str) -> str:
    """A text without colours."""
    return text


def as_lines(chart: Pareto, paint: Paint = plain) -> list[str]:
    """The chart in lines of at most 100 columns; what marks mean is the caller's to say."""
    right, top = chart.highest
    vertical = linear(top, ROWS - 1, 0)
    ticks = {round(vertical(value)): tick(value) for value in vertical.ticks}
    left = max(map(len, ticks.values()))
    columns = WIDTH - left - 3
    across = linear(right * ROOM, 0, columns - 1)
    cells = [[(" ", "muted")] * columns for _ in range(ROWS)]
    for line in chart.lines:
        _draw_line(cells, line, across, vertical)
    for spot in reversed(chart.spots):
        _draw_spot(cells, spot, across, vertical)
    rows = []
    for number, row in enumerate(cells):
        label = ticks.get(number, "")
        edge = paint(f"{label.rjust(left)} {'┤' if label else '│'}", "muted")
        rows.append(f"{edge}{_painted(row, paint)}")
    places = {round(across(value)): tick(value) for value in across.ticks}
    rule = "".join("┬" if column in places else "─" for column in range(columns))
    axis = (" " * left + " └" + rule, _below(places, left + 2), f"{SPEED} →".rjust(WIDTH))
    return [paint(f"{chart.unit} ↑", "muted"), *rows, *(paint(text, "muted") for text in axis)]


Cells = list[list[tuple[str, str]]]


def _draw_line(cells: Cells, line: Line, across: Scale, vertical: Scale) -> None:
    for (x, y), (to_x, to_y) in pairwise(line.points):
        start, end = sorted((round(across(x)), round(across(to_x))))
        for column in range(start, end + 1):
            part = (column - across(x)) / (across(to_x) - across(x)) if to_x != x else 1.0
            value = y + (to_y - y) * min(1.0, max(0.0, part))
            cells[round(vertical(value))][column] = (ON_LINE, "muted")


def _draw_spot(cells: Cells, spot: Spot, across: Scale, vertical: Scale) -> None:
    """A mark, with its label to the right or to the left where that writes over nothing."""
    row, column = cells[round(vertical(spot.y))], round(across(spot.x))
    style = f"s{spot.series % SERIES}"
    row[column] = (spot.letter or LETTERS[spot.series % len(LETTERS)], style)
    for label in (f" {each} " for each in spot.labels if each != spot.letter):
        for start in (column + 1, column - len(label)):
            span = row[max(0, start) : start + len(label)]
            if len(span) == len(label) and all(letter == " " for letter, _ in span):
                row[start : start + len(label)] = [(letter, style) for letter in label]
                return


def _painted(row: list[tuple[str, str]], paint: Paint) -> str:
    """A row with each stretch of one style coloured at once."""
    last = max((at for at, (letter, _) in enumerate(row) if letter != " "), default=-1)
    text, stretch, style = "", "", "muted"
    for letter, of in [*row[: last + 1], ("", "")]:
        if of != style:
            text += paint(stretch, style) if stretch.strip() else stretch
            stretch, style = "", of
        stretch += letter
    return text


def _below(places: dict[int, str], left: int) -> str:
    """Values below their ticks, as many as there is room for."""
    text = ""
    for column, label in places.items():
        start = left + column - len(label) // 2
        if start > len(text) and start + len(label) <= WIDTH:
            text = text.ljust(start) + label
    return text
