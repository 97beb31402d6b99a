"""Faults at given times: ``prefill:kill@10s`` ends the part prefill after ten seconds."""

from __future__ import annotations

import re
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.live.cached import say
from gptoss.live.running import ACTIONS
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gptoss.live.running import Running

START = "start"
WRITTEN = re.compile(r"(?P<part>[^:@]+):(?P<action>\w+)@(?P<seconds>\d+(?:\.\d+)?)s?")


@dataclass(frozen=True, slots=True)
class Fault:
    """What happens to a part, and when.

    Attributes:
        part: Name of the part.
        action: A signal by name, or start.
        seconds: Seconds after the target was ready.
    """

    part: str
    action: str
    seconds: float


def parse_fault(text: str) -> Fault:
    """A fault as it is written on the command line.

    Raises:
        InputError: It is not written as ``PART:ACTION@SECONDS``.
    """
    found = WRITTEN.fullmatch(text)
    if found is None or found["action"] not in (*ACTIONS, START):
        raise InputError(
            f"--fault {text}: write PART:ACTION@SECONDS as in prefill:kill@10s; an action is one "
            f"of {', '.join((*ACTIONS, START))}"
        )
    return Fault(found["part"], found["action"], float(found["seconds"]))


def check_parts(faults: Iterable[Fault], running: Running) -> None:
    """Refuses faults of parts that the target does not have.

    Raises:
        InputError: There is no such part.
    """
    for fault in faults:
        if fault.part not in running.roles:
            raise InputError(
                f"--fault {fault.part}:{fault.action}: the parts are {', '.join(running.roles)}"
            )


def inject(running: Running, faults: Sequence[Fault]) -> threading.Thread:
    """Starts a thread in which the faults happen, each told as it does."""

    def work() -> None:
        start = time.monotonic()
        for fault in sorted(faults, key=lambda fault: fault.seconds):
            time.sleep(max(0.0, start + fault.seconds - time.monotonic()))
            say(f"{fault.seconds:g} s: {fault.action} {fault.part}")
            try:
                if fault.action == START:
                    running.start(fault.part)
                else:
                    running.fault(fault.part, fault.action)
            except InputError as error:
                say(str(error))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread
