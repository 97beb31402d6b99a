"""Sizes drawn at random: as many small ones as large ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random


def size(random: Random, least: int, most: int) -> int:
    """A number between two, evenly over its digits."""
    return min(most, int(least * (most / least) ** random.random()))
