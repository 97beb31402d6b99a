"""The chart of throughput over speed keeps its marks and labels readable in every width."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gptoss.drawing.labels import Box, text_width
from gptoss.drawing.legend import Key
from gptoss.drawing.pareto import NARROW, WIDE, Line, Pareto, Spot, as_drawing
from gptoss.drawing.pareto_text import ROWS, WIDTH, as_lines
from gptoss.drawing.style import FONT_SIZE

TEXT = re.compile(r'<text class="([^"]*)" x="([\d.-]+)" y="([\d.-]+)">([^<]*)</text>')
PLACES = st.lists(st.tuples(st.floats(0.5, 500), st.floats(0.5, 60_000)), min_size=1, max_size=12)


def chart(places: list[tuple[float, float]]) -> Pareto:
    spots = tuple(
        Spot(x, y, f"{number} x DEP4", f"point {number}", number % 7)
        for number, (x, y) in enumerate(places)
    )
    keys = (Key("a target"), Key("the best of the same GPUs", 0, "front"))
    return Pareto("tokens/s/GPU", spots, (Line(tuple(sorted(places)), "front"),), keys)


def boxes(svg: str) -> list[Box]:
    found = []
    for css, x, y, text in TEXT.findall(svg):
        width, left = text_width(text), float(x)
        left -= width if "end" in css else width / 2 if "middle" in css else 0
        found.append(Box(left, float(y) - FONT_SIZE + 2, left + width, float(y)))
    return found


@pytest.mark.parametrize("width", [NARROW, WIDE])
@given(places=PLACES)
def test_no_text_lies_on_another_nor_outside(width: int, places: list[tuple[float, float]]) -> None:
    drawing = as_drawing(chart(places), width)
    found = boxes(drawing.render())
    assert not [(a, b) for a in found for b in found if a is not b and a.meets(b)]
    assert all(box.left >= -1 and box.right <= width + 1 for box in found)
    assert all(box.top >= 0 and box.bottom <= drawing.height for box in found)


@given(PLACES)
def test_every_mark_is_drawn_and_says_what_it_is(places: list[tuple[float, float]]) -> None:
    svg = as_drawing(chart(places)).render()
    assert all(f"<title>point {number}</title>" in svg for number in range(len(places)))


def test_of_marks_at_one_place_the_first_lies_on_top() -> None:
    of = replace(chart([(100.0, 50.0)] * 2), lines=())
    svg = as_drawing(of).render()
    assert svg.index("<title>point 1</title>") < svg.index("<title>point 0</title>")
    shown = "\n".join(as_lines(of))
    assert ("●" in shown, "■" in shown) == (True, False)


@given(PLACES)
def test_a_terminal_shows_it_in_100_columns(places: list[tuple[float, float]]) -> None:
    lines = as_lines(chart(places))
    assert len(lines) == ROWS + 4
    assert max(map(len, lines)) <= WIDTH


def test_marks_stand_where_their_values_are() -> None:
    shown = as_lines(replace(chart([(0.0, 100.0), (100.0, 0.0)]), lines=()))
    assert shown[0] == "tokens/s/GPU ↑"
    assert shown[1].startswith("100 ┤● 0 x DEP4")
    assert shown[ROWS].startswith("  0 ┤")
    assert shown[ROWS].endswith(" ■ 1 x DEP4")
    assert re.fullmatch(r" +0 .* 100 .*", shown[-2])
    assert shown[-1].endswith(" tokens/s/user →")


def test_labels_never_write_over_marks_or_lines() -> None:
    places = [(float(x), 100.0 - x) for x in range(0, 100, 4)]
    shown = "\n".join(as_lines(chart(places)))
    assert sum(shown.count(letter) for letter in "●■▲◆") == len(places)


def test_colours_change_nothing_that_is_read() -> None:
    plain = as_lines(chart([(20.0, 50.0), (100.0, 10.0)]))
    painted = as_lines(chart([(20.0, 50.0), (100.0, 10.0)]), lambda text, of: f"<{of}|{text}>")
    assert [re.sub(r"<\w+\|([^>]*)>", r"\1", line) for line in painted] == plain
    assert "<s0| 0 x DEP4 ●>" in "\n".join(painted)
