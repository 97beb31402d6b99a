"""Where the chart, the shipped targets and the facts are: beside the package or in the checkout."""

from __future__ import annotations

import os
import re
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from types import ModuleType

# "# Overlay: …" at the start of a shipped values file, below the address of its schema, says that
# it fits every target, and "# Overlay for agg-*, eval-tp*: …" which.
OVERLAY = re.compile(r"(?:# yaml-language-server: .*\n)?# Overlay(?: for (?P<targets>[^:\n]+))?: ")


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


def chart_file(*parts: str) -> Path | None:
    """A file of the chart that values name; None where it has none, as it has none outside it."""
    path = os.path.normpath(chart().joinpath(*parts))
    return Path(path) if Path(path).is_relative_to(chart()) and os.path.isfile(path) else None  # noqa: PTH113 (takes any name)


def chart_defaults() -> Path:
    """The file that holds every key of the chart's values with its default."""
    return chart() / "defaults.yaml"


def chart_script(name: str) -> Path:
    """A script that the chart's pods run."""
    return chart() / "files" / name


@cache
def chart_module(name: str) -> ModuleType:
    """A script of the chart's pods as a module, so that what it knows stands once."""
    import importlib.util

    path = chart_script(name)
    spec = importlib.util.spec_from_file_location(f"gptoss_chart_{path.stem}", path)
    assert spec is not None  # noqa: S101
    assert spec.loader is not None  # noqa: S101
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for it
    spec.loader.exec_module(module)
    return module


def values_schema() -> Path:
    """The JSON Schema of the chart's values."""
    return chart() / "values.schema.json"


def values_schema_line(folder: Path | None) -> str:
    """The comment that tells editors the schema of a values file.

    Args:
        folder: Where the file is written; None when that is not known.

    Returns:
        The line with its end. The schema's path is relative to the folder when both are in one
        checkout, so that it holds for everybody who has it.
    """
    schema = values_schema()
    address = schema.as_uri()
    if folder is not None and folder.resolve().is_relative_to(root()):
        address = Path(os.path.relpath(schema, folder.resolve())).as_posix()
    return f"# yaml-language-server: $schema={address}\n"


def values_files() -> dict[str, Path]:
    """The shipped values files, targets and overlays, by name."""
    files = (root() / "values").glob("*.yaml")
    return {path.stem: path for path in sorted(files, key=lambda path: path.stem)}


def target_files() -> dict[str, Path]:
    """The shipped targets' values files, by name."""
    return {name: path for name, path in values_files().items() if not _is_overlay(path)}


def overlay_files() -> dict[str, Path]:
    """The shipped overlays' values files, by name."""
    return {name: path for name, path in values_files().items() if _is_overlay(path)}


def _is_overlay(path: Path) -> bool:
    return overlay_for(path.read_text(encoding="utf-8")) is not None


def overlay_for(text: str) -> tuple[str, ...] | None:
    """Patterns of names of the targets that a shipped overlay is made for; None for a target."""
    declared = OVERLAY.match(text)
    if declared is None:
        return None
    return tuple(pattern.strip() for pattern in (declared["targets"] or "*").split(","))
