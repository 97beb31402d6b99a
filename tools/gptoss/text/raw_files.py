"""The bytes of files, none of which is read for ever.

A path that somebody else chose may lead to a pipe that nobody writes to, to a device that never
ends, or to a file of /proc that is made while it is read.

This module imports nothing heavy: Helm starts before Python has imported its libraries.
"""

from __future__ import annotations

import errno
import os
import select
import stat
import time
from typing import TYPE_CHECKING

from gptoss.text import deadline
from gptoss.text.budget import MAX_FILE
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

# How long a named pipe may stay without anybody who writes to it.
PATIENCE_SECONDS = 2.0
CHUNK = 1 << 20


def bytes_of(path: Path) -> bytes:
    """The bytes of a file, or of a pipe until its writers are done.

    Raises:
        OSError: It cannot be opened or read.
        InputError: It is neither, larger than a file may be, or a pipe that nobody writes to.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        found = os.fstat(handle)
        if stat.S_ISDIR(found.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        is_pipe = stat.S_ISFIFO(found.st_mode)
        if not is_pipe and not stat.S_ISREG(found.st_mode):
            raise InputError(f"cannot read {path}: it is neither a file nor a pipe")
        if found.st_size > MAX_FILE:
            raise _too_large(str(path))
        return _from_pipe(handle, str(path)) if is_pipe else _from_file(handle, str(path))
    finally:
        os.close(handle)


def bytes_of_stream(stream: BinaryIO, name: str) -> bytes:
    """The bytes of a stream that is open, as standard input is.

    Raises:
        InputError: They are more than a file may have.
    """
    found = stream.read(MAX_FILE + 1)
    if len(found) > MAX_FILE:
        raise _too_large(name)
    return found


def _from_file(handle: int, name: str) -> bytes:
    found = bytearray()
    while chunk := os.read(handle, CHUNK):
        found += chunk
        if len(found) > MAX_FILE:
            raise _too_large(name)
    return bytes(found)


def _from_pipe(handle: int, name: str) -> bytes:
    """Reads until the last writer is gone; waits for the first one only so long."""
    found, alone_until = bytearray(), time.monotonic() + PATIENCE_SECONDS
    waiting = select.poll()
    waiting.register(handle, select.POLLIN)
    while deadline.left():
        ready = waiting.poll(100)
        try:
            chunk = os.read(handle, CHUNK)
        except BlockingIOError:  # somebody has it open for writing
            continue
        found += chunk
        if len(found) > MAX_FILE:
            raise _too_large(name)
        if not chunk and (found or ready):
            return bytes(found)
        if not chunk and time.monotonic() >= alone_until:
            raise InputError(f"cannot read {name}: nobody writes to this pipe")
    raise InputError(
        f"cannot read {name}: its writer did not end in time; give more with --timeout"
    )


def _too_large(name: str) -> InputError:
    return InputError(f"cannot read {name}: it is larger than {MAX_FILE // 1_000_000} MB")
