"""Files that are written whole: a reader sees the old content or the new one, never a part.

This module imports nothing heavy: the command line is judged before Helm starts.
"""

from __future__ import annotations

import os
from pathlib import Path

from gptoss.text.errors import InputError


def check_writable(path: Path) -> None:
    """Asks before long work whether its result can be written.

    Raises:
        InputError: It cannot.
    """
    if path.is_dir():
        raise InputError(f"cannot write {path}: it is a folder; name a file")
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise InputError(f"cannot write {path}: {folder} is no folder that you may write to")


def write_whole(path: Path, text: str) -> None:
    """Writes a file in one step, with the folders that it needs.

    Raises:
        InputError: It cannot be written.
    """
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """The same of what is no text.

    Raises:
        InputError: It cannot be written.
    """
    try:
        if path.exists() and not path.is_file():  # a pipe or a terminal
            path.write_bytes(content)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        target = path.resolve()
        staged(target, content).replace(target)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None


def staged(path: Path, content: bytes) -> Path:
    """A new file beside another, with its mode, ready to be put in its place.

    Raises:
        OSError: It cannot be written; nothing is left behind then.
    """
    import tempfile

    mode = path.stat().st_mode & 0o7777 if path.exists() else 0o666 & ~_umask()
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    new = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        new.chmod(mode)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    return new


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
