"""Files as text: the one place where they are read and decoded.

Texts can be laid over files, to check a change before it is written, and standard input, which can
be read only once, is kept for those who need its lines later. Both are of the whole process:
threads that read while texts are laid over are joined before that ends.

This module imports nothing heavy: Helm starts before Python has imported its libraries.
"""

from __future__ import annotations

import errno
import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from gptoss.text.bounds import refuse_link
from gptoss.text.budget import purse
from gptoss.text.errors import InputError
from gptoss.text.raw_files import bytes_of, bytes_of_stream

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

STDIN = "<stdin>"

_texts: dict[Path, str] = {}
# Standard input and what it held, once it is read.
_stdin: list[tuple[object, bytes]] = []


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


def is_there(name: str | Path) -> bool:
    """Whether something lies at a path; nothing does at a name that no file can have."""
    return os.path.exists(name)  # noqa: PTH110 (that of Path raises where a name is too long)


def read_stdin() -> str:
    """Reads standard input, once; from then on it is the content of ``<stdin>``.

    Raises:
        InputError: It is no UTF-8 text, or too large.
    """
    if not _stdin or _stdin[0][0] is not sys.stdin:
        if not sys.stdin:
            raise InputError("standard input is closed; give a file, or a pipe to read from")
        _stdin[:] = [(sys.stdin, bytes_of_stream(sys.stdin.buffer, STDIN))]
    return _decoded(_stdin[0][1], STDIN)


def read_text(path: Path, shown: str | None = None) -> str:
    """The text of a file, or the text laid over it, without a byte order mark.

    Args:
        path: The file.
        shown: What to call it; its path unless given.

    Raises:
        InputError: It cannot be read, is too large, is no UTF-8 text, or a repository's link to
            what is outside.
    """
    name = shown or str(path)
    try:
        content = content_of(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot read {name}: {reason}") from None
    purse().spend_file(name, len(content))
    return _decoded(content, name)


def text_of(file: str) -> str | None:
    """The text of a place's file; None for an argument, a pipe, or what is no text."""
    if file.startswith("--") or (file != STDIN and not Path(file).is_file()):
        return None
    try:
        return read_text(Path(file))
    except InputError:
        return None


def content_of(path: Path) -> bytes:
    """The content of a file, or the text laid over it.

    Raises:
        OSError: It cannot be read.
        OutsideError: It is a link of a repository that leads out.
        InputError: It is too large, or no file.
    """
    if str(path) == STDIN:
        if not _stdin:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), STDIN)
        return _stdin[0][1]
    laid = _texts.get(path.resolve()) if _texts else None
    if laid is not None:
        return laid.encode()
    refuse_link(path)
    return bytes_of(path)


def _decoded(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{name}:{line}: this is not UTF-8 text; save the file as UTF-8") from None
