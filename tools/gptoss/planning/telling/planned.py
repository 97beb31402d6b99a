"""What is predicted of a deployment under the loads that somebody asks for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gptoss.deployment.model import Role
from gptoss.planning.calibrating.calibration import calibrate
from gptoss.planning.calibrating.correction import CorrectedTimes
from gptoss.planning.calibrating.kept_calibration import file_of, keep, kept
from gptoss.planning.loops.closed_loop import predict
from gptoss.planning.systems import loads_of, system_of
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gptoss.deployment.model import Deployment
    from gptoss.planning.calibrating.calibration import Calibration, Seen
    from gptoss.planning.calibrating.kept_calibration import Kept
    from gptoss.planning.layouts import Load, System
    from gptoss.planning.prediction import Prediction
    from gptoss.planning.searching.neighbours import Neighbour
    from gptoss.planning.steps.step_times import Times


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody says of the traffic, in place of what a benchmark says.

    Attributes:
        clients: Requests on their way at once, each a load of its own.
        isl, osl: Tokens of a prompt and of an answer.
        prices: Dollars an hour by kind of GPU; empty where nobody says.
        seen: What was measured of the deployment; its calibration is kept.
    """

    clients: tuple[int, ...] = ()
    isl: int | None = None
    osl: int | None = None
    prices: Mapping[str, float] = field(default_factory=dict)
    seen: tuple[Seen, ...] = ()


@dataclass(frozen=True, slots=True)
class Planned:
    """A deployment with what is predicted of it.

    Attributes:
        deployment: The deployment.
        asked: What somebody says of its traffic.
        predictions: One a load, in the order of the loads.
        why_not: Why there are none.
        front: The best that its GPUs can do, the fastest answers first; empty where that was not
            looked for.
        neighbours: What is near it and better at its last load, best first.
        searched: How many systems were predicted for that, of how many that there are.
        kept: The calibration that predictions are made with.
        calibration: The same, where it was made now.
    """

    deployment: Deployment
    asked: Asked
    predictions: tuple[Prediction, ...] = ()
    why_not: str = ""
    front: tuple[Prediction, ...] = ()
    neighbours: tuple[Neighbour, ...] = ()
    searched: tuple[int, int] = (0, 0)
    kept: Kept | None = None
    calibration: Calibration | None = None


def planned(deployment: Deployment, asked: Asked, times: Times) -> Planned:
    """Predicts each load of a deployment, or says why that cannot be."""
    try:
        system = system_of(deployment)
        # Where this fails nothing is kept either.
        loads = loads_of(deployment, asked.clients, asked.isl, asked.osl)
        _check_room(deployment, loads[0])
        calibration = _calibrated(deployment, system, asked.seen, times)
        own = kept(deployment.source, system)
        corrected = CorrectedTimes(times, own.by) if own else times
        found = [predict(system, load, corrected) for load in loads]
        predictions = tuple(own.judged(each) if own else each for each in found)
        return Planned(deployment, asked, predictions, kept=own, calibration=calibration)
    except InputError as error:
        return Planned(deployment, asked, why_not=str(error))


def _check_room(deployment: Deployment, load: Load) -> None:
    """Fails where an engine refuses the requests, or ends their answers early."""
    for worker in deployment.workers:
        most, answer = worker.engine.positive("max_seq_len"), load.osl
        tokens = load.isl + (0 if worker.role is Role.PREFILL else answer)
        if most and tokens > most:
            raise InputError(
                f"{deployment.source}: {load.isl:,} tokens in and {answer:,} out do not fit "
                f"max_seq_len {most} of {worker.name}, so requests are refused or cut short; raise "
                "it, or give others with --isl and --osl"
            )


def refused(deployment: Deployment) -> str:
    """Why nobody would install it; empty where there is no such reason."""
    problems = deployment.problems if deployment.is_refused else ()
    return next((str(InputError(each.message, each.place)) for each in problems), "")


def _calibrated(
    deployment: Deployment, system: System, seen: Sequence[Seen], times: Times
) -> Calibration | None:
    """Calibrates by what was measured, and keeps it; nothing where nothing was."""
    if not seen:
        return None
    calibration = calibrate(system, seen, times)
    keep(calibration, system, seen, file_of(deployment.source))
    return calibration
