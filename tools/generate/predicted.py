"""The tables of how far predictions are from measurements, out of what is recorded."""

from __future__ import annotations

from generate.markdown import table
from gptoss.planning.loops.published import measured_sets
from predicted.errors import groups, limited
from predicted.held_out import errors
from predicted.points import held
from predicted.records import HELD_OUT, POINTS
from predicted.table import HEAD, rows


def accuracy_table() -> str:
    """The errors of every set, and what has to be known of it."""
    points = list(held(POINTS.read()))
    sets = [group for group in groups(points) if not group.name.startswith(" ")]
    head = [list(HEAD), ["---", *["--:"] * (len(HEAD) - 1)]]
    about = [f"* {each.title}: {' '.join(each.about.split())}." for each in measured_sets()]
    return "\n".join([table([*head, *rows(sets)]), "", *about])


def accuracy_limits() -> str:
    """What is held to a limit."""
    found = limited(list(held(POINTS.read())))
    lines = [[limit.of, f"{mean:.1%}", f"{limit.most:.0%}"] for limit, mean in found]
    return table([["", "mean error", "at most"], ["---", "--:", "--:"], *lines])


def calibration_table() -> str:
    """What steps of published sweeps are worth to the steps between them."""
    found = errors(HELD_OUT.read())
    rows = [
        [name, str(found.steps), f"{before:.1%}", f"{after:.1%}"]
        for name, (before, after) in (("ITL", found.itl), ("TTFT", found.ttft))
    ]
    head = [["", "steps held out", "mean error", "calibrated"], ["---", "--:", "--:", "--:"]]
    return table([*head, *rows])
