"""What drawings share: legends, axes and marks keep apart, and several stand in one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.drawing.axes import framed, horizontal_axis
from gptoss.drawing.legend import Key, draw_legend
from gptoss.drawing.marks import draw_mark
from gptoss.drawing.stacked import stacked
from gptoss.drawing.svg import Drawing
from tests.drawing.test_pareto import boxes

if TYPE_CHECKING:
    from gptoss.drawing.labels import Box

WIDTH = 350


def apart(found: list[Box]) -> bool:
    return not [(a, b) for a in found for b in found if a is not b and a.meets(b)]


def test_a_legend_takes_as_many_lines_as_its_width_wants() -> None:
    drawing = Drawing(WIDTH, 200, "a legend")
    names = [f"the best of {number} x gb200" for number in range(4)]
    end = draw_legend(drawing, [Key(name) for name in names])
    found = boxes(drawing.render())
    assert len(found) == len(names)
    assert apart(found)
    assert all(box.right <= WIDTH and box.bottom <= end for box in found)


def test_an_axis_writes_as_many_values_as_there_is_room_for() -> None:
    frame = framed(WIDTH, 200, "an axis", "above", [])
    horizontal_axis(frame, [(x, f"{x}") for x in range(0, WIDTH, 4)], "below")
    found = boxes(frame.drawing.render())
    assert len(found) > 8
    assert apart(found)


def test_the_marks_of_four_series_have_four_shapes() -> None:
    shapes = set()
    for series in range(4):
        drawing = Drawing(16, 16, "a mark")
        draw_mark(drawing, series, 8, 8, "", "mark")
        shapes.add(re.sub(r"s\d", "", drawing.elements[0]))
    assert len(shapes) == 4


def test_drawings_stand_below_each_other_under_their_headings() -> None:
    parts = [(f"part {height}", Drawing(100, height, f"{height} high")) for height in (40, 60, 20)]
    whole = stacked(parts)
    tops = [float(y) for y in re.findall(r"translate\(0 ([\d.]+)\)", whole.render())]
    heads = [float(y) for y in re.findall(r'class="strong" x="0" y="([\d.]+)"', whole.render())]
    ends = [top + part.height for top, (_, part) in zip(tops, parts, strict=True)]
    assert all(head < top for head, top in zip(heads, tops, strict=True))
    assert all(end < head for end, head in zip(ends, heads[1:], strict=False))
    assert whole.height == ends[-1]
