"""Ends process groups when whoever started them is gone, however it went.

Run as a script: reads a group's number a line, and kills them all at the end of its input.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys


def main() -> None:
    """Waits for the end of the input."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    for group in [int(line) for line in sys.stdin]:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    main()
