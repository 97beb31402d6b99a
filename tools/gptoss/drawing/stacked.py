"""Drawings one below the other in one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.drawing.style import FONT_SIZE
from gptoss.drawing.svg import Drawing

if TYPE_CHECKING:
    from collections.abc import Sequence

HEAD, GAP = FONT_SIZE + 14, 28


def stacked(parts: Sequence[tuple[str, Drawing]]) -> Drawing:
    """Drawings under their headings, as wide as the widest."""
    title = "; ".join(drawing.title for _, drawing in parts)
    whole = Drawing(max(drawing.width for _, drawing in parts), 0, title)
    y = 0.0
    for head, drawing in parts:
        whole.text(0, y + FONT_SIZE, head, "strong")
        whole.place(drawing, y + HEAD)
        y += HEAD + drawing.height + GAP
    whole.height = y - GAP
    return whole
