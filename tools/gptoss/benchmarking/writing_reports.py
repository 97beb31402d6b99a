"""Reports in the form that is asked for, to a file or to standard output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.text.errors import InputError
from gptoss.text.whole_files import write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from gptoss.benchmarking.run_report import Report

ENDINGS = {
    ".txt": "text",
    ".json": "json",
    ".csv": "csv",
}


def form_of(given: str | None, output: Path | None) -> str:
    """The form that is given, else the one that a file's ending means, else text.

    Raises:
        InputError: The ending means none.
    """
    if given or output is None:
        return given or "text"
    form = ENDINGS.get(output.suffix.lower())
    if form is None:
        endings = ", ".join(ENDINGS)
        raise InputError(f"--output {output}: give --format, or an ending among {endings}")
    return form


def write(report: Report, form: str, output: Path | None) -> str | None:
    """Writes a report, whole or not at all.

    Returns:
        The text for standard output when no file is to be written.

    Raises:
        InputError: A file cannot be written.
    """
    text = rendered(report, form)
    if output is None:
        return text
    write_whole(output, f"{text}\n")
    return None


def rendered(report: Report, form: str) -> str:
    """A report as text."""
    from gptoss.benchmarking import as_data
    from gptoss.benchmarking.as_text import as_text

    if form == "json":
        return as_data.as_json(report)
    return as_data.as_csv(report) if form == "csv" else as_text(report)
