"""What charts share: the frame with its legend, and the axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.drawing.labels import Box, text_width
from gptoss.drawing.legend import LINE, draw_legend
from gptoss.drawing.style import FONT_SIZE
from gptoss.drawing.svg import Drawing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.drawing.legend import Key
    from gptoss.drawing.scales import Scale


@dataclass(frozen=True)
class Frame:
    """A drawing with its axes drawn, and where in it values go."""

    drawing: Drawing
    plot: Box


def framed(width: int, height: int, title: str, above: str, keys: Sequence[Key]) -> Frame:
    """A drawing with its legend, if any, and the name of the vertical axis at the top."""
    drawing = Drawing(width, height, title)
    y = draw_legend(drawing, keys) if keys else 0.0
    drawing.text(0, y + FONT_SIZE, above, "muted")
    return Frame(drawing, Box(0, y + 2 * LINE - 6, width, height - 2 * LINE - 4))


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
