"""Reports in the form that is asked for, to a file or to standard output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.text.errors import InputError
from gptoss.text.whole_files import staged, write_whole

if TYPE_CHECKING:
    from collections.abc import Mapping
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
    write_all({path: f"{text}\n", **{path.parent / name: svg for name, svg in files.items()}})
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


def write_all(files: Mapping[Path, str]) -> None:
    """Writes files that belong together: all are ready before the first takes its place.

    Raises:
        InputError: One cannot be written.
    """
    for path in files:
        if path.is_dir():
            raise InputError(f"cannot write {path}: it is a folder")
    new: list[tuple[Path, Path]] = []
    try:
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            new.append((staged(path, text.encode()), path))
        for temporary, path in new:
            temporary.replace(path)
    except OSError as error:
        for temporary, _ in new:
            temporary.unlink(missing_ok=True)
        folder = next(iter(files)).parent
        raise InputError(f"cannot write to {folder}: {error.strerror or error}") from None
