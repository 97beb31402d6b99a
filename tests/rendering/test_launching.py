"""Promises of a launch script that runs: what it starts, says, starts again and ends.

Dynamo and the engine do not run without GPUs. In their place stand modules of the same names, which
listen, speak and end as the real ones do; everything else is as rendered.
"""

from __future__ import annotations

import os
import re
import select
import signal
import socket
import subprocess
import time
import urllib.request
from functools import cache
from typing import TYPE_CHECKING

import pytest

from gptoss.facts import folders
from gptoss.rendering.shell import render_shell
from gptoss.rendering.target import read_target
from gptoss.sources.request import Request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

STARTED = re.compile(r"started (.+) as process (\d+)")
# Long enough for the slowest machine; nothing waits that long when the promise holds.
PATIENCE = 60
WAIT = "the wait for the model"
SMOKE, POLL = "scripts/smoke.py", "POLL_SECONDS = 2.0\n"
FRONTEND = """
import http.server, json, os, pathlib, signal, sys, time
words = sys.argv
def finish(*_):
    pathlib.Path("frontend.told").touch()
    while not pathlib.Path("finish").exists(): time.sleep(0.01)
    pathlib.Path("frontend.left").touch()
    os._exit(0)
if os.environ.get("BUSY"): signal.signal(signal.SIGTERM, finish)
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_): pass
    def reply(self, found):
        text = json.dumps(found).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
    def do_GET(self):
        self.reply({"data": [{"id": "openai/gpt-oss-120b"}]})
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.reply({"choices": [{"message": {"content": "."}, "finish_reason": "length"}]})
place = (words[words.index("--http-host") + 1], int(words[words.index("--http-port") + 1]))
print("frontend listens", flush=True)
http.server.ThreadingHTTPServer(place, Handler).serve_forever()
"""
# A worker with a process of its own, as the ranks of an engine are.
WORKER = """
import os, pathlib, signal, subprocess, sys
mode = sys.argv[sys.argv.index("--disaggregation-mode") + 1]
rank = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
def told(*_):
    left = pathlib.Path("frontend.left").exists()
    pathlib.Path(f"{mode}.told").write_text("after" if left else "before")
    os._exit(0)
if os.environ.get("BUSY"): signal.signal(signal.SIGTERM, told)
if os.environ.get("DEAF") == mode:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
sys.stdout.write(f"{mode} loads the model\\n")
sys.stderr.write(f"{mode} has the GPUs {os.environ['CUDA_VISIBLE_DEVICES']}\\n")
pathlib.Path(f"{mode}.new").write_text(str(rank.pid))
os.rename(f"{mode}.new", f"{mode}.rank")
signal.pause()
"""


def _heed_signals() -> None:
    for ignored in (signal.SIGINT, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_DFL)


class Launched:
    """A launch script that runs, and what it has said."""

    def __init__(self, folder: Path, port: int, *words: str, **given: str) -> None:
        self.folder, self.port = folder, port
        self.said = ""
        self.pids: dict[str, int] = {}
        environment = {"PATH": os.environ["PATH"], "HF_HOME": str(folder), "LC_ALL": "C"}
        environment |= {"HTTP_HOST": "127.0.0.1", "HTTP_PORT": str(port)}
        environment |= {"PYTHONPATH": str(folder / "modules"), **given}
        self.output = (folder / "output").open("wb")
        self.process = subprocess.Popen(
            ["bash", folder / "launch.sh", *words],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=self.output,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            start_new_session=True,
            # Where the tests themselves run in the background, these are ignored and stay so.
            preexec_fn=_heed_signals,
        )

    def until(self, text: str) -> None:
        """Reads what it says until a line has a text."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said += line
            if match := STARTED.fullmatch(line.strip()):
                self.pids[match[1]] = int(match[2])
            if text in line:
                return
        raise AssertionError(f"it ended without {text!r}:\n{self.said}")

    def serves(self) -> None:
        """Waits until the model is served and the workers have said what they say."""
        self.until("is served at")
        end = time.monotonic() + PATIENCE
        while len(self.ranks) < 2:
            assert time.monotonic() < end, "a worker has not started"
            time.sleep(0.02)

    def finished(self) -> int:
        """Its exit code, when it has ended and said all."""
        assert self.process.stderr is not None
        code = self.process.wait(PATIENCE)
        self.said += self.process.stderr.read()
        return code

    @property
    def ranks(self) -> list[int]:
        """What the workers have started themselves."""
        return [int(path.read_text()) for path in self.folder.glob("*.rank")]

    def close(self) -> None:
        for number in (self.process.pid, *self.pids.values(), *self.ranks):
            try:
                os.kill(number, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.process.communicate(timeout=PATIENCE)
        self.output.close()


def assert_ends(number: int) -> None:
    """Waits until a process is gone."""
    try:
        handle = os.pidfd_open(number)
    except ProcessLookupError:
        return
    try:
        assert select.select([handle], [], [], PATIENCE)[0], f"{number} still runs"
    finally:
        os.close(handle)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@cache
def rendered(target: str) -> tuple[dict[str, str], str]:
    """The files of a launch script, and the folder of the model in the cache."""
    read = read_target(Request((target,)))
    model = read.deployment.workers[0].model
    assert model is not None
    files = dict(render_shell(read).files)
    # The stand-ins are there at once, or nearly so.
    assert POLL in files[SMOKE]
    files[SMOKE] = files[SMOKE].replace(POLL, "POLL_SECONDS = 0.05\n")
    return files, model.value.removeprefix("/opt/models/")


def written(folder: Path, target: str) -> Path:
    """A folder with a launch script, the modules that it starts and the model's folder."""
    files, model = rendered(target)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    modules = folder / "modules" / "dynamo"
    modules.mkdir(parents=True)
    (modules / "frontend.py").write_text(FRONTEND)
    (modules / "trtllm.py").write_text(WORKER)
    (folder / model).mkdir(parents=True)
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written(tmp_path, "disagg-b200")


