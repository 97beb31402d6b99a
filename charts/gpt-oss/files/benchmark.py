"""Runs aiperf and prints its summary, so that the log holds the result."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SUMMARY = "profile_export_aiperf.json"


def main(command: list[str]) -> int:
    """Runs the command given, ``aiperf profile …``, and gives its exit code."""
    code = subprocess.run(command, check=False).returncode
    artifacts = Path(command[command.index("--artifact-dir") + 1])
    for summary in sorted(artifacts.rglob(SUMMARY)):
        print(f"{summary}:\n{summary.read_text(encoding='utf-8')}", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
