"""Measures the command beside plain Helm, in one run: ``make bench``.

Prints medians of wall time in milliseconds and the ratios to plain ``helm template``.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks import in_process

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[1]
HELM = ROOT / ".tools" / "bin" / "helm"
GPTOSS = Path(sys.executable).with_name("gptoss")
TARGET = ROOT / "values" / "disagg-gb200.yaml"
VARIANTS = 100
ROUNDS = 11


def main() -> None:
    """Prints every measurement."""
    print(f"{os.cpu_count()} cores; medians of {ROUNDS} rounds, in milliseconds of wall time\n")
    plain, check, lint = interleaved(
        [helm(TARGET)], [[str(GPTOSS), "check", "disagg-gb200"]], [ct_lint()]
    )
    row("helm template, one target", plain, plain)
    row("gptoss check, the same", check, plain)
    row("ct lint, the same", lint, plain)
    (helping,) = interleaved([[str(GPTOSS), "check", "--help"]])
    row("gptoss check --help", helping, plain)
    with TemporaryDirectory() as folder:
        files = variants(Path(folder))
        sequential, hundred = interleaved(
            [helm(file) for file in files],
            [[str(GPTOSS), "check", *map(str, files)]],
            rounds=3,
        )
    row(f"helm template, {VARIANTS} in a row", sequential, sequential)
    row("gptoss check, the same", hundred, sequential)
    print()
    in_process.main()


def helm(values: Path) -> list[str]:
    """A plain ``helm template`` of a values file, benchmark included, as ``check`` renders it."""
    chart = str(ROOT / "charts" / "gpt-oss")
    options = ["--values", str(values), "--set", "benchmark.enabled=true"]
    return [str(HELM), "template", "gpt-oss", chart, *options]


def ct_lint() -> list[str]:
    """``ct lint`` of the chart over one ci/ values file, in a copy that has no other."""
    return [str(ROOT / "benchmarks" / "ct_lint_one.sh"), "disagg-gb200"]


def variants(folder: Path) -> list[Path]:
    """Values files that differ in one size."""
    text = TARGET.read_text(encoding="utf-8")
    files = []
    for number in range(VARIANTS):
        file = folder / f"variant-{number:03}.yaml"
        changed = text.replace("concurrencyPerGpu: 256", f"concurrencyPerGpu: {100 + number}")
        file.write_text(changed, encoding="utf-8")
        files.append(file)
    return files


def interleaved(*jobs: Sequence[list[str]], rounds: int = ROUNDS) -> list[float]:
    """Median milliseconds of each job; rounds alternate so that noise hits all alike."""
    times: list[list[float]] = [[] for _ in jobs]
    for _ in range(rounds):
        for job, taken in zip(jobs, times, strict=True):
            started = time.perf_counter()
            for command in job:
                done = subprocess.run(command, capture_output=True, cwd=ROOT, check=False)
                if done.returncode:
                    sys.exit(f"{command}: {done.stdout.decode()}{done.stderr.decode()}")
            taken.append(1000 * (time.perf_counter() - started))
    return [statistics.median(taken) for taken in times]


def row(name: str, measured: float, base: float) -> None:
    """Prints one line."""
    print(f"{name:32} {measured:10.1f} ms   {measured / base:6.2f} x")


if __name__ == "__main__":
    main()
