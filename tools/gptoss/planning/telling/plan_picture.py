"""What ``gptoss plan`` found, as one picture: the chart, and the memory of GPUs below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.drawing import bars, pareto
from gptoss.drawing.stacked import stacked
from gptoss.memory.memory_bars import memory_bars
from gptoss.planning.telling.plan_chart import chart_of, pictured
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.drawing.svg import Drawing
    from gptoss.planning.telling.planned import Planned


def picture_of(every: Sequence[Planned], width: int = pareto.WIDE) -> Drawing:
    """The chart of all that was predicted, and a bar for each worker whose memory is known.

    Raises:
        InputError: Neither is known.
    """
    parts: list[tuple[str, Drawing]] = []
    if known := [each for each in every if each.predictions]:
        chart = pareto.as_drawing(chart_of([pictured(each) for each in known]), width)
        parts.append((f"Predicted: {_traffic(known)}", chart))
    for each in every:
        if found := memory_bars(each.deployment):
            head = f"Memory, {each.deployment.source}"
            parts.append((head, bars.as_drawing(found, head, width)))
    if not parts:
        raise InputError("nothing is known that a picture could show")
    return stacked(parts)


def _traffic(known: Sequence[Planned]) -> str:
    loads = [one.load for each in known for one in each.predictions]
    traffic = dict.fromkeys(f"{load.isl:,} tokens in, {load.osl:,} out" for load in loads)
    return "; ".join(traffic)
