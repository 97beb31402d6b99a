"""Runs an evaluation and keeps its results: ``accuracy.py FOLDER python3 -m gpt_oss.evals …``.

gpt_oss.evals writes to /tmp, one report and two JSON files for each evaluation and effort.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

WRITTEN_TO = Path("/tmp")  # noqa: S108 (gpt_oss.evals has no flag for it)
RESULTS = ("*_temp*.json", "*_temp*.html")
WHOLE = "_allresults.json"


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


def main(arguments: list[str]) -> int:
    """Runs the evaluation, keeps and prints what it wrote, and gives its exit code."""
    folder, *command = arguments
    Path(folder).mkdir(parents=True, exist_ok=True)
    before = found()
    code = run(command)
    for result in sorted(path for path, changed in found().items() if before.get(path) != changed):
        kept = shutil.copy(result, folder)
        if result.suffix == ".json" and not result.name.endswith(WHOLE):
            print(f"{kept}:\n{result.read_text(encoding='utf-8')}", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
