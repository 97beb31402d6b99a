"""Shipped targets on simulated workers: Dynamo's own frontend, parsers and workers, no GPU."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gptoss.facts import folders
from gptoss.facts.world import Facts
from gptoss.live import environments, watchdog
from gptoss.live.simulation import simulate
from gptoss.sources.request import Request
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gptoss.live.running import Running

pytestmark = pytest.mark.live

PATIENCE = 120
DEFAULT = "1.3.1"
TARGETS = list(folders.target_files())
GRAPHS = [name for name in TARGETS if name.startswith(("agg", "disagg"))]
SERVED = [name for name in TARGETS if name not in GRAPHS]
# Of the tuned siblings one with prefill workers, and one without: each has a process a worker.
TUNED = ("agg-b200-tuned", "disagg-gb200-tuned")
DYNAMO = [name for name in GRAPHS if name in TUNED or not name.endswith("-tuned")]
LISTENING = "0A"
WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather in a city",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    },
}


def chat(running: Running, question: str, **more: Any) -> Any:
    """The first choice of the answer to a question."""
    body = {"model": running.model, "messages": [{"role": "user", "content": question}]} | more
    request = urllib.request.Request(  # noqa: S310
        f"{running.url}/v1/chat/completions",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=PATIENCE) as response:  # noqa: S310
        return json.load(response)["choices"][0]


def answers(running: Running, *, effort: bool = True) -> None:
    """Asks for reasoning, content and a tool call."""
    running.ready(PATIENCE)
    said = chat(running, "Which planet do we live on?", reasoning_effort="low")["message"]
    assert said["content"] == "Earth"
    assert f"The effort is {'low' if effort else 'medium'}" in said["reasoning_content"]
    called = chat(running, "What is the weather in Berlin?", tools=[WEATHER])
    function = called["message"]["tool_calls"][0]["function"]
    assert (function["name"], called["finish_reason"]) == ("get_weather", "tool_calls")
    assert json.loads(function["arguments"]) == {"city": "Berlin"}


def eventually(running: Running) -> None:
    """Asks until it answers: the discovery forgets who was killed only after its lease."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return answers(running)
        except urllib.error.HTTPError:
            if time.monotonic() > end:
                raise


def sessions(running: Running) -> list[int]:
    return [part.process.pid for part in running.parts.values()]


def processes(of: Iterable[int]) -> list[int]:
    """What runs in some sessions."""
    return [process for session in of for process in watchdog.members(session)]


def command_line(process: int) -> str:
    return Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace")


def outside(pids: Iterable[int]) -> list[str]:
    """Addresses beyond 127.0.0.1 and ::1 on which processes listen, as the kernel writes them."""
    inodes = set()
    for pid in pids:
        for link in Path(f"/proc/{pid}/fd").iterdir():
            try:
                target = link.readlink().name
            except FileNotFoundError:
                continue
            inodes.add(target.removeprefix("socket:[").removesuffix("]"))
    local = ("0100007F", "00000000000000000000000001000000")
    return [
        fields[1]
        for name in ("tcp", "tcp6")
        for fields in (line.split() for line in Path("/proc/net", name).read_text().splitlines())
        if fields[3] == LISTENING and fields[9] in inodes and not fields[1].startswith(local)
    ]


@pytest.mark.parametrize("target", DYNAMO)
def test_a_dynamo_target_answers_and_listens_on_this_machine_only(target: str) -> None:
    with simulate(Request((target,)), release=DEFAULT) as running:
        answers(running)
        mine = processes(sessions(running))
        assert any("dynamo.frontend" in command_line(process) for process in mine)
        assert outside(mine) == []
        started = sessions(running)
    assert processes(started) == []


@pytest.mark.parametrize("release", [r for r in environments.releases() if r != DEFAULT])
def test_one_target_answers_on_every_release(release: str) -> None:
    one_by_one = "workers.decode.engine.stream_interval=1"
    request = Request(("disagg-b200-node",), settings=(one_by_one,))
    with simulate(request, release=release) as running:
        answers(running, effort=release != "1.2.1")


def test_trtllm_serve_targets_answer_on_the_stand_in() -> None:
    def run(target: str) -> None:
        with simulate(Request((target,))) as running:
            answers(running)
            assert outside(processes(sessions(running))) == []

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(run, SERVED))


def test_a_part_that_was_killed_serves_again_once_it_is_started() -> None:
    with simulate(Request(("agg-gb200",)), release=DEFAULT, apart=True) as running:
        running.ready(PATIENCE)
        running.fault("worker", "kill")
        running.parts["worker"].process.wait(PATIENCE)
        running.start("worker")
        eventually(running)


def test_a_part_starts_while_somebody_still_holds_its_script_open() -> None:
    with simulate(Request(("agg-gb200",)), release=DEFAULT, apart=True, parts=()) as running:
        with (running.folder / "launch.sh").open("a"):
            running.start("frontend")
        assert running.parts["frontend"].runs


def test_a_worker_with_other_gpus_than_its_settings_take_says_so() -> None:
    alone = {"apart": True, "parts": ("frontend",)}
    with simulate(Request(("agg-gb200",)), release=DEFAULT, **alone) as running:  # type: ignore[arg-type]
        (engine,) = (running.folder / "engine").iterdir()
        text = engine.read_text()
        engine.write_text(text.replace("tensor_parallel_size: 4", "tensor_parallel_size: 2"))
        running.start("worker")
        with pytest.raises(InputError, match="worker has ended") as ended:
            running.ready(PATIENCE)
    assert "the settings take 2 GPUs" in "\n".join(ended.value.below)


def test_nothing_is_left_when_the_command_itself_is_killed() -> None:
    words = [sys.executable, "-m", "gptoss", "simulate", "serve-h100-2", "--port", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as command:
        assert command.stdout is not None
        told = next(line for line in command.stdout if "process" in line)
        session = int(told.split()[2].rstrip(","))
        assert processes([session])
        command.kill()
    end = time.monotonic() + PATIENCE
    while processes([session]) and time.monotonic() < end:
        pass
    assert processes([session]) == []


def test_the_mocker_answers_for_load() -> None:
    with simulate(Request(("agg-gb200",)), release=DEFAULT, engine="mocker") as running:
        running.ready(PATIENCE)
        assert chat(running, "hello", max_tokens=8)["finish_reason"] == "length"


def test_the_environments_are_those_of_known_releases() -> None:
    assert set(environments.releases()) <= set(Facts().releases)
