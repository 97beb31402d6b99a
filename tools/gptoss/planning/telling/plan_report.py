"""``gptoss plan``, each part as soon as it is known."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from gptoss.drawing.pareto_text import plain
from gptoss.facts.world import Facts
from gptoss.live import environments
from gptoss.memory.memory_text import compared_memory, memory_lines
from gptoss.planning.calibrating.calibration_text import calibration_lines
from gptoss.planning.calibrating.correction import CorrectedTimes
from gptoss.planning.costs.plan_cost import cost_lines
from gptoss.planning.steps.library import library
from gptoss.planning.telling.plan_data import planned_data
from gptoss.planning.telling.plan_text import compared_lines, could_do_lines, speed_lines
from gptoss.planning.telling.planned import Planned, planned, refused
from gptoss.text.as_json import json_text
from gptoss.text.errors import InputError
from gptoss.text.printable import painted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gptoss.deployment.model import Deployment
    from gptoss.drawing.pareto_text import Paint
    from gptoss.planning.steps.step_times import Times
    from gptoss.planning.telling.planned import Asked

    Say = Callable[[str], None]

# To the beginning of a terminal's line, and nothing in it.
CLEAR = "\r\x1b[K"


def as_text(
    deployments: Sequence[Deployment], asked: Asked, say: Say, paint: Paint
) -> list[Planned]:
    """Says what is predicted, each part when it is known."""
    if memory := memory_of(deployments, asked):
        say(memory)
    every: list[Planned] = []
    for every in _stages(deployments, asked):
        part = could_do_of(every, paint) or speed_of(every)
        if part:
            say(f"\n{part}")
    if cost := cost_of_all(every):
        say(f"\n{cost}")
    return every


def as_json(deployments: Sequence[Deployment], asked: Asked, say: Say) -> list[Planned]:
    """The same as data: an object for one deployment, a list for several."""
    *_, every = _stages(deployments, asked)
    say(json_of(every))
    return every


def text_of(every: Sequence[Planned]) -> str:
    """All that is known of deployments."""
    memory = memory_of([each.deployment for each in every], every[0].asked)
    parts = (memory, speed_of(every), could_do_of(every, plain), cost_of_all(every))
    return "\n\n".join(part for part in parts if part)


def json_of(every: Sequence[Planned]) -> str:
    """The same as data."""
    data = [planned_data(each) for each in every]
    return json_text(data[0] if len(data) == 1 else data)


def memory_of(deployments: Sequence[Deployment], asked: Asked) -> str:
    """The memory of each worker's GPU; one deployment alone has more room than several."""
    if len(deployments) > 1:
        return "\n".join(map(painted, compared_memory(deployments, asked.isl, asked.osl)))
    return "\n".join(map(painted, memory_lines(deployments[0], asked.isl, asked.osl)))


def speed_of(every: Sequence[Planned]) -> str:
    """What is predicted, likewise."""
    known = [each for each in every if each.predictions]
    if len(every) > 1:
        lines = list(compared_lines(every))
    else:
        lines = [line for each in known for line in speed_lines(each.predictions)]
    return "\n".join(
        map(painted, [*lines, *(line for each in known for line in calibration_lines(each))])
    )


def could_do_of(every: Sequence[Planned], paint: Paint) -> str:
    """What their GPUs could do; empty where that was not looked for."""
    known = [each for each in every if each.front]
    return "\n".join(map(painted, could_do_lines(known, paint))) if known else ""


def cost_of_all(every: Sequence[Planned]) -> str:
    """What tokens cost; empty where nobody says what GPUs cost."""
    return "\n".join(map(painted, cost_lines(every)))


def _stages(deployments: Sequence[Deployment], asked: Asked) -> Iterator[list[Planned]]:
    """What is predicted of each; then the same with what their GPUs could do, where they can."""
    if why := _without_data():
        yield [Planned(each, asked, why_not=refused(each) or why) for each in deployments]
        return
    with library() as times:
        every = [planned(each, asked, times) for each in deployments]
        yield every
        with _busy("predicting everything that these GPUs can be"):
            better = _with_front(every, times)
        if better:
            yield better


def _without_data() -> str:
    """Why there are no data here, which are fetched unless they are; empty where there are."""
    try:
        environments.planning()
    except InputError as error:
        return str(error)
    return ""


@contextmanager
def _busy(work: str) -> Iterator[None]:
    """Says on a terminal what is being done, until it is."""
    shown = sys.stderr.isatty()
    if shown:
        sys.stderr.write(f"gptoss: {work} …")
        sys.stderr.flush()
    try:
        yield
    finally:
        if shown:
            sys.stderr.write(CLEAR)


def _with_front(every: Sequence[Planned], times: Times) -> list[Planned]:
    """Deployments on equal GPUs under equal traffic with what these could do; else nothing."""
    from gptoss.planning.searching.could_do import could_do

    model = every[0].deployment.model
    predictions = [one for each in every for one in each.predictions]
    own = every[0].kept if len(every) == 1 else None
    corrected = CorrectedTimes(times, own.by) if own else times
    found = could_do(predictions, model, Facts(), corrected) if model and predictions else None
    if found is None:
        return []
    searched = (found.predicted, found.systems)
    return [
        replace(each, front=found.front, neighbours=found.neighbours, searched=searched)
        if each.predictions
        else each
        for each in every
    ]
