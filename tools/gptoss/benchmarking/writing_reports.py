"""Reports in the form that is asked for, to a file or to standard output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.text.errors import InputError
from gptoss.text.whole_files import write_together, write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from gptoss.benchmarking.run_report import Report

ENDINGS = {
    ".txt": "text",
    ".json": "json",
    ".csv": "csv",
    ".md": "markdown",
    ".html": "html",
    ".htm": "html",
}
IN_FOLDER = "report.md"


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
    """Writes a report with its pictures, all of it or nothing.

    Returns:
        The text for standard output when no file is to be written.

    Raises:
        InputError: A file cannot be written.
    """
    if output is None:
        return rendered(report, form)
    if form != "markdown":
        write_whole(output, f"{rendered(report, form)}\n")
        return None
    from gptoss.benchmarking.as_markdown import as_markdown

    path = output if output.suffix else output / IN_FOLDER
    prefix = f"{path.stem}-" if output.suffix else ""
    text, files = as_markdown(report, prefix)
    pictures = {path.parent / name: svg.encode() for name, svg in files.items()}
    write_together({path: f"{text}\n".encode(), **pictures})
    return None


def rendered(report: Report, form: str) -> str:
    """A report as one text."""
    from gptoss.benchmarking import as_data
    from gptoss.benchmarking.as_markdown import as_markdown
    from gptoss.benchmarking.as_text import as_text
    from gptoss.benchmarking.page import as_html

    forms = {
        "text": as_text,
        "json": as_data.as_json,
        "csv": as_data.as_csv,
        "markdown": lambda found: as_markdown(found)[0],
        "html": as_html,
    }
    return forms[form](report)
