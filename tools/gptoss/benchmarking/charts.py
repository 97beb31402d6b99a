"""The report's charts: the Pareto front, latencies over concurrency, a run over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.benchmarking.metrics import shown
from gptoss.benchmarking.statistics import front
from gptoss.drawing.axes import Frame, framed, horizontal_axis, tick, vertical_axis
from gptoss.drawing.labels import apart, text_width
from gptoss.drawing.legend import Key
from gptoss.drawing.marks import MARK, draw_mark
from gptoss.drawing.pareto import SPEED, WIDE, Line, Pareto, Spot, as_drawing
from gptoss.drawing.scales import Scale, linear, logarithmic
from gptoss.drawing.style import FONT_SIZE, SERIES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gptoss.benchmarking.runs import Latency, Point, Run
    from gptoss.benchmarking.timeline import Timeline
    from gptoss.drawing.svg import Drawing

# From this ratio of highest to lowest on, small values would lie on the axis of a linear scale.
LOG_RATIO = 30


def pareto(runs: Sequence[Run], width: int = WIDE) -> Drawing | None:
    """Tokens a second a GPU over tokens a second a user, with the front; None without two points.

    A point with failed requests is named so and is never on the front.

    Where nobody says how many GPUs there are, the vertical axis is of all tokens.
    """
    a_gpu = any(run.gpus.owned for run in runs)
    unit = "tokens/s/GPU" if a_gpu else "tokens/s, all GPUs"
    placed = [
        (_spot(number, run, point, x, y, unit), not point.errors)
        for number, run in enumerate(runs)
        for point in run.points
        if (x := point.tokens_per_second_per_user) is not None
        and (y := point.tokens_per_second_per_gpu if a_gpu else point.tokens_per_second) is not None
    ]
    if len(placed) < 2:
        return None
    whole = [spot for spot, is_whole in placed if is_whole]
    best = [whole[index] for index in front([(spot.x, spot.y) for spot in whole])]
    spots = tuple(spot if spot in best else spot._replace(css="hollow") for spot, _ in placed)
    line = Line(tuple((s.x, s.y) for s in best), "Pareto front: no run beats these in both")
    return as_drawing(Pareto(unit, spots, (line,) if len(best) > 1 else (), _keys(runs)), width)


def _spot(number: int, run: Run, point: Point, x: float, y: float, unit: str) -> Spot:
    failed = f", {point.errors:,} failed" if point.errors else ""
    at = f"{shown(point.concurrency)}{failed}"
    hover = f"{run.name}, concurrency {at}: {shown(y)} {unit}, {shown(x)} {SPEED}"
    return Spot(x, y, at, hover, number, label_css="bad" if failed else "")


def _keys(runs: Sequence[Run]) -> tuple[Key, ...]:
    """The legend: one run needs none."""
    return tuple(Key(run.name, n) for n, run in enumerate(runs)) if len(runs) > 1 else ()


def latencies(
    runs: Sequence[Run], of: Callable[[Point], Latency], name: str, width: int = WIDE
) -> Drawing | None:
    """A latency's percentiles over concurrency, a line each; None for less than two points.

    With more than two runs the 90th percentile is left out, for there are enough lines.
    """
    percentiles = ("p50", "p90", "p99") if len(runs) <= 2 else ("p50", "p99")
    lines = [
        (number, run, percentile, known)
        for number, run in enumerate(runs)
        for percentile in percentiles
        if (known := _known(run, of, percentile))
    ]
    values = [value for *_, known in lines for _, value in known]
    if sum(len(run.points) for run in runs) < 2 or not any(values):
        return None
    steps = sorted({at for *_, known in lines for at, _ in known})
    height = 340 if width >= WIDE else 300
    is_log = 0 < min(values) <= max(values) / LOG_RATIO
    scale_name = ", log scale" if is_log else ""
    title = f"{name} percentiles over concurrency"
    frame = framed(width, height, title, f"{name} in ms{scale_name} ↓ better", _keys(runs))
    bottom, top = frame.plot.bottom, frame.plot.top
    vertical = (
        logarithmic(min(values), max(values), bottom, top)
        if is_log
        else linear(max(values), bottom, top)
    )
    left = vertical_axis(frame, vertical)
    right = frame.plot.right - text_width("p99") - 10
    gap = (right - left) / max(1, len(steps))
    across = {at: left + gap * (index + 0.5) for index, at in enumerate(steps)}
    axis = [(x, f"{at:,}" if at else "–") for at, x in across.items()]
    horizontal_axis(frame, axis, "concurrency (requests)")
    ends = []
    if len(steps) == 1:
        _ranges(frame, runs, of, vertical, across[steps[0]])
    for number, run, percentile, known in reversed(lines):  # the first run lies on top
        shift = _beside_others(number, len(runs)) if len(steps) == 1 else 0
        css = (
            f"line s{number % SERIES} "
            + {"p50": "", "p90": "thin dotted", "p99": "dashed"}[percentile]
        )
        where = [(across[at] + shift, vertical(value)) for at, value in known]
        if len(where) > 1:
            frame.drawing.path(where, css, f"{run.name} {percentile}")
        for (at, value), (x, y) in zip(known, where, strict=True):
            hover = f"{run.name}, concurrency {shown(at)}: {name} {percentile} {shown(value)} ms"
            draw_mark(
                frame.drawing, number, x, y, hover, "mark" if percentile == "p50" else "hollow"
            )
        ends.append((*where[-1], percentile, number))
    _end_labels(frame, ends)
    return frame.drawing


def _beside_others(number: int, count: int) -> float:
    """How far a run lies from the middle, where all stand at one concurrency."""
    return (number - (count - 1) / 2) * 64


def _ranges(
    frame: Frame,
    runs: Sequence[Run],
    of: Callable[[Point], Latency],
    scale: Scale,
    middle: float,
) -> None:
    """Joins each run's percentiles where there is but one concurrency."""
    for number, run in enumerate(runs):
        known = [getattr(of(p), each) for p in run.points for each in ("p50", "p99")]
        values = [value for value in known if value is not None]
        x = middle + _beside_others(number, len(runs))
        if values:
            where = [(x, scale(min(values))), (x, scale(max(values)))]
            frame.drawing.path(where, f"line thin s{number % SERIES}")


