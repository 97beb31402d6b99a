"""One run of the command, in a process of its own that is watched.

A process forks from one that has imported everything, so that a run costs what its work costs and
none leaves anything behind for the next.
"""

from __future__ import annotations

import io
import os
import resource
import runpy
import signal
import sys
import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

MOST_FILE = 64 * 2**20
MOST_DATA = 3 * 2**30
TOOLS = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Limits:
    """When a run is ended.

    Attributes:
        cpu_seconds: It hangs when it has worked for so long, however busy the machine is.
        seconds: It hangs when it has not ended after so long, whatever it waits for.
    """

    cpu_seconds: int = 10
    seconds: float = 30


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of a run.

    Attributes:
        code: Its exit code; the signal that ended it, below zero.
        out: Its standard output.
        err: Its standard error.
        hung: Whether it was ended because it took too long.
        mib: The most memory that it or a process of its held, beyond what a fork begins with.
        cpu_seconds: How long it worked.
    """

    code: int = 0
    out: bytes = b""
    err: bytes = b""
    hung: bool = False
    mib: float = 0
    cpu_seconds: float = 0


def command() -> None:
    """What ``python -m gptoss`` does, where NVIDIA's measured data cannot be fetched."""
    from gptoss.live import environments
    from gptoss.text.errors import InputError

    def planning() -> Path:
        raise InputError("no measured data here")

    environments.planning = planning
    runpy.run_module("gptoss", run_name="__main__")


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs commands in a folder.

    Attributes:
        root: The folder of the sandbox.
        work: What a forked process does; ``python -m gptoss`` unless told.
        limits: When a run is ended.
        variables: Variables beside those of every run.
    """

    root: Path
    work: Callable[[], object] = command
    limits: Limits = Limits()
    variables: Mapping[str, str] = field(default_factory=dict)

    def forked(self, argv: Sequence[str]) -> Ran:
        """Runs a command in a fork of this process."""
        return self._watched(lambda: self._worked(argv))

    def started(self, argv: Sequence[str], hash_seed: int) -> Ran:
        """Runs a command from a new interpreter, whose sets and maps have another order."""
        environment = {**os.environ, "PYTHONHASHSEED": str(hash_seed)}
        full = [sys.executable, "-m", "gptoss", *argv]

        def replaced() -> int:
            os.execve(sys.executable, full, environment | self._environment())  # noqa: S606

        return self._watched(replaced)

    def _environment(self) -> dict[str, str]:
        root = self.root
        return {
            "HOME": str(root / "home"),
            "XDG_CACHE_HOME": str(root / "home" / ".cache"),
            "TMPDIR": str(root / "tmp"),
            "NO_COLOR": "1",
            "PYTHONPATH": f"{TOOLS}",
            "PYTHONDONTWRITEBYTECODE": "1",
            **self.variables,
        }

    def _watched(self, child: Callable[[], int]) -> Ran:
        sys.stdout.flush()
        sys.stderr.flush()
        outputs = [self.root.with_name(f"{self.root.name}.{name}") for name in ("out", "err")]
        began = _held()
        pid = os.fork()
        if pid == 0:
            try:
                self._prepare(outputs)
                os._exit(child())
            finally:
                os._exit(70)
        hung, status, usage = self._waited(pid)
        signalled = os.WIFSIGNALED(status)
        code = -os.WTERMSIG(status) if signalled else os.waitstatus_to_exitcode(status)
        hung = hung or code == -signal.SIGXCPU
        out, err = (path.read_bytes() if path.exists() else b"" for path in outputs)
        for path in outputs:
            path.unlink(missing_ok=True)
        spent = usage.ru_utime + usage.ru_stime
        return Ran(code, out, err, hung, max(0, usage.ru_maxrss / 1024 - began), spent)

    def _waited(self, pid: int) -> tuple[bool, int, resource.struct_rusage]:
        """Waits for a process, and ends it and what it started when that takes too long."""
        ends, pause = time.monotonic() + self.limits.seconds, 0.001
        while True:
            found, status, usage = os.wait4(pid, os.WNOHANG)
            if found:
                return False, status, usage
            if time.monotonic() > ends:
                break
            time.sleep(pause)
            pause = min(pause * 1.5, 0.02)
        os.killpg(pid, signal.SIGKILL)
        _, status, usage = os.wait4(pid, 0)
        return True, status, usage

    def _prepare(self, outputs: Sequence[Path]) -> None:
        """Makes this process one that may not spend much, and writes to files."""
        os.setsid()
        for number, path in enumerate(outputs, 1):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        cpu = self.limits.cpu_seconds
        for what, most in (
            (resource.RLIMIT_CPU, cpu),
            (resource.RLIMIT_FSIZE, MOST_FILE),
            (resource.RLIMIT_DATA, MOST_DATA),
            (resource.RLIMIT_CORE, 0),
        ):
            resource.setrlimit(what, (most, most + 5 if what == resource.RLIMIT_CPU else most))
        os.chdir(self.root / "checkout")

    def _worked(self, argv: Sequence[str]) -> int:
        """Does what an interpreter does: runs, tells an exception, and gives the exit code."""
        os.environ.update(self._environment())
        sys.argv = ["gptoss", *argv]
        sys.stdin = io.TextIOWrapper(io.FileIO(0, closefd=False), encoding="utf-8")
        sys.stdout = io.TextIOWrapper(io.FileIO(1, "w", closefd=False), encoding="utf-8")
        sys.stderr = io.TextIOWrapper(
            io.FileIO(2, "w", closefd=False), encoding="utf-8", errors="backslashreplace"
        )
        code = 0
        try:
            self.work()
            sys.stdout.flush()
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
            if isinstance(ended.code, str):
                sys.stderr.write(f"{ended.code}\n")
        except BaseException:  # noqa: BLE001 (what an interpreter does)
            traceback.print_exc()
            code = 1
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):
                code = code or 120
        return code & 0xFF


def _held() -> float:
    """MiB that this process holds, which a fork of it begins with."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 2**20
