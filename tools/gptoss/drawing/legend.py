"""What marks and lines of a chart mean, in as many lines as that takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gptoss.drawing.labels import text_width
from gptoss.drawing.marks import MARK, draw_mark
from gptoss.drawing.style import FONT_SIZE, SERIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.drawing.svg import Drawing

LINE = FONT_SIZE + 6
# From an entry to the next, and from the middle of a mark to its name.
GAP, BESIDE = 24, 10


class Key(NamedTuple):
    """An entry: the mark of a series, or a line or a patch where ``css`` is one."""

    name: str
    series: int = 0
    css: str = "mark"


def draw_legend(drawing: Drawing, keys: Sequence[Key], top: float = 0) -> float:
    """Draws entries from the left, and gives where they end."""
    left = MARK + 1
    x, y = left, top + FONT_SIZE - 4.0
    for key in keys:
        is_line = key.css.split()[0] in ("line", "front")
        begin = BESIDE * (2 if is_line else 1)
        room = begin + text_width(key.name)
        if x > left and x + room > drawing.width:
            x, y = left, y + LINE
        css = f"{key.css} s{key.series % SERIES}"
        if is_line:
            drawing.line(x - MARK, y, x + begin - MARK, y, css)
        elif key.css in ("of", "room"):
            side = 2 * MARK
            drawing.add("rect", css, x=x - MARK, y=y - MARK, width=side, height=side)
        else:
            draw_mark(drawing, key.series, x, y, "", key.css)
        drawing.text(x + begin, y + 4, key.name)
        x += room + GAP
    return y + LINE
