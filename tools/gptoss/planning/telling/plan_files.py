"""Files that ``gptoss plan`` writes: pictures, text and data, by the endings of their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.text.errors import InputError
from gptoss.text.whole_files import check_writable, write_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from gptoss.planning.telling.planned import Planned


def check_files(paths: Sequence[Path]) -> None:
    """Whether files can be made, asked before anything is predicted.

    Raises:
        InputError: An ending means nothing, a file is given twice or cannot be written, or what
            makes PNG is not installed.
    """
    for number, path in enumerate(paths):
        check_writable(path)
        if path in paths[:number]:
            raise InputError(f"--output {path}: it is given twice")
        if path.suffix.lower() not in FORMS:
            endings = ", ".join(FORMS)
            raise InputError(f"--output {path}: end it in one of {endings}")
        if path.suffix.lower() == ".png":
            from gptoss.drawing.png import check_available

            check_available()


def write_files(paths: Sequence[Path], every: Sequence[Planned]) -> None:
    """Writes what was found into each file, whole or not at all.

    Raises:
        InputError: There is nothing that a picture could show, or a file cannot be written.
    """
    for path in paths:
        write_bytes(path, FORMS[path.suffix.lower()](every))


def _text(every: Sequence[Planned]) -> bytes:
    from gptoss.planning.telling.plan_report import text_of

    return f"{text_of(every)}\n".encode()


def _json(every: Sequence[Planned]) -> bytes:
    from gptoss.planning.telling.plan_report import json_of

    return f"{json_of(every)}\n".encode()


def _svg(every: Sequence[Planned]) -> bytes:
    from gptoss.drawing.style import STYLE
    from gptoss.planning.telling.plan_picture import picture_of

    return f"{picture_of(every).render(STYLE)}\n".encode()


def _png(every: Sequence[Planned]) -> bytes:
    from gptoss.drawing.png import as_png
    from gptoss.planning.telling.plan_picture import picture_of

    return as_png(picture_of(every))


FORMS: dict[str, Callable[[Sequence[Planned]], bytes]] = {
    ".txt": _text,
    ".json": _json,
    ".svg": _svg,
    ".png": _png,
}
