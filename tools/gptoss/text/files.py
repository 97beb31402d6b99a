"""Texts that are read instead of what stands in files, to check a change before it is written.

Standard input can be read once only, so it is kept here for those who need its lines later.

This module imports nothing heavy: Helm starts before Python has imported its libraries.
"""

from __future__ import annotations

import errno
import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

STDIN = "<stdin>"

_texts: dict[Path, str] = {}
_stdin: list[bytes] = []


@contextmanager
def laid_over(texts: Mapping[Path, str]) -> Iterator[None]:
    """While it lasts, files are read as these texts, by resolved path; by Helm too."""
    before = dict(_texts)
    _texts.clear()
    _texts.update(texts)
    try:
        yield
    finally:
        _texts.clear()
        _texts.update(before)


def texts_laid_over() -> Mapping[Path, str]:
    """The texts that are read instead of files at the moment, by resolved path."""
    return _texts


def read_stdin() -> bytes:
    """Reads standard input; from then on it is the content of ``<stdin>``."""
    _stdin[:] = [sys.stdin.buffer.read()]
    return _stdin[0]


def text_of(file: str) -> str | None:
    """The text of a place's file; None for an argument, or what is no text."""
    if file.startswith("--"):
        return None
    try:
        return content_of(Path(file)).decode("utf-8-sig")
    except (OSError, ValueError):
        return None


def content_of(path: Path) -> bytes:
    """The content of a file, or the text laid over it.

    Raises:
        OSError: It cannot be read.
    """
    if str(path) == STDIN:
        if not _stdin:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), STDIN)
        return _stdin[0]
    laid = _texts.get(path.resolve()) if _texts else None
    return path.read_bytes() if laid is None else laid.encode()
