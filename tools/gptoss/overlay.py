"""Texts that are read instead of what stands in files, to check a change before it is written.

Standard input can be read once only, so it is kept here for those who need its lines later.

This module imports nothing heavy: Helm starts before Python has imported its libraries.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gptoss import resources

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


@dataclass(frozen=True, slots=True)
class Laid:
    """Where the chart and values files stand on disk while texts are laid over them.

    Attributes:
        chart: A copy of the chart.
        files: Copies of files, by resolved path.
    """

    chart: Path
    files: Mapping[Path, Path]

    def file(self, path: Path) -> Path:
        """The copy of a file that a text is laid over, else the file itself."""
        return self.files.get(path.resolve(), path)


@contextmanager
def on_disk() -> Iterator[Laid | None]:
    """Puts the texts on disk while it lasts, for Helm; None when there are none."""
    if not _texts:
        yield None
        return
    original = resources.chart().resolve()
    with tempfile.TemporaryDirectory(prefix="gptoss-") as name:
        chart = Path(name, original.name)
        shutil.copytree(original, chart)
        files = {}
        for number, (path, text) in enumerate(_texts.items()):
            if original in path.parents:
                copy = chart / path.relative_to(original)
                copy.unlink(missing_ok=True)
            else:
                copy = Path(name, f"{number}.yaml")
            copy.write_bytes(text.encode())
            files[path] = copy
        yield Laid(chart, files)
