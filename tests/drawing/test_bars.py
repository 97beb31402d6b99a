"""Bars show parts on one scale, with names and values of all."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from gptoss.drawing.bars import WIDTH, Bar, Piece, as_drawing, as_line

PARTS = st.lists(st.floats(0, 300), min_size=1, max_size=8)
RECT = re.compile(
    r'<rect class="(?:of s\d|room)" x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="26"'
)


def bar(values: list[float], whole: float = 100) -> Bar:
    pieces = [Piece(f"part {n}", value, n, n == 0) for n, value in enumerate(values)]
    left = max(0.0, whole - sum(values))
    return Bar("prefill, TP1", "GiB", whole, (*pieces, Piece("left", left, None)))


@given(PARTS)
def test_parts_lie_side_by_side_on_one_scale(values: list[float]) -> None:
    one = bar(values)
    svg = as_drawing([one, bar([50.0])], "memory", 400).render()
    found = [(float(x), float(width)) for x, width in RECT.findall(svg)][: len(one.pieces)]
    scale = 400 / one.length
    for piece, (_, width) in zip(one.pieces, found, strict=True):
        assert abs(width - piece.value * scale) < 0.1
    for (x, width), (following, _) in pairwise(found):
        assert abs(x + width - following) < 0.2


def test_what_goes_beyond_the_whole_is_marked() -> None:
    assert 'class="limit"' in as_drawing([bar([60.0, 50.0])], "memory", 400).render()
    assert 'class="limit"' not in as_drawing([bar([60.0, 40.0])], "memory", 400).render()


@given(PARTS)
def test_a_terminal_shows_it_in_one_line(values: list[float]) -> None:
    assert abs(len(as_line(bar(values))) - WIDTH) <= 1


def test_each_part_has_its_letter() -> None:
    assert as_line(bar([25.0, 25.0])) == "█" * 24 + "▓" * 25 + "·" * 49


def test_what_is_estimated_says_so() -> None:
    svg = as_drawing([bar([25.0, 25.0])], "memory", 400).render()
    assert ">part 0 25.0</text>" in svg
    assert ">part 1 ≈ 25.0</text>" in svg
