"""Where the chart, the shipped targets and the facts are: beside the package or in the checkout."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from gptoss.text.errors import InputError

# "# Overlay: …" at the start of a shipped values file says that it fits every target, and
# "# Overlay for agg-*, eval-tp*: …" which.
OVERLAY = re.compile(r"# Overlay(?: for (?P<targets>[^:\n]+))?: ")


@cache
def root() -> Path:
    """The folder that holds ``schema/``, ``values/`` and ``charts/``.

    Raises:
        InputError: Neither an installed package's data nor a checkout is there.
    """
    package = Path(__file__).resolve().parents[1]
    for candidate in (package / "_data", package.parent.parent):
        if (candidate / "schema" / "releases.yaml").is_file():
            return candidate
    raise InputError("the data files of gptoss are missing; install the package again")


def chart() -> Path:
    """The chart's folder."""
    return root() / "charts" / "gpt-oss"


def values_files() -> dict[str, Path]:
    """The shipped values files, targets and overlays, by name."""
    files = (root() / "values").glob("*.yaml")
    return {path.stem: path for path in sorted(files, key=lambda path: path.stem)}


def overlay_for(text: str) -> tuple[str, ...] | None:
    """Patterns of names of the targets that a shipped overlay is made for; None for a target."""
    declared = OVERLAY.match(text)
    if declared is None:
        return None
    return tuple(pattern.strip() for pattern in (declared["targets"] or "*").split(","))
