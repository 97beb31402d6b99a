"""Bring the files that tests/corpus/ci.yaml names to a folder, each as it was at its commit.

    .venv/bin/python tools/setup/ci_corpus.py FOLDER

Then `GPTOSS_CORPUS_CI=FOLDER pytest tests/corpus/test_ci.py` checks them. They are NVIDIA's and
stay outside this repository. What is there already is not asked for again.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import yaml

REFERENCES = Path(__file__).resolve().parents[2] / "tests" / "corpus" / "ci.yaml"
SERVER = "https://raw.githubusercontent.com"


def bring(row: dict[str, str], folder: Path, server: str) -> str:
    """Bring one file; returns what went wrong, '' if nothing."""
    repository, commit = row["repository"], row["commit"]
    path = f"{row['folder']}/{row['name']}"
    place = folder / repository / commit[:7] / path
    if place.is_file():
        return ""
    address = f"{server}/{repository}/{commit}/{path}"
    try:
        with urlopen(address, timeout=60) as answer:  # noqa: S310 (an address of ours)
            content = answer.read()
    except (URLError, TimeoutError) as error:
        return f"{address}: {error}"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)
    return ""


def main() -> int:
    """Run the command line and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--from", dest="server", default=SERVER, help=f"default: {SERVER}")
    asked = parser.parse_args()
    rows = yaml.safe_load(REFERENCES.read_text(encoding="utf-8"))
    with ThreadPoolExecutor(4) as pool:
        wrong = [*filter(None, pool.map(lambda row: bring(row, asked.folder, asked.server), rows))]
    sys.stderr.writelines(f"{each}\n" for each in wrong)
    return 2 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
