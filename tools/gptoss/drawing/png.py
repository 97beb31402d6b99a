"""Drawings as PNG, which every viewer and every chat shows; needs ``gptoss[png]``."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from gptoss.drawing.style import LIGHT, without_variables
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from gptoss.drawing.svg import Drawing

# Pixels a unit of the drawing: sharp on today's screens.
ZOOM = 2.0


def check_available() -> None:
    """Whether PNG can be made here.

    Raises:
        InputError: What makes it is not installed.
    """
    if not (find_spec("resvg_py") and find_spec("font_source_sans_pro")):
        raise InputError("PNG needs two more packages: pip install 'gptoss[png]'; SVG does not")


def as_png(drawing: Drawing, colours: dict[str, str] = LIGHT) -> bytes:
    """A drawing as PNG, the same everywhere: its font comes with the extra.

    Raises:
        InputError: What makes it is not installed.
    """
    check_available()
    import resvg_py
    from font_source_sans_pro import font_files_ttf

    return resvg_py.svg_to_bytes(
        svg_string=drawing.render(without_variables(colours)),
        background=colours["paper"],
        zoom=ZOOM,
        skip_system_fonts=True,
        font_files=[font_files_ttf[name] for name in ("SourceSansPro", "SourceSansProSemibold")],
        sans_serif_family="Source Sans Pro",
    )
