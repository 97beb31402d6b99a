"""Drawings in SVG; their colours and lines are classes of ``gptoss.drawing.style``."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

# Around a picture that stands alone.
MARGIN = 16


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

    def place(self, other: Drawing, y: float) -> None:
        """Adds a whole drawing at a height."""
        move = f"translate(0 {_number(y)})"
        self.elements.append(f'<g transform="{move}">{"".join(other.elements)}</g>')

    def render(self, style: str = "") -> str:
        """The picture; with a style it stands alone in a file."""
        margin = MARGIN if style else 0
        width, height = self.width + 2 * margin, self.height + 2 * margin
        size = f'viewBox="{-margin} {-margin} {_number(width)} {_number(height)}"'
        name = f'role="img" aria-label="{escape(self.title, quote=True)}"'
        alone = f'width="{_number(width)}" height="{_number(height)}" ' if style else ""
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
