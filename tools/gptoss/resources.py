"""Where the chart, the shipped targets and the facts are: beside the package or in the checkout."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from gptoss.errors import InputError


@cache
def root() -> Path:
    """The folder that holds ``schema/``, ``values/`` and ``charts/``.

    Raises:
        InputError: Neither an installed package's data nor a checkout is there.
    """
    package = Path(__file__).resolve().parent
    for candidate in (package / "_data", package.parent.parent):
        if (candidate / "schema" / "releases.yaml").is_file():
            return candidate
    raise InputError("the data files of gptoss are missing; install the package again")


def chart() -> Path:
    """The chart's folder."""
    return root() / "charts" / "gpt-oss"


def values_files() -> dict[str, Path]:
    """The shipped values files, targets and overlays, by name."""
    return {path.stem: path for path in sorted((root() / "values").glob("*.yaml"))}
