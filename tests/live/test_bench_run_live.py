"""``gptoss bench run`` with real aiperf, against targets on simulated workers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

import pytest

from gptoss.live.simulation import simulate
from gptoss.sources.request import Request

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gptoss.live.running import Running

pytestmark = pytest.mark.live

TARGET = "disagg-b200-node"
# Short prompts and answers; an answer takes a second, so that aiperf's own time does not matter.
SETTINGS = ("workload.inputTokens=64", "workload.outputTokens=50")
ITL = 20.0
PATIENCE = 120


@contextmanager
def started(running: Running, results: Path, scale: str) -> Iterator[subprocess.Popen[bytes]]:
    words = [TARGET, running.url, "--simulated", "--scale", scale, "--output", str(results)]
    for setting in SETTINGS:
        words += ["--set", setting]
    command = [sys.executable, "-m", "gptoss", "bench", "run", *words]
    with (
        results.with_suffix(".log").open("wb") as log,
        subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT) as process,
    ):
        yield process


def written(results: Path, name: str) -> Any:
    (folder,) = results.iterdir()
    return json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))


def wait_for_answers(results: Path, count: int, process: subprocess.Popen[bytes]) -> None:
    """Until aiperf has written so many records of answers."""
    while process.poll() is None:
        records = list(results.glob("*/profile_export.jsonl"))
        if records and sum(1 for _ in read(records[0])) >= count:
            return
    raise AssertionError(results.with_suffix(".log").read_text())


def read(path: Path) -> Iterator[str]:
    file: IO[str]
    with path.open(encoding="utf-8") as file:
        yield from (line for line in file if '"benchmark_phase":"profiling"' in line)


def said(results: Path) -> str:
    return results.with_suffix(".log").read_text(encoding="utf-8", errors="replace")


def test_a_clean_run_is_a_success_and_its_folder_says_what_was_measured(tmp_path: Path) -> None:
    results = tmp_path / "results"
    with simulate(Request((TARGET,)), apart=True, itl=ITL) as running:
        running.ready(PATIENCE)
        with started(running, results, "0.02") as process:
            process.wait()
    assert process.returncode == 0, said(results)
    plan, outcome = written(results, "plan"), written(results, "outcome")
    (step,), (planned,) = outcome["steps"], plan["steps"]
    assert (step["requests"], step["errors"]) == (planned["requests"], 0)
    assert step["complete"]
    assert step["lengthMismatches"] == 0
    assert step["problems"] == []
    assert plan["target"] == TARGET
    assert plan["osl"] == 50
    assert plan["versions"]["aiperf"].startswith("0.")


def test_a_prefill_worker_that_dies_fails_the_run_and_the_cause_is_said(tmp_path: Path) -> None:
    results = tmp_path / "results"
    with simulate(Request((TARGET,)), apart=True, itl=ITL) as running:
        running.ready(PATIENCE)
        with started(running, results, "0.05") as process:
            wait_for_answers(results, 20, process)
            for name in [n for n, role in running.roles.items() if role == "prefill"]:
                running.fault(name, "kill")
            process.wait()
    assert process.returncode == 1, said(results)
    (step,) = written(results, "outcome")["steps"]
    assert step["errors"] > step["requests"] > 0
    assert f"{step['errors']} of " in step["problems"][0]
    assert step["causes"][0]["cause"] in said(results)


def test_a_run_that_is_stopped_keeps_what_it_measured(tmp_path: Path) -> None:
    results = tmp_path / "results"
    with simulate(Request((TARGET,)), apart=True, itl=ITL) as running:
        running.ready(PATIENCE)
        with started(running, results, "0.1") as process:
            wait_for_answers(results, 20, process)
            os.kill(process.pid, signal.SIGTERM)
            process.wait()
    assert process.returncode == 128 + signal.SIGTERM, said(results)
    (step,) = written(results, "outcome")["steps"]
    assert step["requests"] >= 20
    assert not step["complete"]
    assert step["problems"][0] == "it was stopped by SIGTERM"
