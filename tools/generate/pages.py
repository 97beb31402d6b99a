"""The outputs and tables of README and pages: each is what its command prints, or what is known."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from generate.driver import driver_table
from generate.kv_room import kv_room_table
from generate.metrics import metrics_table
from generate.moe import moe_sources, moe_table
from generate.predicted import accuracy_limits, accuracy_table, calibration_table
from generate.siblings import siblings_table
from gptoss.live import environments

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(
    r"<!-- (?P<kind>output|table): (?P<what>.*?) -->\n.*?<!-- end of (?P=kind) -->", re.DOTALL
)
# Begins commands that need the performance data.
PREDICTING = "gptoss plan "
TABLES = {
    "room for the KV cache": kv_room_table,
    "CUDA and driver by release": driver_table,
    "what is measured": metrics_table,
    "MoE kernels": moe_table,
    "predicted against measured": accuracy_table,
    "limits of the errors": accuracy_limits,
    "what calibration leaves": calibration_table,
    "sources of MoE kernels": moe_sources,
    "tuned siblings": siblings_table,
}


def pages() -> dict[Path, str]:
    """The READMEs and the pages of ``docs/`` with what stands between their markers replaced."""
    readmes = [ROOT / "README.md", ROOT / "charts" / "gpt-oss" / "README.md"]
    paths = [*readmes, *sorted((ROOT / "docs").glob("*.md"))]
    texts = {path.relative_to(ROOT): path.read_text(encoding="utf-8") for path in paths}
    found = BLOCK.findall("\n".join(texts.values()))
    commands = _possible(list(dict.fromkeys(w for kind, w in found if kind == "output")))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        outputs = dict(zip(commands, pool.map(output, commands), strict=True))
    return {path: BLOCK.sub(partial(_block, outputs), text) for path, text in texts.items()}


def _block(outputs: Mapping[str, str], match: re.Match[str]) -> str:
    kind, what = match["kind"], match["what"]
    if kind == "table":
        text = f"\n{TABLES[what]()}\n\n"
    elif what not in outputs:
        return match[0]
    else:
        text = f"```text\n$ {what}\n{outputs[what]}\n```\n"
    return f"<!-- {kind}: {what} -->\n{text}<!-- end of {kind} -->"


def _possible(commands: list[str]) -> list[str]:
    """Those that can be run here: elsewhere blocks with predictions stay as they are."""
    if not any(command.startswith(PREDICTING) for command in commands):
        return commands
    if environments.no_planning():
        return [command for command in commands if not command.startswith(PREDICTING)]
    environments.planning()
    return commands


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
