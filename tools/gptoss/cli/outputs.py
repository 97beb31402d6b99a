"""Which report goes to standard output, and which to which file.

This module imports nothing heavy: the command line is judged before Helm starts.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gptoss.text.errors import InputError

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
