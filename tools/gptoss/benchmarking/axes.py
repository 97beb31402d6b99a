"""What charts share: the frame with its legend, the axes, and the marks of runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.benchmarking.svg import FONT_SIZE, SERIES, Box, Drawing, Scale, text_width

if TYPE_CHECKING:
    from collections.abc import Sequence

LINE = FONT_SIZE + 6
MARK = 5.0


@dataclass(frozen=True)
class Frame:
    """A drawing with its axes drawn, and where in it values go."""

    drawing: Drawing
    plot: Box


def framed(width: int, height: int, title: str, above: str, names: Sequence[str]) -> Frame:
    """A drawing with its legend and the name of the vertical axis at the top."""
    drawing = Drawing(width, height, title)
    y = _legend(drawing, names) if len(names) > 1 else 0.0
    drawing.text(0, y + FONT_SIZE, above, "muted")
    return Frame(drawing, Box(0, y + 2 * LINE - 6, width, height - 2 * LINE - 4))


def _legend(drawing: Drawing, names: Sequence[str]) -> float:
    """Names of runs beside their marks, in as many lines as they need; gives where they end."""
    x, y = MARK + 1, FONT_SIZE - 4.0
    for number, name in enumerate(names):
        room = text_width(name) + 34
        if x > MARK + 1 and x + room > drawing.width:
            x, y = MARK + 1, y + LINE
        draw_mark(drawing, number, x, y, "", "mark")
        drawing.text(x + 10, y + 4, name)
        x += room
    return y + LINE


def draw_mark(drawing: Drawing, number: int, x: float, y: float, hover: str, kind: str) -> None:
    """The mark of a run: shapes differ with the colours, for those who see few of these."""
    css, size = f"{kind} s{number % SERIES}", MARK
    if number % 4 == 1:
        box = {"x": x - size, "y": y - size, "width": 2 * size, "height": 2 * size}
        drawing.add("rect", css, hover, **box)
        return
    sides = {2: ((0, -1.3), (1.2, 0.9), (-1.2, 0.9)), 3: ((0, -1.4), (1.4, 0), (0, 1.4), (-1.4, 0))}
    if number % 4 in sides:
        corners = " ".join(f"{x + a * size:.1f},{y + b * size:.1f}" for a, b in sides[number % 4])
        drawing.add("polygon", css, hover, points=corners)
        return
    drawing.add("circle", css, hover, cx=x, cy=y, r=size)


def mark_alone(number: int) -> str:
    """The mark of a run as a picture of its own."""
    drawing = Drawing(16, 16, f"mark of run {number + 1}")
    draw_mark(drawing, number, 8, 8, "", "mark")
    return drawing.render()


def vertical_axis(frame: Frame, scale: Scale) -> float:
    """Draws grid lines with their values and gives where the plot begins."""
    labels = [tick(value) for value in scale.ticks]
    left = max(map(text_width, labels)) + 8
    for value, label in zip(scale.ticks, labels, strict=True):
        y = scale(value)
        frame.drawing.line(left, y, frame.plot.right, y, "grid")
        frame.drawing.text(left - 6, y + 4, label, "muted end")
    return left


def horizontal_axis(frame: Frame, places: Sequence[tuple[float, str]], name: str) -> None:
    """Draws values below the plot, as many as there is room for, and the axis' name."""
    bottom, free = frame.plot.bottom, float("-inf")
    for x, label in places:
        half = text_width(label) / 2
        if x - half > free and x + half <= frame.plot.right + 4:
            frame.drawing.text(x, bottom + LINE, label, "muted middle")
            free = x + half + 6
    frame.drawing.text(frame.plot.right, bottom + 2 * LINE, name, "muted end")


def tick(value: float) -> str:
    """A value of an axis as text."""
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:g}"
