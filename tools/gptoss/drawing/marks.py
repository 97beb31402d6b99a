"""Marks of series: shapes differ with the colours, for those who see few of these."""

from __future__ import annotations

from gptoss.drawing.style import SERIES
from gptoss.drawing.svg import Drawing

MARK = 5.0
# The same shapes in a terminal.
LETTERS = "●■▲◆"
_CORNERS = {2: ((0, -1.3), (1.2, 0.9), (-1.2, 0.9)), 3: ((0, -1.4), (1.4, 0), (0, 1.4), (-1.4, 0))}


def draw_mark(
    drawing: Drawing, number: int, x: float, y: float, hover: str, kind: str, size: float = MARK
) -> None:
    """The mark of a series; its kind is a class of ``style.RULES``, as in ``hollow``."""
    css = f"{kind} s{number % SERIES}"
    if number % 4 == 1:
        box = {"x": x - size, "y": y - size, "width": 2 * size, "height": 2 * size}
        drawing.add("rect", css, hover, **box)
    elif sides := _CORNERS.get(number % 4):
        corners = " ".join(f"{x + a * size:.1f},{y + b * size:.1f}" for a, b in sides)
        drawing.add("polygon", css, hover, points=corners)
    else:
        drawing.add("circle", css, hover, cx=x, cy=y, r=size)


def mark_alone(number: int) -> str:
    """The mark of a series as a picture of its own."""
    drawing = Drawing(16, 16, f"mark of run {number + 1}")
    draw_mark(drawing, number, 8, 8, "", "mark")
    return drawing.render()
