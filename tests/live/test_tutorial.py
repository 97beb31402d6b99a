"""The tutorial, as a newcomer types it."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.chart.rendering import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.live

TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"```sh( server)?\n(.*?)```", re.DOTALL)
PROGRAMS = [ROOT / ".venv" / "bin", ROOT / ".tools" / "bin"]
PATIENCE = 600


def blocks(port: int) -> list[tuple[bool, str]]:
    """The commands of each block, at a free port, and whether they keep a terminal."""
    text = TUTORIAL.replace("8000", str(port))
    return [(bool(server), commands) for server, commands in BLOCK.findall(text)]


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def variables() -> dict[str, str]:
    path = ":".join([*map(str, PROGRAMS), os.environ["PATH"]])
    return {**os.environ, "PATH": path}


def typed(commands: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-eu", "-o", "pipefail", "-c", commands],
        cwd=folder,
        env=variables(),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


@contextmanager
def served(commands: str, folder: Path) -> Iterator[None]:
    """A terminal in which a server runs until the block ends."""
    process = subprocess.Popen(
        ["bash", "-c", f"exec {commands}"],
        cwd=folder,
        env=variables(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        said = []
        for line in process.stdout:
            said.append(line)
            if "is served at" in line:
                break
        else:
            pytest.fail("".join(said))
        yield
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)


def test_a_newcomer_gets_from_a_clone_to_a_chat_a_benchmark_and_a_page(tmp_path: Path) -> None:
    # The first block makes what this test runs with.
    _, (_, serve), *steps, (_, fault) = blocks(free_port())
    said = []
    with served(serve, tmp_path):
        for _, commands in steps:
            done = typed(commands, tmp_path)
            assert done.returncode == 0, done.stdout + done.stderr
            said.append(done.stdout)
    chat, first, second, smoke, measured = said
    assert json.loads(chat)["choices"][0]["message"]["content"] == "Earth"
    (choice,) = json.loads(first)["choices"]
    assert choice["finish_reason"] == "tool_calls"
    assert choice["message"]["tool_calls"][0]["function"]["name"] == "get_weather"
    assert "sunny" in json.loads(second)["choices"][0]["message"]["content"]
    assert " 0 failed" in smoke
    assert "agg-gb200" in measured
    assert "<!doctype html>" in (tmp_path / "report.html").read_text(encoding="utf-8").lower()
    done = typed(fault, tmp_path)
    assert done.returncode in (0, 1), done.stderr
    assert "kill prefill" in done.stderr
