"""A shell in which commands of the documents are typed as they stand there."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from testcluster.control_plane import BIN
from testcluster.programs import free_ports
from tests.chart.rendering import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BLOCK = re.compile(r"```bash\n(.*?)```", re.DOTALL)
PATIENCE = 120
FORWARDED = "8000"
# So client-go tells that a watch was cut short, as it is where who waited has seen enough.
INFORMATION = re.compile(r"I\d{4} \d{2}:\d{2}:\d{2}\.")


def section(page: str, heading: str) -> str:
    """What a page says under a heading of the second level."""
    found = re.search(
        rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE
    )
    assert found, f"there is no section {heading!r}"
    return found[1]


def commands(text: str) -> Iterator[str]:
    """The commands of the blocks that need a cluster; one may have several lines."""
    for block in BLOCK.findall(text):
        yield from split(block.splitlines())


def split(lines: list[str]) -> Iterator[str]:
    """Commands, each from its first line to the one that ends its last quotation."""
    command = ""
    for line in lines:
        command = f"{command}\n{line}" if command else line
        if is_whole(command) and command.strip():
            yield command
            command = ""
    assert not command, f"this command has no end: {command}"


def is_whole(command: str) -> bool:
    """Whether a command does not go on in the next line."""
    if command.endswith("\\"):
        return False
    with suppress(ValueError):
        shlex.split(command)
        return True
    return False


def warnings(said: str) -> list[str]:
    """The lines of what a program says on the side that are warnings to its user."""
    lines = (line for line in said.splitlines() if not INFORMATION.match(line))
    return [line for line in lines if "warning" in line.lower()]


class Terminal:
    """A shell in a folder with charts and values.

    Attributes:
        variables: Its environment; ``export`` changes it.
        folder: Where commands are typed.
        port: The port of this machine that stands for 8000.
    """

    def __init__(self, folder: Path, helm: str, kubeconfig: Path, given: dict[str, str]) -> None:
        programs = folder / "bin"
        programs.mkdir()
        (programs / "helm").symlink_to(BIN / helm)
        (programs / "kubectl").symlink_to(BIN / "kubectl")
        self.variables = {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "HOME": str(folder),
            "KUBECONFIG": str(kubeconfig),
        }
        (self.port,) = free_ports(1)
        self._given = given
        self.folder = folder
        for name in ("charts", "values"):
            (folder / name).symlink_to(ROOT / name)
        self._forward: subprocess.Popen[str] | None = None

    def export(self, command: str) -> None:
        """Sets variables to what the test has for what its reader would put there."""
        for word in shlex.split(command)[1:]:
            name = word.partition("=")[0]
            self.variables[name] = self._given[name]

    def type(self, command: str) -> str:
        """What a command prints; it must succeed, and say nothing on the side."""
        done = subprocess.run(
            self._shell(command),
            cwd=self.folder,
            env=self.variables,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        assert not warnings(done.stderr), f"{command}\n{done.stderr}"
        return done.stdout

    def until(self, command: str, said: str) -> str:
        """What a command that does not end prints until it has said something."""
        process = self._started(command)
        try:
            return self._heard(process, said)
        finally:
            _end(process)

    def forward(self, command: str) -> None:
        """Forwards a port from now on, until another is forwarded or the terminal closed."""
        self.close()
        self._forward = self._started(command)
        self._heard(self._forward, "Forwarding from")

    def close(self) -> None:
        """Ends what forwards a port."""
        if self._forward:
            _end(self._forward)
            self._forward = None

    def _shell(self, command: str) -> list[str]:
        mine = command.replace(f"{FORWARDED}:{FORWARDED}", f"{self.port}:{FORWARDED}")
        mine = mine.replace(f"localhost:{FORWARDED}", f"localhost:{self.port}")
        return ["bash", "-eu", "-o", "pipefail", "-c", mine]

    def _started(self, command: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self._shell(command),
            cwd=self.folder,
            env=self.variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def _heard(self, process: subprocess.Popen[str], said: str) -> str:
        assert process.stdout is not None
        heard = ""
        patience = threading.Timer(PATIENCE, _kill, [process])
        patience.start()
        try:
            for line in process.stdout:
                heard += line
                if said in line:
                    return heard
        finally:
            patience.cancel()
        raise AssertionError(f"it has not said {said!r}, but:\n{heard}")


def _kill(process: subprocess.Popen[str]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _end(process: subprocess.Popen[str]) -> None:
    _kill(process)
    process.communicate()