@pytest.fixture
def launch(folder: Path) -> Iterator[Callable[..., Launched]]:
    running: list[Launched] = []

    def started(*words: str, port: int = 0, **given: str) -> Launched:
        running.append(Launched(folder, port or free_port(), *words, **given))
        return running[-1]

    yield started
    for each in running:
        each.close()


def test_without_the_runtime_it_ends_with_a_message(launch: Callable[..., Launched]) -> None:
    found = launch(PYTHONPATH="")
    assert found.finished() == 127
    assert "there is no dynamo.frontend here; run this inside nvcr.io/nvidia/ai-" in found.said


def test_an_unknown_part_ends_with_a_message(launch: Callable[..., Launched]) -> None:
    found = launch("prefil")
    assert found.finished() == 2
    assert "there is no part prefil; it is one of frontend, prefill, decode" in found.said


def test_without_the_model_it_says_how_to_get_it(launch: Callable[..., Launched]) -> None:
    found = launch(HF_HOME="/nowhere")
    assert found.finished() == 1
    assert "the model is not in /nowhere; fill the cache with" in found.said


@pytest.mark.parametrize("words", [(), ("frontend",)])
def test_a_port_in_use_is_said_before_anything_starts(
    launch: Callable[..., Launched], words: tuple[str, ...]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        found = launch(*words, port=port)
        assert found.finished() == 1
    assert f"cannot listen on 127.0.0.1:{port}; free it or set HTTP_PORT (OSError: " in found.said
    assert len(found.said.splitlines()) == 1


def test_dynamo_s_own_programs_that_cannot_start_end_everything(
    launch: Callable[..., Launched],
) -> None:
    # An environment that has Dynamo's modules and lacks what they need to serve.
    programs = folders.root() / ".tools" / "oracles" / "dynamo-1.2.1" / "bin"
    found = launch(PYTHONPATH="", PATH=f"{programs}:{os.environ['PATH']}")
    assert found.finished() == 1
    assert re.search(r"(frontend|prefill|decode) has ended with exit code 1; /.*:\n  ", found.said)
    assert "ending everything" in found.said
    for _, number in STARTED.findall(found.said):
        assert_ends(int(number))


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_every_process_and_waits_for_it(
    launch: Callable[..., Launched], sent: signal.Signals
) -> None:
    found = launch()
    found.serves()
    assert list(found.pids) == ["frontend", "prefill", "decode", WAIT]
    ranks = found.ranks
    found.process.send_signal(sent)
    assert found.finished() == 128 + sent
    for number in (*found.pids.values(), *ranks):
        with pytest.raises(ProcessLookupError):
            os.kill(number, 0)


def test_workers_go_when_the_frontend_has_finished_its_answers(
    launch: Callable[..., Launched],
) -> None:
    found = launch(BUSY="yes")
    found.serves()
    found.process.send_signal(signal.SIGTERM)
    end = time.monotonic() + PATIENCE
    while not (found.folder / "frontend.told").exists():
        assert time.monotonic() < end, "the frontend was not told to go"
        time.sleep(0.02)
    (found.folder / "finish").touch()
    assert found.finished() == 128 + signal.SIGTERM
    for worker in ("prefill", "decode"):
        assert (found.folder / f"{worker}.told").read_text() == "after"


def test_a_second_signal_ends_what_does_not_stop(launch: Callable[..., Launched]) -> None:
    found = launch(DEAF="decode")
    found.serves()
    found.process.send_signal(signal.SIGTERM)
    assert_ends(found.pids["prefill"])
    os.kill(found.pids["decode"], 0)
    found.process.send_signal(signal.SIGTERM)
    assert found.finished() == 128 + signal.SIGTERM
    assert_ends(found.pids["decode"])


def test_a_killed_script_takes_its_processes_along(launch: Callable[..., Launched]) -> None:
    found = launch()
    found.serves()
    ranks = found.ranks
    os.killpg(found.process.pid, signal.SIGKILL)
    for number in (*found.pids.values(), *ranks):
        assert_ends(number)


def test_a_worker_that_dies_is_reported_with_its_last_words_and_ends_everything(
    launch: Callable[..., Launched],
) -> None:
    found = launch()
    found.serves()
    ranks = found.ranks
    os.kill(found.pids["decode"], signal.SIGKILL)
    assert found.finished() == 128 + signal.SIGKILL
    log = found.folder / "logs" / f"machine_1-{found.port}" / "decode.log"
    told = f"decode has ended with exit code 137; {log} ends with:\n"
    assert told in found.said
    words = "  decode loads the model\n  decode has the GPUs 1,2,3,4\nending everything\n"
    assert found.said.endswith(words)
    for number in (*found.pids.values(), *ranks):
        assert_ends(number)


def test_what_every_part_says_is_shown_and_kept(launch: Callable[..., Launched]) -> None:
    found = launch()
    found.serves()
    found.process.send_signal(signal.SIGINT)
    found.finished()
    shown = (found.folder / "output").read_text()
    for name in ("prefill", "decode"):
        kept = found.folder / "logs" / f"machine_1-{found.port}" / f"{name}.log"
        assert f"{name} loads the model\n" in shown
        assert f"{name} loads the model\n" in kept.read_text()


def test_a_frontend_that_dies_is_started_again_while_workers_keep_their_model(
    launch: Callable[..., Launched],
) -> None:
    found = launch()
    found.serves()
    before = dict(found.pids)
    os.kill(before["frontend"], signal.SIGKILL)
    found.until("starting frontend again (1 of 5)")
    found.serves()
    assert found.pids["frontend"] != before["frontend"]
    for name in ("prefill", "decode"):
        assert found.pids[name] == before[name]
        os.kill(before[name], 0)
    with urllib.request.urlopen(f"http://127.0.0.1:{found.port}/v1/models", timeout=5) as answer:
        assert answer.status == 200
    found.process.send_signal(signal.SIGTERM)
    assert found.finished() == 143


def test_a_frontend_that_keeps_dying_ends_everything(
    launch: Callable[..., Launched], folder: Path
) -> None:
    script = folder / "launch.sh"
    text = script.read_text()
    assert "again $((2 ** (restarts - 1)))" in text
    script.write_text(text.replace("again $((2 ** (restarts - 1)))", "again 0"))
    # A worker is idle without a frontend, whatever its grace period.
    found = launch(DEAF="decode")
    found.serves()
    (folder / "modules" / "dynamo" / "frontend.py").write_text("raise SystemExit(7)")
    os.kill(found.pids["frontend"], signal.SIGKILL)
    assert found.finished() == 7
    assert re.findall(r"again \((\d) of 5\)", found.said) == ["1", "2", "3", "4", "5"]
    assert_ends(found.pids["prefill"])


def test_a_frontend_that_never_served_is_not_started_again(
    launch: Callable[..., Launched], folder: Path
) -> None:
    (folder / "modules" / "dynamo" / "frontend.py").write_text("raise SystemExit('no such flag')")
    found = launch()
    assert found.finished() == 1
    assert "frontend has ended with exit code 1" in found.said
    assert "  no such flag\nending everything\n" in found.said


@pytest.mark.parametrize("name", ["bench", "smoke"])
def test_a_signal_to_a_benchmark_or_smoke_reaches_its_program(
    launch: Callable[..., Launched], folder: Path, name: str
) -> None:
    script = {"bench": "benchmark", "smoke": "smoke"}[name]
    says = "import os, signal, sys; print(os.getpid(), file=sys.stderr, flush=True); signal.pause()"
    (folder / "scripts" / f"{script}.py").write_text(says)
    programs = folder / "programs"
    programs.mkdir()
    (programs / "aiperf").write_text("#!/bin/sh\n")
    (programs / "aiperf").chmod(0o755)
    found = launch(name, PATH=f"{programs}:{os.environ['PATH']}")
    found.until(str(found.process.pid))
    found.process.send_signal(signal.SIGTERM)
    assert found.finished() == -signal.SIGTERM
