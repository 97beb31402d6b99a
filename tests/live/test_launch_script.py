"""A launch script with Dynamo's own frontend and workers: signals, deaths, and what is left."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import signal
import subprocess
import termios
import time
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gptoss.live.simulation import simulate
from gptoss.sources.request import Request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gptoss.live.running import Running

pytestmark = pytest.mark.live

PATIENCE = 120
STARTED = re.compile(r"(?m)^started (.+) as process (\d+)$")
WORKERS = ("prefill", "decode")


@pytest.fixture
def running() -> Iterator[Running]:
    with simulate(Request(("disagg-b200-node",)), release="1.3.1") as found:
        found.ready(PATIENCE)
        until(lambda: "is served at" in said(found), "served")
        yield found


def until(holds: Callable[[], object], what: str) -> None:
    """Waits for a condition."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, f"not within {PATIENCE} s: {what}"
        time.sleep(0.1)


def said(running: Running) -> str:
    return running.parts["all"].log.read_text(encoding="utf-8", errors="replace")


def started(running: Running) -> dict[str, int]:
    """Process ids by part, of each the one that was started last."""
    return {name: int(number) for name, number in STARTED.findall(said(running))}


def left(folder: Path) -> list[str]:
    """Command lines of processes that belong to a simulation."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if str(folder).encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return found


def variables(running: Running) -> dict[str, str]:
    """What the launch script was started with."""
    text = Path(f"/proc/{running.parts['all'].process.pid}/environ").read_text(encoding="utf-8")
    return dict(pair.split("=", 1) for pair in text.split("\0") if "=" in pair)


def test_a_frontend_that_is_killed_comes_back_while_workers_go_on_and_a_worker_ends_all(
    running: Running,
) -> None:
    before = started(running)
    served = said(running).count("is served at")
    os.kill(before["frontend"], signal.SIGKILL)
    until(lambda: said(running).count("is served at") > served, "served again")
    after = started(running)
    assert after["frontend"] != before["frontend"]
    assert [after[name] for name in WORKERS] == [before[name] for name in WORKERS]
    with urllib.request.urlopen(f"{running.url}/v1/models", timeout=PATIENCE) as answer:  # noqa: S310
        assert answer.status == 200
    running.ready(PATIENCE)

    again = subprocess.run(
        [running.folder / "launch.sh"],
        env=variables(running),
        cwd=running.folder / "tmp",
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert again.returncode == 1
    assert "cannot listen on 127.0.0.1:" in again.stderr
    assert len(again.stderr.splitlines()) == 1

    os.kill(after["decode"], signal.SIGKILL)
    assert running.parts["all"].process.wait(PATIENCE) == 137
    assert "decode has ended with exit code 137; " in said(running)
    until(lambda: not left(running.folder), "nothing left")


def test_a_killed_script_leaves_nothing(running: Running) -> None:
    running.parts["all"].process.kill()
    until(lambda: not left(running.folder), "nothing left")


def test_sigterm_ends_everything_once_running_requests_are_answered(running: Running) -> None:
    body = {"model": running.model, "prompt": "Count.", "max_tokens": 600, "stream": True}
    body |= {"min_tokens": 600, "ignore_eos": True}
    request = urllib.request.Request(  # noqa: S310
        f"{running.url}/v1/completions",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310
        first = answer.readline()
        running.parts["all"].process.terminate()
        rest = answer.read()
    assert first.startswith(b"data: {")
    assert rest.rstrip().endswith(b"data: [DONE]")
    assert running.parts["all"].process.wait(PATIENCE) == 143
    until(lambda: not left(running.folder), "nothing left")


@pytest.mark.parametrize(("how", "code"), [("Ctrl-C", 130), ("terminal closed", 129)])
def test_a_terminal_ends_everything(running: Running, how: str, code: int) -> None:
    given = variables(running)
    running.parts["all"].process.kill()
    running.parts["all"].process.wait(PATIENCE)
    until(lambda: not left(running.folder), "nothing left")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [running.folder / "launch.sh"],
        env=given,
        cwd=running.folder,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=lambda: own_terminal(theirs),
    )
    os.close(theirs)
    shown = b""
    while b"is served at" not in shown:
        shown += os.read(ours, 65536)
    if how == "Ctrl-C":
        os.write(ours, b"\x03")
        until(lambda: has_closed(ours), "the terminal closed")
    os.close(ours)
    assert process.wait(PATIENCE) == code
    until(lambda: not left(running.folder), "nothing left")


def has_closed(terminal: int) -> bool:
    """Reads a part of what is shown; whether nobody has the terminal open any more."""
    try:
        return not os.read(terminal, 65536)
    except OSError:
        return True


def own_terminal(descriptor: int) -> None:
    """Makes a terminal that of a new session, with signals as a shell gives them."""
    fcntl.ioctl(descriptor, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
