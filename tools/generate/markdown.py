"""Tables and links as GitHub's Markdown has them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def table(rows: Iterable[Sequence[str]]) -> str:
    """A table; its second row is the line below the heads."""
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def cell(text: str) -> str:
    """A text that ends no cell of a table."""
    return text.replace("|", "\\|")


def anchor(heading: str) -> str:
    """What a heading is called in links to it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
