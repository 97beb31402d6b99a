"""What a plan says of the measurements that it is calibrated by: at most 100 columns."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.planning.calibrating.correction import Estimate
    from gptoss.planning.telling.planned import Planned

WIDTH = 100


def calibration_lines(planned: Planned) -> Iterator[str]:
    """The correction in words; nothing where there is none."""
    own, made = planned.kept, planned.calibration
    if own is None:
        return
    by = own.by
    told = (
        f"Calibrated by {own.file}: prefill takes {_told(by.prefill)} times as long as the "
        f"library says, decode {_told(by.decode)} times, and an iteration with prompts "
        f"{_told(by.overhead, 1)} ms more."
    )
    if made:
        (itl, ttft), (new_itl, new_ttft) = made.before, made.after
        points = "one point" if made.points == 1 else f"{made.points} points"
        told += (
            f" Written now from {points}: the mean error of ITL was {itl:.1%} and is "
            f"{new_itl:.1%}, that of TTFT was {ttft:.1%} and is {new_ttft:.1%}."
        )
    yield from textwrap.wrap(
        told, WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False
    )


def calibration_data(planned: Planned) -> dict[str, Any] | None:
    """The same as data."""
    own, made = planned.kept, planned.calibration
    if own is None:
        return None
    parts = {"prefill": own.by.prefill, "decode": own.by.decode, "overhead_ms": own.by.overhead}
    data: dict[str, Any] = {
        "file": str(own.file),
        **{name: {"value": part.value, "error": part.error} for name, part in parts.items()},
    }
    if made:
        names = ("itl", "ttft")
        data["points"] = made.points
        data["error_before"] = dict(zip(names, made.before, strict=True))
        data["error_after"] = dict(zip(names, made.after, strict=True))
    return data


def _told(estimate: Estimate, places: int = 2) -> str:
    return f"{estimate.value:.{places}f} ± {estimate.error:.{places}f}"
