"""Bars of what a whole is made of, one below the other on one scale."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from gptoss.drawing.legend import LINE, Key, draw_legend
from gptoss.drawing.style import FONT_SIZE, SERIES
from gptoss.drawing.svg import Drawing

if TYPE_CHECKING:
    from collections.abc import Sequence

HEIGHT, GAP = 26, 14
WIDTH = 98
FILLS = "█▓▒░#="
FREE = "·"


class Piece(NamedTuple):
    """A part of a bar; without a series it is what is left."""

    name: str
    value: float
    series: int | None
    is_exact: bool = True


@dataclass(frozen=True, slots=True)
class Bar:
    """A whole with its parts.

    Attributes:
        name: What stands above it.
        unit: Of all values.
        whole: What there is; parts that take more go beyond it.
        pieces: The parts from the left.
    """

    name: str
    unit: str
    whole: float
    pieces: tuple[Piece, ...]

    @property
    def length(self) -> float:
        """Where the last part ends, or the whole."""
        return max(self.whole, sum(piece.value for piece in self.pieces))

    def told(self, piece: Piece) -> str:
        """A part in words; ``≈`` where it is estimated."""
        about = "" if piece.is_exact else "≈ "
        return f"{piece.name} {about}{piece.value:,.1f}"


def as_drawing(bars: Sequence[Bar], title: str, width: int) -> Drawing:
    """Bars with their parts' names and values below each."""
    drawing = Drawing(width, 0, title)
    scale = width / max(bar.length for bar in bars)
    y = 0.0
    for bar in bars:
        drawing.text(0, y + FONT_SIZE, bar.name, "strong")
        end = bar.whole * scale
        drawing.text(end, y + FONT_SIZE, f"{bar.whole:,.0f} {bar.unit}", "muted end")
        y += LINE
        _draw_pieces(drawing, bar, scale, y)
        if bar.length > bar.whole:
            drawing.line(end, y - 4, end, y + HEIGHT + 4, "limit")
        y = draw_legend(drawing, [_key(bar, piece) for piece in bar.pieces], y + HEIGHT + 6) + GAP
    drawing.height = y - GAP
    return drawing


def _draw_pieces(drawing: Drawing, bar: Bar, scale: float, y: float) -> None:
    x = 0.0
    for piece in bar.pieces:
        css = "room" if piece.series is None else f"of s{piece.series % SERIES}"
        hover, room = f"{bar.told(piece)} {bar.unit}", piece.value * scale
        drawing.add("rect", css, hover, x=x, y=y, width=room, height=HEIGHT)
        x += room


def _key(bar: Bar, piece: Piece) -> Key:
    told = bar.told(piece)
    return Key(told, 0, "room") if piece.series is None else Key(told, piece.series, "of")


def as_line(bar: Bar) -> str:
    """A bar for a terminal, each part in its letter, of 98 columns at most."""
    ends = [round(end / bar.length * WIDTH) for end in accumulate(p.value for p in bar.pieces)]
    pairs = zip(bar.pieces, [0, *ends], ends, strict=False)
    return "".join(letter(piece.series) * (end - start) for piece, start, end in pairs)


def letter(series: int | None) -> str:
    """What a part of a series is drawn with in a terminal; without one, what is left."""
    return FREE if series is None else FILLS[series % len(FILLS)]
