"""Runs the launch script that a target is rendered as, on simulated workers."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gptoss.live import environments
from gptoss.live.fixture import model_cache
from gptoss.live.running import WHOLE, Running
from gptoss.rendering.containers import containers
from gptoss.rendering.shell import render_shell
from gptoss.rendering.target import read_target
from gptoss.rendering.writing import write
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gptoss.rendering.containers import Containers
    from gptoss.sources.request import Request

HOST = "127.0.0.1"
SHIM = Path(__file__).with_name("shim")
# Of the caller's own variables only these reach the target.
KEPT = ("LANG", "LC_ALL", "TERM", "USER")
# A machine that holds every target.
GPUS = 10_000


@contextmanager
def simulate(
    request: Request,
    *,
    release: str | None = None,
    port: int = 0,
    engine: str = "scripted",
    speed: float = 1.0,
    ttft: float | None = None,
    itl: float | None = None,
    apart: bool = False,
    parts: Sequence[str] | None = None,
) -> Iterator[Running]:
    """Starts a target on simulated workers and ends all of it afterwards.

    Args:
        request: The target, and what is laid over it.
        release: Dynamo release, instead of the target's own.
        port: Port on 127.0.0.1; 0 takes a free one.
        engine: ``scripted`` speaks harmony.
        speed: How much faster than told the simulated engine is.
        ttft: Milliseconds to the first token; by the length of the prompt unless given.
        itl: Milliseconds between tokens; 5 unless given.
        apart: Whether each part is started alone, so that one can be ended and started again.
        parts: Parts to start, when not all of them; only apart.

    Yields:
        The running target; ``ready`` waits for it.

    Raises:
        InputError: It cannot be rendered or started.
    """
    if engine != "scripted":
        raise InputError(f"there is no engine {engine}; there is scripted")
    target = read_target(replace(request, release=release or request.release))
    found = containers(target, f"http://{HOST}:{{port}}")
    if not found.is_dynamo:
        raise InputError(f"{found.target} runs on trtllm-serve, which is not simulated yet")
    python = environments.dynamo(found.release)
    hf_home = model_cache(target.facts.models[target.values["model"]["id"]])
    port = port or _free_port()
    folder = Path(tempfile.mkdtemp(prefix="gptoss-simulate-"))
    try:
        write(render_shell(target, gpus_of_machine=GPUS), folder)
        variables = _variables(folder, python, hf_home, port)
        variables |= {"GPTOSS_SIMULATED_SPEED": str(speed)}
        given = {"GPTOSS_SIMULATED_TTFT_MS": ttft, "GPTOSS_SIMULATED_ITL_MS": itl}
        variables |= {name: str(value) for name, value in given.items() if value is not None}
        roles = {"frontend": "frontend"} | {w.name: str(w.role) for w in found.workers}
        running = Running(
            f"http://{HOST}:{port}", found.model, folder, roles, variables, _summary(found)
        )
        try:
            for part in (parts or roles) if apart else (WHOLE,):
                running.start(part)
            yield running
        finally:
            running.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _summary(found: Containers) -> str:
    one = "; all of it on this machine" if found.gpus > found.gpus_of_machine else ""
    return (
        f"{found.target} on {found.gpus}x {found.gpu_name}, simulated: TensorRT-LLM and the GPUs "
        f"are played; the launch script and Dynamo {found.release} are real{one}"
    )


def _variables(folder: Path, python: Path, hf_home: Path, port: int) -> dict[str, str]:
    """The whole environment of the launch script: nothing but what is told here."""
    home, temporary = folder / "home", folder / "tmp"
    for made in (home, temporary):
        made.mkdir()
    return {
        **{name: os.environ[name] for name in KEPT if name in os.environ},
        "PATH": f"{python.parent}:/usr/local/bin:/usr/bin:/bin",
        "PYTHONPATH": str(SHIM),
        "HOME": str(home),
        "TMPDIR": str(temporary),
        "HF_HOME": str(hf_home),
        "HTTP_HOST": HOST,
        "HTTP_PORT": str(port),
        "DYN_FILE_KV": str(folder / "discovery"),
        "DYN_TCP_RPC_HOST": HOST,
        "DYN_HTTP_RPC_HOST": HOST,
        "DYN_TCP_RESPONSE_STREAM_HOST": "lo",
        "DYN_SDK_DISABLE_ANSI_LOGGING": "1",
        "NO_COLOR": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        return int(listener.getsockname()[1])
