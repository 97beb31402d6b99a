"""Drawings in SVG: elements, scales with round ticks, and labels that keep out of each other's way.

Colours are classes; ``STYLE`` gives them in light and dark for a picture that stands alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise

FONT_SIZE = 12
# Of a sans-serif letter, to guess how much room a text takes.
LETTER = 0.56 * FONT_SIZE
PALETTE = """
--paper:#ffffff;--ink:#1b1f24;--muted:#57606a;--grid:#d8dee4;--bad:#c6262e;--shade:#eef1f4;
--s0:#0062a3;--s1:#c04e00;--s2:#00795a;--s3:#a3417f;--s4:#6f5b00;--s5:#5b5bd6;
""".replace("\n", "")
DARK_PALETTE = """
--paper:#14181d;--ink:#e8ecf1;--muted:#a3adb8;--grid:#343b44;--bad:#ff7b80;--shade:#20262d;
--s0:#62b5f5;--s1:#ff9f5c;--s2:#43d3a5;--s3:#f08fc7;--s4:#e0c341;--s5:#aaa8ff;
""".replace("\n", "")
SERIES = 6
# Between a point's middle and its label.
MARGIN = 9
MARKS = (
    f"""
svg.chart text{{font:{FONT_SIZE}px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;
fill:var(--ink);paint-order:stroke;stroke:var(--paper);stroke-width:3px}}
svg.chart .muted{{fill:var(--muted)}}svg.chart .end{{text-anchor:end}}
svg.chart .middle{{text-anchor:middle}}svg.chart .strong{{font-weight:600}}
svg.chart .grid{{stroke:var(--grid)}}svg.chart .axis{{stroke:var(--muted)}}
svg.chart .shade{{fill:var(--shade)}}svg.chart .bad{{fill:var(--bad)}}
svg.chart .line{{fill:none;stroke:var(--c);stroke-width:2}}
svg.chart .thin{{stroke-width:1.25}}svg.chart .dashed{{stroke-dasharray:6 4}}
svg.chart .dotted{{stroke-dasharray:2 3}}
svg.chart .mark{{fill:var(--c);stroke:var(--paper);stroke-width:1.5}}
svg.chart .hollow{{fill:var(--paper);stroke:var(--c);stroke-width:2}}
svg.chart .front{{fill:none;stroke:var(--muted);stroke-width:1.5;stroke-dasharray:5 4}}
svg.chart .of{{fill:var(--c)}}
""".replace("\n", "")
    + "".join(f"svg.chart .s{n}{{--c:var(--s{n})}}" for n in range(SERIES))
)
STYLE = (
    f"svg.chart{{{PALETTE}background:var(--paper)}}"
    f"@media(prefers-color-scheme:dark){{svg.chart{{{DARK_PALETTE}}}}}{MARKS}"
)


@dataclass
class Drawing:
    """A picture of a size in pixels, with what it shows in words for those who cannot see it."""

    width: float
    height: float
    title: str
    elements: list[str] = field(default_factory=list)

    def add(self, tag: str, css: str, hover: str = "", **attributes: float | str) -> None:
        """Adds an element without text; ``hover`` is shown when one points at it."""
        inner = f"<title>{escape(hover)}</title>" if hover else ""
        self.elements.append(f'<{tag} class="{css}"{_words(attributes)}>{inner}</{tag}>')

    def text(self, x: float, y: float, text: str, css: str = "") -> None:
        """Adds a text at its left end, or where ``css`` anchors it."""
        attributes = _words({"x": x, "y": y})
        self.elements.append(f'<text class="{css}"{attributes}>{escape(text)}</text>')

    def line(self, x1: float, y1: float, x2: float, y2: float, css: str) -> None:
        """Adds a straight line."""
        self.add("line", css, x1=x1, y1=y1, x2=x2, y2=y2)

    def path(self, points: list[tuple[float, float]], css: str, hover: str = "") -> None:
        """Adds a line through points."""
        joined = "L".join(f"{_number(x)} {_number(y)}" for x, y in points)
        self.add("path", css, hover, d=f"M{joined}")

    def render(self, style: str = "") -> str:
        """The picture; with a style it stands alone in a file."""
        size = f'viewBox="0 0 {_number(self.width)} {_number(self.height)}"'
        name = f'role="img" aria-label="{escape(self.title, quote=True)}"'
        alone = f'width="{_number(self.width)}" height="{_number(self.height)}" ' if style else ""
        inner = f"<style>{style}</style>" if style else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" {alone}{size} {name}>'
            f"{inner}{''.join(self.elements)}</svg>"
        )


def _words(attributes: dict[str, float | str]) -> str:
    return "".join(
        f' {key.replace("_", "-")}="{escape(v) if isinstance(v, str) else _number(v)}"'
        for key, v in attributes.items()
    )


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def text_width(text: str) -> float:
    """The room that a text takes, by guess."""
    return len(text) * LETTER


@dataclass(frozen=True)
class Scale:
    """Values on a stretch of pixels, linear or logarithmic."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]
    logarithmic: bool = False

    def __call__(self, value: float) -> float:
        """Where a value lies."""
        low, high = self.low, self.high
        if self.logarithmic:
            low, high, value = (math.log10(each) for each in (low, high, max(value, low)))
        return self.start + (self.end - self.start) * (value - low) / (high - low)


