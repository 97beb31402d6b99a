"""The README's outputs: each is what its command prints."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OUTPUT = re.compile(r"<!-- output: (?P<command>.*?) -->\n.*?<!-- end of output -->", re.DOTALL)


def readme() -> dict[Path, str]:
    """``README.md`` with every output between its markers replaced."""
    path = Path("README.md")
    text = (ROOT / path).read_text(encoding="utf-8")
    commands = OUTPUT.findall(text)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        outputs = dict(zip(commands, pool.map(output, commands), strict=True))
    return {path: OUTPUT.sub(lambda match: _block(match["command"], outputs), text)}


def _block(command: str, outputs: dict[str, str]) -> str:
    shown = f"```text\n$ {command}\n{outputs[command]}\n```"
    return f"<!-- output: {command} -->\n{shown}\n<!-- end of output -->"


def output(command: str) -> str:
    """What a ``gptoss`` command prints, run in the repository.

    Raises:
        RuntimeError: It fails for another reason than its findings.
    """
    words = shlex.split(command)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tools")}
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1) or done.stderr:
        raise RuntimeError(f"{command}: {done.stderr}")
    return done.stdout.rstrip()
