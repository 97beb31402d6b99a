"""``gptoss simulate``: starts a target, tells what is real, and stays until it is ended."""

from __future__ import annotations

import signal
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from gptoss.live.fault_times import check_parts, inject
from gptoss.live.simulation import simulate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType

    from gptoss.live.fault_times import Fault
    from gptoss.live.running import Running
    from gptoss.sources.request import Request

START_SECONDS = 300
INTERRUPTED = 130
ENDED = 143


@dataclass(frozen=True, slots=True)
class Wishes:
    """How to simulate; see ``simulate``."""

    engine: str = "scripted"
    port: int = 0
    speed: float = 1.0
    ttft: float | None = None
    itl: float | None = None


def serve(
    request: Request,
    wishes: Wishes,
    faults: Sequence[Fault],
    jobs: Sequence[Callable[[Running], int]],
    *,
    leave: bool,
    echo: Callable[[str], None],
) -> int:
    """Serves a target until Ctrl-C, SIGTERM, the end of its jobs or of one of its parts.

    Args:
        request: The target.
        wishes: How to simulate it.
        faults: What happens to its parts.
        jobs: What to run against it once it has answered; each gives an exit code.
        leave: Whether to end after the jobs.
        echo: Takes lines of output.

    Returns:
        The exit code: 130 after Ctrl-C, that of the first job that failed, that of a part that
        ended by itself, or 0.

    Raises:
        InputError: The target cannot be started.
    """
    signal.signal(signal.SIGTERM, _stop)
    try:
        with simulate(request, **asdict(wishes), apart=bool(faults)) as running:
            check_parts(faults, running)
            echo(running.summary)
            running.ready(START_SECONDS)
            echo(f"{running.model} is served at {running.url}")
            for part in running.parts.values():
                echo(f"  {part.name}: process {part.process.pid}, log {part.log}")
            if faults:
                inject(running, faults)
            code = next((code for code in [job(running) for job in jobs] if code), 0)
            return code if leave else _stay(running, faults)
    except KeyboardInterrupt:
        return INTERRUPTED
    except SystemExit:
        return ENDED


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(ENDED)


def _stay(running: Running, faults: Sequence[Fault]) -> int:
    """Waits for the end of a part that no fault is meant for."""
    meant = {fault.part for fault in faults}
    while True:
        for part in running.parts.values():
            if not part.runs and part.name not in meant:
                return part.process.returncode or 0
        time.sleep(0.5)