def linear(high: float, start: float, end: float, count: int = 5) -> Scale:
    """A scale from 0 with round ticks that ends at the first tick above the highest value."""
    step = round_up(high / count) if high > 0 else 1.0
    ticks = [
        step * number for number in range(math.ceil(high / step - 1e-9) + 1 if high > 0 else 2)
    ]
    return Scale(0, ticks[-1], start, end, tuple(ticks))


def logarithmic(low: float, high: float, start: float, end: float) -> Scale:
    """A scale of powers of ten with ticks at 1, 2 and 5, which ends at ticks around the values."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    all_ticks = [part * 10.0**power for power in range(first, last + 1) for part in (1, 2, 5)]
    begin = max(tick for tick in all_ticks if tick <= low * (1 + 1e-9))
    finish = min(tick for tick in all_ticks if tick >= high * (1 - 1e-9) and tick > begin)
    ticks = tuple(tick for tick in all_ticks if begin <= tick <= finish)
    return Scale(begin, finish, start, end, ticks, logarithmic=True)


def round_up(value: float) -> float:
    """The first of 1, 2, 2.5, 5 and 10, times a power of ten, that is not below a value."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(part * power for part in (1, 2, 2.5, 5, 10) if part * power >= value * (1 - 1e-9))


@dataclass(frozen=True)
class Box:
    """A part of the picture that is taken."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Whether two parts overlap."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


def around(x: float, y: float, size: float) -> Box:
    """The part that a mark takes."""
    return Box(x - size, y - size, x + size, y + size)


def beside(x: float, y: float, text: str, taken: list[Box], inside: Box) -> Box | None:
    """A free place for a text near a point, right above it first; None when there is none."""
    width, height, gap = text_width(text), FONT_SIZE, MARGIN
    for dx, dy in ((1, -1), (1, 0), (0, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (-1, -1)):
        left = x + dx * (gap + width / 2) - width / 2
        top = y + dy * (gap + height / 2) - height / 2
        box = Box(left, top, left + width, top + height)
        in_it = inside.left <= left and box.right <= inside.right
        in_it = in_it and inside.top <= top and box.bottom <= inside.bottom
        if in_it and not any(box.meets(other) for other in taken):
            return box
    return None


def apart(places: list[float], distance: float, low: float, high: float) -> list[float]:
    """Heights moved so that they are this far apart between two bounds, in their own order.

    Where the bounds leave no room for the distance, it is what they leave.
    """
    order = sorted(range(len(places)), key=lambda i: places[i])
    distance = min(distance, (high - low) / max(1, len(places) - 1))
    moved = [min(max(place, low), high) for place in places]
    for before, after in pairwise(order):
        moved[after] = max(moved[after], moved[before] + distance)
    if order:
        moved[order[-1]] = min(moved[order[-1]], high)
    for after, before in pairwise(reversed(order)):
        moved[before] = min(moved[before], moved[after] - distance)
    return moved
