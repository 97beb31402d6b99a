"""Write the generated files, or tell which of them are stale.

`PYTHONPATH=tools python -m generate` writes what has changed and prints its name;
`--verify` writes nothing, prints what is stale and exits 1 if anything is.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from generate.chart import chart_facts, chart_readme, values_schema
from generate.cli_schema import cli_schema
from generate.engine_schema import engine_schema
from generate.readme import readme
from generate.resource_schema import resource_schema
from generate.rule_reference import rule_reference
from generate.target_pages import target_pages
from gptoss.text.whole_files import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

ROOT = Path(__file__).resolve().parents[2]

# Each returns the whole text of its files by their path relative to the repository's root.
GENERATORS: list[Callable[[], dict[Path, str]]] = [
    engine_schema,
    cli_schema,
    resource_schema,
    values_schema,
    chart_facts,
    chart_readme,
    rule_reference,
    target_pages,
    readme,
]


def stale(root: Path, generators: Iterable[Callable[[], dict[Path, str]]]) -> dict[Path, str]:
    """Return the generated files whose text on disk differs or is missing, with their new text."""
    wanted: dict[Path, str] = {}
    for generator in generators:
        wanted |= generator()
    return {path: text for path, text in sorted(wanted.items()) if read(root / path) != text}


def read(path: Path) -> str | None:
    """Return a file's text, or None when there is no such file."""
    return path.read_text(encoding="utf-8") if path.is_file() else None


def main() -> int:
    """Run the command line and return its exit code."""
    parser = argparse.ArgumentParser(prog="generate", description=__doc__.splitlines()[0])
    parser.add_argument("--verify", action="store_true", help="only tell which files are stale")
    arguments = parser.parse_args()
    changed = stale(ROOT, GENERATORS)
    for path, text in changed.items():
        if not arguments.verify:
            write_whole(ROOT / path, text)
        print(f"{'stale' if arguments.verify else 'wrote'} {path}")
    if arguments.verify and changed:
        print("run `make generate` and commit the result", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
