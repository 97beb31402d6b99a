"""A part of a target ended and started again while clients ask."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from gptoss.live.clients import Load
    from gptoss.live.running import Running

END_SECONDS, HEAL_SECONDS = 60, 120


@dataclass(frozen=True, slots=True)
class Injury:
    """What was done to a part, in seconds as ``time.monotonic`` counts them.

    Attributes:
        part: Its name.
        action: ``kill`` or ``term``.
        began: When the signal was sent.
        gone: When the process had ended.
        started: When it was started again.
        healed: When the first request of those was answered that were all answered from then on.
    """

    part: str
    action: str
    began: float
    gone: float
    started: float
    healed: float


def injure(
    running: Running, load: Load, part: str, action: str, *, down: int, whole: int
) -> Injury:
    """Ends a part, starts it again, and waits until all is well.

    Args:
        running: The target, its parts started apart.
        load: Clients that ask it.
        part: Which part.
        action: ``kill`` or ``term``.
        down: Requests that are waited for without it.
        whole: Requests in a row that have to be answered for all to be well.

    Raises:
        InputError: It does not end, or is not well again in time.
    """
    began = time.monotonic()
    running.fault(part, action)
    if not _holds(lambda: not running.parts[part].runs, END_SECONDS):
        raise InputError(f"{part} has not ended {END_SECONDS} s after {action}")
    gone = time.monotonic()
    load.until(down)
    started = time.monotonic()
    running.start(part)
    healed = 0.0

    def is_well() -> bool:
        nonlocal healed
        if not load.in_a_row:
            healed = 0.0
        elif not healed:
            healed = time.monotonic()
        return load.in_a_row >= whole

    load.in_a_row = 0
    if not _holds(is_well, HEAL_SECONDS):
        raise InputError(f"{part} has not recovered from {action} in {HEAL_SECONDS} s")
    return Injury(part, action, began, gone, started, healed)


def _holds(condition: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False
