"""Runs an evaluation and keeps its results: ``accuracy.py FOLDER python3 -m gpt_oss.evals …``.

gpt_oss.evals writes to /tmp, one report and two JSON files for each evaluation and effort. They go
to a new folder below FOLDER, named by the time, with what the chart says of the target:
target.json, where it lies beside this script.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

WRITTEN_TO = Path("/tmp")  # noqa: S108 (gpt_oss.evals has no flag for it)
RESULTS = ("*_temp*.json", "*_temp*.html")
WHOLE = "_allresults.json"
TARGET = Path(__file__).with_name("target.json")


def found() -> dict[Path, int]:
    """Results that lie where evaluations write them, with the time of their last change."""
    paths = (path for pattern in RESULTS for path in WRITTEN_TO.glob(pattern))
    return {path: path.stat().st_mtime_ns for path in paths}


def run(command: list[str]) -> int:
    """Runs a command to its end and gives its exit code; a request to stop is passed on."""
    with subprocess.Popen(command) as process:
        before = {
            signal.SIGINT: signal.signal(signal.SIGINT, lambda *_: None),
            signal.SIGTERM: signal.signal(signal.SIGTERM, lambda *_: process.terminate()),
        }
        code = process.wait()
    for number, handler in before.items():
        signal.signal(number, handler)
    return code if code >= 0 else 128 - code


def new_folder(base: Path) -> Path:
    """A new folder for a run, named by its time."""
    started = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    folder, number = base / started, 1
    while folder.exists():
        number += 1
        folder = base / f"{started}-{number}"
    folder.mkdir(parents=True)
    return folder


def main(arguments: list[str]) -> int:
    """Runs the evaluation, keeps and prints what it wrote, and gives its exit code."""
    base, *command = arguments
    folder = new_folder(Path(base))
    if TARGET.is_file():
        shutil.copyfile(TARGET, folder / TARGET.name)
    before = found()
    code = run(command)
    for result in sorted(path for path, changed in found().items() if before.get(path) != changed):
        kept = shutil.copy(result, folder)
        if result.suffix == ".json" and not result.name.endswith(WHOLE):
            print(f"{kept}:\n{result.read_text(encoding='utf-8')}", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
