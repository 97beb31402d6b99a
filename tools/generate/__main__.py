"""Write the generated files, or tell which of them are stale.

`PYTHONPATH=tools python -m generate` writes what has changed and prints its name;
`--verify` writes nothing, prints what is stale and exits 1 if anything is.
Where facts are missing or wrong, both print all of them and exit 2.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from generate.facts import faults_of_facts
from gptoss.text.errors import InputError
from gptoss.text.whole_files import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parents[2]


def stale(root: Path, generator: Callable[[], dict[Path, str]]) -> Iterator[tuple[Path, str]]:
    """Yield the generated files whose text on disk differs or is missing, with their new text."""
    for path, text in sorted(generator().items()):
        if read(root / path) != text:
            yield path, text


def read(path: Path) -> str | None:
    """Return a file's text, or None when there is no such file."""
    return path.read_text(encoding="utf-8") if path.is_file() else None


def run(*, write: bool) -> bool:
    """Write what is stale, or only print it; return whether anything was."""
    # The generators read facts when they are imported, and wrong ones are told before that.
    from generate.generators import GENERATORS

    found = False
    for generator in GENERATORS:
        for path, text in stale(ROOT, generator):
            found = True
            if write:
                write_whole(ROOT / path, text)
            print(f"{'wrote' if write else 'stale'} {path}")
    return found


def main() -> int:
    """Run the command line and return its exit code."""
    parser = argparse.ArgumentParser(prog="generate", description=__doc__.splitlines()[0])
    parser.add_argument("--verify", action="store_true", help="only tell which files are stale")
    arguments = parser.parse_args()
    if wrong := faults_of_facts():
        print("\n".join(wrong), file=sys.stderr)
        return 2
    try:
        found = run(write=not arguments.verify)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    if arguments.verify and found:
        print("run `make generate` and commit the result", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
