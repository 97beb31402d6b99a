"""Runs a target's own benchmark against a server: its Job's words, and the chart's own script."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gptoss import __version__
from gptoss.benchmarking.scaling import scaled
from gptoss.deployment.hub import cache_folder
from gptoss.facts import folders
from gptoss.live import environments, smoke
from gptoss.live.fixture import model_cache
from gptoss.rendering.beside import SCRIPT, SCRIPTS, benchmark_of, scripts_of
from gptoss.rendering.containers import containers
from gptoss.rendering.shell_words import ADDRESS
from gptoss.text.bounds import refuse_way
from gptoss.text.errors import InputError
from gptoss.text.executables import on_path
from gptoss.text.overheard import overheard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gptoss.rendering.target import Target

MEASURED = "target.json"
READY_SECONDS = 10
# The caller's Python is not that of aiperf's environment.
PYTHONS = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")


def measure(
    target: Target,
    url: str | None,
    results: Path,
    scale: float,
    *,
    simulated: bool,
    out: Callable[[str], None],
    err: Callable[[str], None],
) -> tuple[int, Path | None]:
    """Runs the benchmark of a target against a server.

    Args:
        target: The target, with its benchmark.
        url: The server; that of the target's launch script on this machine when None.
        results: Folder that gets a folder for this run.
        scale: What concurrency and requests are multiplied by.
        simulated: Whether the server is a simulated one, which has another tokenizer.
        out: Takes each line of progress.
        err: Takes each line of what goes wrong.

    Returns:
        The exit code of the chart's benchmark.py, and the folder of the run.

    Raises:
        InputError: The server does not answer, serves another model, or there is no tokenizer.
    """
    container = benchmark_of(target, url) if url else containers(target, ADDRESS).bench
    if container is None:
        raise InputError(f"{target.name} has no benchmark")
    model = target.facts.models[target.values["model"]["id"]]
    home = model_cache(model) if simulated else _cache(model.id, model.revision)
    _ready(_value(container.words, "--url"), _value(container.words, "--model"))
    variables = {**os.environ, **container.environment, "HF_HOME": str(home)}
    variables["HOME"] = str(Path.home())
    if on_path("aiperf") is None:
        variables["PATH"] = f"{environments.aiperf().parent}{os.pathsep}{variables['PATH']}"
        variables = {name: value for name, value in variables.items() if name not in PYTHONS}
    refuse_way(results / MEASURED)
    results.mkdir(parents=True, exist_ok=True)
    before = set(results.iterdir())
    with tempfile.TemporaryDirectory(prefix="gptoss-bench-") as folder:
        known = Path(folder, MEASURED)
        known.write_text(json.dumps(_known(target, scale, simulated)), encoding="utf-8")
        there = {f"{SCRIPTS}/{MEASURED}": str(known), "/artifacts": str(results)}
        words = [there.get(word, word) for word in container.words[2:]]
        script = str(folders.chart_script(SCRIPT))
        process = subprocess.Popen(
            [sys.executable, "-u", script, *scaled(words, scale)],
            env=variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        with process, _passed_on(process), overheard(process, out, err):
            code = process.wait()
    made = [path for path in results.iterdir() if path not in before]
    return code, made[0] if len(made) == 1 else None


def _known(target: Target, scale: float, simulated: bool) -> dict[str, Any]:
    """What the chart knows of the target, with what only gptoss knows."""
    told: dict[str, Any] = json.loads(scripts_of(target)[MEASURED])
    own = {"target": target.name, "scale": scale, "simulated": simulated}
    return told | own | {"versions": {"gptoss": __version__}}


def _cache(model: str, revision: str) -> Path:
    """The Hugging Face cache of the user, in which the tokenizer must be.

    Raises:
        InputError: It is not there.
    """
    named = os.environ.get("HF_HOME")
    home = Path(named) if named else Path.home() / ".cache" / "huggingface"
    snapshot = home / "hub" / cache_folder(model) / "snapshots" / revision
    if not (snapshot / "tokenizer.json").exists():
        raise InputError(
            f"the tokenizer of {model} is not in {home}, at revision {revision}: set HF_HOME to "
            "the model cache, or give --simulated when gptoss simulates the server"
        )
    return home


def _value(words: Sequence[str], flag: str) -> str:
    return words[words.index(flag) + 1]


def _ready(url: str, served: str) -> None:
    """Refuses a server that does not answer one token.

    Raises:
        InputError: Why not.
    """
    words = [url, served, "--ready", "--wait", str(READY_SECONDS)]
    script = str(folders.chart_script(smoke.SCRIPT))
    asked = subprocess.run([sys.executable, script, *words], capture_output=True, text=True)
    if asked.returncode:
        said = (asked.stderr or asked.stdout).strip().splitlines()
        raise InputError(said[-1] if said else f"{url} does not serve {served}")


@contextmanager
def _passed_on(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """While it lasts, the script gets the signals that come, once each."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {
        number: signal.signal(number, lambda signum, _: process.send_signal(signum))
        for number in numbers
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
