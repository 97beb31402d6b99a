"""Drawings as PNG look as their SVG does, the same on every machine."""

from __future__ import annotations

import struct
import sys

import pytest

from gptoss.drawing.marks import draw_mark
from gptoss.drawing.png import as_png
from gptoss.drawing.style import DARK, LIGHT, RULES, without_variables
from gptoss.drawing.svg import Drawing
from gptoss.text.errors import InputError

# What texts of charts say beside letters and digits.
SIGNS = "↑→↓×≥≤±…·–"


def drawing(text: str = "") -> Drawing:
    made = Drawing(120, 40, "a mark and a text")
    draw_mark(made, 1, 20, 20, "", "mark")
    if text:
        made.text(40, 24, text)
    return made


def test_a_png_is_sharp_and_always_the_same() -> None:
    made = as_png(drawing("4 × TP1"))
    assert made.startswith(b"\x89PNG")
    assert struct.unpack(">II", made[16:24]) == (2 * (120 + 32), 2 * (40 + 32))
    assert made == as_png(drawing("4 × TP1"))
    assert made != as_png(drawing("4 × TP1"), DARK)


@pytest.mark.parametrize("sign", SIGNS)
def test_the_font_has_every_sign_that_charts_write(sign: str) -> None:
    missing = as_png(drawing("\ue000"))
    assert as_png(drawing(sign)) not in (as_png(drawing()), missing)


@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_a_style_without_variables_says_the_same_in_one_set_of_colours(
    colours: dict[str, str],
) -> None:
    style = without_variables(colours)
    assert "var(" not in style
    assert f".mark.s1{{fill:{colours['s1']};" in style
    assert all(what in style for what in RULES)


@pytest.mark.parametrize("package", ["resvg_py", "font_source_sans_pro"])
def test_what_is_missing_is_said_in_one_message(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=r"pip install 'gptoss\[png\]'"):
        as_png(drawing())
