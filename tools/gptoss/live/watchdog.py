"""Ends sessions of processes when whoever started them is gone, however it went.

Run as a script: reads a session's number a line, and kills them all at the end of its input.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from pathlib import Path

GONE_SECONDS = 3
ENDED = ("Z", "X")


def members(session: int) -> list[int]:
    """Processes of a session that have not ended; a launch script has groups of its own in it."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            state, _, _, of = path.read_text(encoding="utf-8").rpartition(")")[2].split()[:4]
            if int(of) == session and state not in ENDED:
                found.append(int(path.parent.name))
    return found


def end(session: int) -> None:
    """Kills a session, those included that are started meanwhile; waits some seconds at most."""
    last = time.monotonic() + GONE_SECONDS
    while (left := members(session)) and time.monotonic() < last:
        for process in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.02)


def main() -> None:
    """Waits for the end of the input."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    for session in [int(line) for line in sys.stdin]:
        end(session)


if __name__ == "__main__":
    main()