def _known(run: Run, of: Callable[[Point], Latency], percentile: str) -> list[tuple[int, float]]:
    pairs = [(p.concurrency or 0, getattr(of(p), percentile)) for p in run.points]
    return sorted((at, value) for at, value in pairs if value is not None)


def _end_labels(frame: Frame, ends: Sequence[tuple[float, float, str, int]]) -> None:
    """Names lines at their right ends; those that end at one place share its height."""
    bounds = (frame.plot.top, frame.plot.bottom - 4)
    for x in {end[0] for end in ends}:
        here = [end for end in ends if end[0] == x]
        heights = apart([end[1] for end in here], FONT_SIZE, *bounds)
        for (_, _, text, number), y in zip(here, heights, strict=True):
            frame.drawing.text(x + MARK + 4, y + 4, text, f"of s{number % SERIES}")


def over_time(found: Timeline, name: str, width: int = WIDE) -> Drawing:
    """Requests that were answered and that failed, a second; warm-up is shaded."""
    title = f"Requests a second over time, {name}"
    height = 220
    frame = framed(width, height, title, "requests/s", [])
    drawing = frame.drawing
    totals = [a + f for a, f in zip(found.answered, found.failed, strict=True)]
    vertical = linear(max(totals), frame.plot.bottom, frame.plot.top, 3)
    labels = max(text_width(tick(value)) for value in vertical.ticks) + 8
    end = found.width * len(totals)
    across = Scale(0, end, labels, frame.plot.right - 4, ())
    if found.warmup:
        to = min(across(found.warmup), across(end))
        size = {"width": to - labels, "height": frame.plot.bottom - frame.plot.top}
        drawing.add("rect", "shade", "warm-up", x=labels, y=frame.plot.top, **size)
        drawing.text(labels + 4, frame.plot.top - 4, "warm-up", "muted")
    vertical_axis(frame, vertical)
    ticks = linear(end, 0, 1, 6 if width >= WIDE else 3).ticks
    places = [(across(t), tick(t)) for t in ticks if t <= end]
    horizontal_axis(frame, places, "seconds since the first request")
    for index, (answered, failed) in enumerate(zip(found.answered, found.failed, strict=True)):
        begin = index * found.width
        span = f"{begin:g} to {begin + found.width:g} s"
        if answered:
            bar = f"{span}: {shown(answered)} answered a second"
            _bar(frame, across, vertical, begin, found.width, (0, answered), bar, "of s0")
        if failed:
            bar = f"{span}: {shown(failed)} failed a second"
            stretch = (answered, answered + failed)
            _bar(frame, across, vertical, begin, found.width, stretch, bar, "bad")
    return drawing


def _bar(
    frame: Frame,
    across: Scale,
    vertical: Scale,
    begin: float,
    width: float,
    values: tuple[float, float],
    hover: str,
    css: str,
) -> None:
    x, y = across(begin), vertical(values[1])
    size = {"width": max(1.0, across(begin + width) - x - 1), "height": vertical(values[0]) - y}
    frame.drawing.add("rect", css, hover, x=x, y=y, **size)
