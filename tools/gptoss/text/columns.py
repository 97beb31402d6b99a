"""Rows of text in columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.text.printable import painted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def columns(
    rows: Sequence[Sequence[str]], align: Callable[[str, int], str] = str.ljust
) -> list[str]:
    """Rows with every column as wide as its widest cell, two spaces apart, each on one line."""
    rows = [[painted(cell) for cell in cells] for cells in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [row(cells, widths, align) for cells in rows]


def row(
    cells: Sequence[str], widths: Sequence[int], align: Callable[[str, int], str] = str.ljust
) -> str:
    """One row with columns of these widths, two spaces apart."""
    return "  ".join(map(align, cells, widths)).rstrip()
