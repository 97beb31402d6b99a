"""A simulated target while it runs: its parts, faults, and the wait for its first token."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.live import watchdog
from gptoss.live.smoke import script
from gptoss.text.errors import InputError, unknown
from gptoss.text.overheard import overheard

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

WHOLE = "all"
ACTIONS = {
    "kill": signal.SIGKILL,
    "term": signal.SIGTERM,
    "stop": signal.SIGSTOP,
    "continue": signal.SIGCONT,
}
LAST_LINES = 12
TOKEN_SECONDS = 10


@dataclass
class Part:
    """A process of the target.

    Attributes:
        name: ``all`` for the whole launch script, or the part that was started alone.
        role: What it does: ``frontend``, the role of a worker, or ``server``; None for all.
        process: The process; the leader of its session.
        log: What it writes.
    """

    name: str
    role: str | None
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def runs(self) -> bool:
        """Whether it has not ended."""
        return self.process.poll() is None

    def last_words(self) -> list[str]:
        """The end of what it has written."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return lines[-LAST_LINES:]


class Running:
    """A simulated target.

    Attributes:
        url: Where it is served.
        model: Name that clients ask for.
        folder: The temporary folder with the launch script, its files and the logs.
        parts: The processes that were started, by name.
        roles: What can be started alone, with its role.
        summary: What of it is simulated and what is real, in a line.
    """

    def __init__(
        self,
        url: str,
        model: str,
        folder: Path,
        roles: Mapping[str, str],
        variables: Mapping[str, str],
        summary: str,
    ) -> None:
        self.url = url
        self.model = model
        self.folder = folder
        self.roles = roles
        self.summary = summary
        self.parts: dict[str, Part] = {}
        self._variables = variables
        # Not the file itself: Linux starts none that a child of another thread still holds open.
        self._launch = ("bash", str(folder / "launch.sh"))
        self._watchdog = subprocess.Popen(
            [sys.executable, watchdog.__file__], stdin=subprocess.PIPE, start_new_session=True
        )

    def start(self, name: str = WHOLE) -> Part:
        """Starts a part of the launch script, again when it has ended, or all of it.

        Raises:
            InputError: There is no such part, or it runs already.
        """
        if name not in self.roles and name != WHOLE:
            raise unknown("part", name, self.roles)
        if name in self.parts and self.parts[name].runs:
            raise InputError(f"{name} runs already")
        log = self.folder / f"{name}.log"
        words = [*self._launch, *([] if name == WHOLE else [name])]
        with log.open("ab") as output:
            process = subprocess.Popen(
                words,
                cwd=self.folder,
                env=self._variables,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        assert self._watchdog.stdin is not None  # noqa: S101
        self._watchdog.stdin.write(f"{process.pid}\n".encode())
        self._watchdog.stdin.flush()
        self.parts[name] = Part(name, self.roles.get(name), process, log)
        return self.parts[name]

    def fault(self, name: str, action: str) -> None:
        """Sends a signal to a part: kill, term, stop or continue.

        Raises:
            InputError: There is no such part or action, or the part does not run.
        """
        if action not in ACTIONS:
            raise unknown("fault", action, ACTIONS)
        part = self.parts.get(name)
        if part is None:
            raise unknown("part", name, self.parts)
        if not part.runs:
            raise InputError(f"{name} does not run")
        os.killpg(part.process.pid, ACTIONS[action])

    def smoke(self, echo: Callable[[str], None]) -> int:
        """Runs the smoke test of the launch script; its exit code.

        Args:
            echo: Takes each line that it writes.
        """
        variables = {n: value for n, value in self._variables.items() if n != "PYTHONPATH"}
        process = subprocess.Popen(
            [*self._launch, "smoke"],
            cwd=self.folder,
            env=variables | {"PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        with process, overheard(process, echo, echo):
            return process.wait()

    def ready(self, seconds: float) -> None:
        """Waits until the model has answered one token.

        Raises:
            InputError: A process has ended, or there was no answer in time.
        """
        end = time.monotonic() + seconds
        smoke, seen = script(), None
        while time.monotonic() < end:
            for part in self.parts.values():
                if not part.runs:
                    raise InputError(
                        f"{part.name} has ended with exit code {part.process.returncode}:",
                        below=part.last_words(),
                    )
            asked_until = min(end, time.monotonic() + TOKEN_SECONDS)
            seen = smoke.why_not_ready(smoke.Server(self.url, self.model, asked_until))
            if seen is None:
                return
            time.sleep(0.2)
        raise InputError(f"{self.model} has not answered in {seconds:g} seconds: {seen}")

    def close(self) -> None:
        """Ends every process of every part at once."""
        for part in self.parts.values():
            watchdog.end(part.process.pid)
            part.process.wait()
        assert self._watchdog.stdin is not None  # noqa: S101
        self._watchdog.kill()
        self._watchdog.stdin.close()
        self._watchdog.wait()
