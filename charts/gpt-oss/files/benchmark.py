"""Runs aiperf, once or for every step of a concurrency sweep, and prints what it measured.

    benchmark.py aiperf profile …
    benchmark.py --sweep 32,64,128 --rounds 5 aiperf profile …

A step sends its concurrency times the rounds, after as many warm-up requests as its concurrency,
all with prompts of their own, and writes to a folder of its own. A step that fails ends the sweep.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

SUMMARY = "profile_export_aiperf.json"
COLUMNS = {
    "requests/s": ("request_throughput", "avg"),
    "output tokens/s": ("output_token_throughput", "avg"),
    "good requests/s": ("goodput", "avg"),
    "TTFT p50 ms": ("time_to_first_token", "p50"),
    "TTFT p99 ms": ("time_to_first_token", "p99"),
    "ITL p50 ms": ("inter_token_latency", "p50"),
    "ITL p99 ms": ("inter_token_latency", "p99"),
}


def steps(words: list[str]) -> list[list[str]]:
    """The aiperf command lines that the script's arguments stand for, in their order.

    Words of the command keep their position; what a step adds comes after them.
    """
    if words[:1] != ["--sweep"]:
        return [words]
    _, sweep, _, rounds, *command = words
    return [
        _step(command, number, int(concurrency), int(rounds))
        for number, concurrency in enumerate(sweep.split(","))
    ]


def _step(command: list[str], number: int, concurrency: int, rounds: int) -> list[str]:
    requests = concurrency * rounds
    warmup = int(value(command, "--warmup-request-count") or concurrency)
    step = {
        "--concurrency": str(concurrency),
        "--request-count": str(requests),
        "--warmup-request-count": str(warmup),
        "--num-dataset-entries": value(command, "--num-dataset-entries") or str(requests + warmup),
        "--artifact-dir": f"{value(command, '--artifact-dir')}/concurrency-{concurrency}",
    }
    if seed := value(command, "--random-seed"):
        # The same seed gives the same prompts, and the KV cache still holds those of the last step.
        step["--random-seed"] = str(int(seed) + number)
    words = list(command)
    for flag, text in step.items():
        if flag in words:
            words[words.index(flag) + 1] = text
        else:
            words += [flag, text]
    return words


def value(command: list[str], flag: str) -> str | None:
    """What a command line gives a flag."""
    return command[command.index(flag) + 1] if flag in command else None


def run(command: list[str]) -> int:
    """Runs a command to its end and gives its exit code; a request to stop is passed on."""
    with subprocess.Popen(command) as process:
        # A terminal interrupts the command itself; this process only outlives it to report.
        before = {
            signal.SIGINT: signal.signal(signal.SIGINT, lambda *_: None),
            signal.SIGTERM: signal.signal(signal.SIGTERM, lambda *_: process.terminate()),
        }
        code = process.wait()
    for number, handler in before.items():
        signal.signal(number, handler)
    return code if code >= 0 else 128 - code


def results(command: list[str]) -> list[Path]:
    """The summaries that a command left in its folder."""
    return sorted(Path(value(command, "--artifact-dir") or ".").rglob(SUMMARY))


def table(done: list[list[str]]) -> str:
    """What each finished step measured, one line a step."""
    lines = [["concurrency", *COLUMNS]]
    for command in done:
        measured = [json.loads(path.read_text(encoding="utf-8")) for path in results(command)[:1]]
        cells = [_cell(measured, *column) for column in COLUMNS.values()]
        lines.append([value(command, "--concurrency") or "", *cells])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
        for line in lines
    )


def _cell(measured: list[dict[str, Any]], metric: str, statistic: str) -> str:
    number = measured[0].get(metric, {}).get(statistic) if measured else None
    return "-" if number is None else f"{number:.2f}"


def main(words: list[str]) -> int:
    """Runs every step and gives the exit code of the first that fails, or 0."""
    commands, done, code = steps(words), [], 0
    for number, command in enumerate(commands, 1):
        if len(commands) > 1:
            concurrency = value(command, "--concurrency")
            print(f"step {number} of {len(commands)}: concurrency {concurrency}", flush=True)
        code = run(command)
        for summary in results(command):
            print(f"{summary}:\n{summary.read_text(encoding='utf-8')}", flush=True)
        if code:
            break
        done.append(command)
    if len(commands) > 1:
        print(f"{len(done)} of {len(commands)} steps done\n{table(done)}", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
