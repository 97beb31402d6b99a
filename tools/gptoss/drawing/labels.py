"""Labels that keep out of each other's way."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from gptoss.drawing.style import FONT_SIZE

# Of a sans-serif letter, to guess how much room a text takes.
LETTER = 0.56 * FONT_SIZE
# Between a point's middle and its label.
MARGIN = 9


def text_width(text: str) -> float:
    """The room that a text takes, by guess."""
    return len(text) * LETTER


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
