"""Where reports go: standard output and files.

This module imports nothing heavy: the command line is judged before Helm starts.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from gptoss.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

# Formats that a file's ending can mean; the first is meant when no --format says otherwise.
ENDINGS = {
    ".sarif": ("sarif",),
    ".json": ("json", "gitlab", "sarif"),
    ".xml": ("junit",),
    ".txt": ("text", "github"),
}
DEFAULT = "text"


def outputs(formats: Sequence[str], files: Sequence[str]) -> list[tuple[str, Path | None]]:
    """Pairs ``--format`` and ``--output``.

    Each file takes the first ``--format`` that is left and goes with its ending, else the format
    that its ending means. The ``--format`` that no file takes goes to standard output (None).
    Without any ``--format`` standard output gets text.

    Raises:
        InputError: Two formats are left for standard output, two files are one, or a file's
            ending says nothing and no format is left for it.
    """
    left = list(formats) if formats else [DEFAULT]
    pairs: list[tuple[str, Path | None]] = []
    for file in files:
        path = Path(file)
        if path in [taken for _, taken in pairs]:
            raise InputError(f"--output {file}: it is given twice; give each report a file")
        pairs.append((_format(path, left if formats else []), path))
        if formats and pairs[-1][0] in left:
            left.remove(pairs[-1][0])
    if len(left) > 1:
        raise InputError(
            f"--format {' and '.join(left)}: standard output takes one; give the others --output"
        )
    return [*pairs, *((form, None) for form in left)]


def _format(path: Path, left: Sequence[str]) -> str:
    """The format of a file."""
    meant = ENDINGS.get(path.suffix.lower())
    fitting = [form for form in left if meant is None or form in meant]
    if fitting:
        return fitting[0]
    if meant is None:
        endings = ", ".join(ENDINGS)
        raise InputError(f"--output {path}: give its --format, or an ending among {endings}")
    return meant[0]


def write_whole(path: Path, text: str) -> None:
    """Writes a file in one step: readers see the old content or the whole new one.

    Raises:
        InputError: It cannot be written.
    """
    try:
        if path.exists() and not path.is_file():  # a pipe or a terminal
            path.write_text(text, encoding="utf-8")
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path.resolve(), text)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None


def _replace(path: Path, text: str) -> None:
    import tempfile

    mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        Path(temporary).chmod(mode)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
