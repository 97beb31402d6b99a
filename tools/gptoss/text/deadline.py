"""How long a run may take, whatever it is that takes so long.

A timer of the system rings in the main thread, where everything is read but what Helm does; others
ask what is left. What rings is no `Exception`, so that nobody who expects bad input swallows it.

This module imports nothing heavy: the command line sets the deadline.
"""

from __future__ import annotations

import signal
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

SECONDS = 60.0
LONGEST = 1e7
# Until it rings again, should the first time have fallen on deaf ears, as in a destructor.
AGAIN_SECONDS = 5.0

# When the deadlines that hold at the moment are over, by the monotonic clock.
_ends: list[float] = []


class TimeIsUpError(BaseException):
    """Stops whatever is going on."""

    def __str__(self) -> str:
        """What people read where it rang outside of what catches it."""
        return "not done in time; give more with --timeout"


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Ends what is done in it after a time.

    Args:
        seconds: The time.

    Raises:
        InputError: It is over, or is no time that a timer takes.
    """
    if not 0 < seconds <= LONGEST:  # nor what is no number
        raise InputError(f"--timeout {seconds:g}: give seconds above 0, at most {LONGEST:,.0f}")
    end = time.monotonic() + seconds
    in_main = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGALRM, _ring) if in_main else None
    timer = signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN_SECONDS) if in_main else (0.0, 0.0)
    _ends.append(end)
    try:
        try:
            yield
        finally:
            if end in _ends:
                _ends.remove(end)
            if in_main:
                signal.setitimer(signal.ITIMER_REAL, *timer)
                signal.signal(signal.SIGALRM, handler)
    except TimeIsUpError:
        raise over(seconds) from None


def lift() -> None:
    """Takes the deadline away: the sources are read, and what follows takes its time by design."""
    if _ends:
        _ends.clear()
        signal.setitimer(signal.ITIMER_REAL, 0)


def left() -> float:
    """Seconds until the nearest deadline, at least 0; infinite where there is none."""
    return max(0.0, min(_ends) - time.monotonic()) if _ends else float("inf")


def over(seconds: float) -> InputError:
    """What to raise when the time is over."""
    return InputError(
        f"not done in {seconds:g} s; give fewer files at once, or smaller ones, "
        "or more time with --timeout"
    )


def _ring(*_: object) -> None:
    if _ends:
        raise TimeIsUpError
