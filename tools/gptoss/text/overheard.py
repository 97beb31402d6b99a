"""What started programs write, told on line by line: it may hold what servers and models said."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator

# Bytes that are told as one line at most.
LINE = 16_384
# Until what the program left running, with its pipes open, is no longer listened to.
AFTER_SECONDS = 5.0


@contextmanager
def overheard(
    process: subprocess.Popen[bytes], out: Callable[[str], None], err: Callable[[str], None]
) -> Iterator[None]:
    """While it lasts, tells what a program writes to its pipes; at its end all of it is told.

    Args:
        process: The program; its streams are pipes.
        out: Takes each line of its standard output.
        err: Takes each line of its standard error.
    """
    streams = ((process.stdout, out), (process.stderr, err))
    threads = [
        threading.Thread(target=_tell, args=(stream, tell), daemon=True)
        for stream, tell in streams
        if stream
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for thread in threads:
            thread.join(AFTER_SECONDS)


def _tell(stream: IO[bytes], tell: Callable[[str], None]) -> None:
    while line := stream.readline(LINE):
        tell(line.decode(errors="backslashreplace").rstrip("\r\n"))
