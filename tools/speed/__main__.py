"""Asks the library: ``python -m speed`` writes ``schema/speed.yaml``, ``--verify`` compares."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gptoss.planning.steps.library import library
from gptoss.text.errors import InputError
from gptoss.text.whole_files import write_whole
from speed.speed_file import written

FILE = Path(__file__).resolve().parents[2] / "schema" / "speed.yaml"


def main() -> int:
    """Run the command line and return its exit code."""
    parser = argparse.ArgumentParser(prog="speed", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--verify", action="store_true", help="compare with the file instead")
    options = parser.parse_args()
    try:
        with library() as times:
            text = written(times)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    if options.verify:
        stale = FILE.read_text(encoding="utf-8") != text
        if stale:
            print("schema/speed.yaml is stale: run `make speed`", file=sys.stderr)
        return int(stale)
    write_whole(FILE, text)
    print("wrote schema/speed.yaml; run `make generate`")
    return 0


if __name__ == "__main__":
    sys.exit(main())
