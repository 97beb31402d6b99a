"""Pictures of tuned siblings beside their documents, on what the same GPUs could do."""

from __future__ import annotations

from pathlib import Path

from gptoss.drawing.pareto import as_drawing
from gptoss.drawing.style import STYLE
from gptoss.planning.telling.plan_chart import chart_of
from gptoss.text.errors import InputError
from predicted.fronts import families, pictured
from predicted.records import FRONTS

FOLDER = Path("docs/targets")


def target_pictures() -> dict[Path, str]:
    """A picture a documented target with siblings.

    Raises:
        InputError: One was not recorded.
    """
    record = FRONTS.read()
    found = {}
    for name in families():
        if name not in record:
            raise InputError(f"{FRONTS.file}: no {name}; run `make accuracy`")
        drawing = as_drawing(chart_of(pictured(record[name])))
        found[FOLDER / f"{name}.svg"] = f"{drawing.render(STYLE)}\n"
    return found
