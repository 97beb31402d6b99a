"""Programs that are started, each in a session of its own; they are gone when their starter is."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from gptoss.live import watchdog

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

HOST = "127.0.0.1"
PATIENCE = 60
LAST_CHARACTERS = 3000


class ClusterError(Exception):
    """A program of the cluster failed, or did not do in time what it is there for."""


class Programs:
    """Programs that run side by side; each writes a log into the folder."""

    def __init__(self, folder: Path, guard: subprocess.Popen[bytes]) -> None:
        self._folder = folder
        self._guard = guard
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str, *command: str | Path) -> None:
        """Starts a program under a name; it runs until all end."""
        with self._log(name).open("wb") as log:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        if self._guard.stdin:
            self._guard.stdin.write(f"{process.pid}\n".encode())
            self._guard.stdin.flush()
        self._running[name] = process

    def wait_until(self, what: str, holds: Callable[[], bool]) -> None:
        """Waits until something holds; a program that ends meanwhile is a failure."""
        last = time.monotonic() + PATIENCE
        while not holds():
            self.check()
            if time.monotonic() > last:
                raise ClusterError(f"{what}: not in {PATIENCE} seconds")
            time.sleep(0.05)

    def _log(self, name: str) -> Path:
        return self._folder / f"{name}.log"

    def check(self) -> None:
        """Fails when one has ended."""
        for name, process in self._running.items():
            if process.poll() is not None:
                raise ClusterError(f"{name} has ended:\n{last_words(self._log(name))}")


def last_words(log: Path) -> str:
    """The end of a log."""
    return log.read_text("utf-8", "replace")[-LAST_CHARACTERS:]


@contextmanager
def programs(folder: Path) -> Iterator[Programs]:
    """Programs that end with the block, or with this process."""
    guard = subprocess.Popen(
        [sys.executable, watchdog.__file__], stdin=subprocess.PIPE, start_new_session=True
    )
    with guard:  # in the end closes its input, upon which it ends them all, and waits for it
        running = Programs(folder, guard)
        yield running
        running.check()


def free_ports(count: int) -> list[int]:
    """Ports that nothing listens on."""
    with ExitStack() as ends:
        listeners = [ends.enter_context(socket.socket()) for _ in range(count)]
        for listener in listeners:
            listener.bind((HOST, 0))
        return [int(listener.getsockname()[1]) for listener in listeners]
