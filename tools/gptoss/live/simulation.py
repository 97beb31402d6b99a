"""Runs the launch script that a target is rendered as, on simulated workers."""

from __future__ import annotations

import os
import shlex
import shutil
import socket
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gptoss.facts.world import Facts
from gptoss.live import environments
from gptoss.live.fixture import model_cache
from gptoss.live.running import WHOLE, Running
from gptoss.rendering.containers import SERVER, containers
from gptoss.rendering.shell import render_shell
from gptoss.rendering.target import read_target
from gptoss.rendering.writing import write
from gptoss.text import deadline
from gptoss.text.errors import unknown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gptoss.rendering.containers import Containers
    from gptoss.sources.request import Request

HOST = "127.0.0.1"
SHIM = Path(__file__).with_name("shim")
# What stands before the packages of Dynamo's environment, by engine.
ENGINES = {"scripted": (SHIM,), "mocker": (SHIM.with_name("mocker"), SHIM)}
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
    more: Mapping[str, str] | None = None,
) -> Iterator[Running]:
    """Starts a target on simulated workers and ends all of it afterwards.

    Args:
        request: The target, and what is laid over it.
        release: Dynamo release, instead of the target's own.
        port: Port on 127.0.0.1; 0 takes a free one.
        engine: ``scripted`` speaks harmony; ``mocker`` is Dynamo's own, with random tokens.
        speed: How much faster than told the simulated engine is.
        ttft: Milliseconds to the first token; by the length of the prompt unless given.
        itl: Milliseconds between tokens; 5 unless given.
        apart: Whether each part is started alone, so that one can be ended and started again.
        parts: Parts to start, when not all of them; only apart.
        more: Variables for all parts, over those that they get anyhow.

    Yields:
        The running target; ``ready`` waits for it.

    Raises:
        InputError: It cannot be rendered or started.
    """
    if engine not in ENGINES:
        raise unknown("engine", engine, ENGINES)
    target = read_target(replace(request, release=release or request.release))
    deadline.lift()
    found = containers(target, f"http://{HOST}:{{port}}")
    python = environments.dynamo(found.release)
    hf_home = model_cache(target.facts.models[target.values["model"]["id"]])
    port = port or _free_port()
    folder = Path(tempfile.mkdtemp(prefix="gptoss-simulate-"))
    try:
        write(render_shell(target, gpus_of_machine=GPUS), folder)
        variables = _variables(folder, python, hf_home, port)
        variables["PYTHONPATH"] = os.pathsep.join(map(str, ENGINES[engine]))
        if not found.is_dynamo:
            _write_server(folder / "bin", found, python)
        variables |= {"GPTOSS_SIMULATED_SPEED": str(speed)}
        given = {"GPTOSS_SIMULATED_TTFT_MS": ttft, "GPTOSS_SIMULATED_ITL_MS": itl}
        variables |= {name: str(value) for name, value in given.items() if value is not None}
        variables |= more or {}
        roles = _roles(found)
        running = Running(
            f"http://{HOST}:{port}", found.model, folder, roles, variables, _summary(found)
        )
        try:
            for part in (roles if parts is None else parts) if apart else (WHOLE,):
                running.start(part)
            yield running
        finally:
            running.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _roles(found: Containers) -> dict[str, str]:
    """What the launch script can start alone, with what it does."""
    if not found.is_dynamo:
        return {SERVER: SERVER}
    return {"frontend": "frontend"} | {worker.name: str(worker.role) for worker in found.workers}


def _write_server(folder: Path, found: Containers, python: Path) -> None:
    """Puts a ``trtllm-serve`` where the launch script looks for it."""
    facts = Facts()
    words = [sys.executable, "-m", "gptoss.live.trtllm_serve"]
    words += [facts.releases[found.release].trtllm, str(python)]
    package = Path(__file__).resolve().parents[2]
    program = folder / "trtllm-serve"
    folder.mkdir()
    program.write_text(
        f'#!/bin/sh\nPYTHONPATH={shlex.quote(str(package))} exec {shlex.join(words)} "$@"\n',
        encoding="utf-8",
    )
    program.chmod(0o755)


def _summary(found: Containers) -> str:
    one = "; all of it on this machine" if found.gpus > found.gpus_of_machine else ""
    real = f"the launch script and Dynamo {found.release} are real, TensorRT-LLM is played"
    if not found.is_dynamo:
        real = "the launch script is real, a stand-in plays trtllm-serve"
    return f"{found.target} without its {found.gpus}x {found.gpu_name}: {real}{one}"


def _variables(folder: Path, python: Path, hf_home: Path, port: int) -> dict[str, str]:
    """The whole environment of the launch script: nothing but what is told here."""
    home, temporary = folder / "home", folder / "tmp"
    for made in (home, temporary):
        made.mkdir()
    return {
        **{name: os.environ[name] for name in KEPT if name in os.environ},
        "PATH": f"{folder / 'bin'}:{python.parent}:/usr/local/bin:/usr/bin:/bin",
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
    }


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        return int(listener.getsockname()[1])
