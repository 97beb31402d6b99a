"""Files that are written whole: a reader sees the old content or the new one, never a part.

Nothing is written through a link: one that stands where a file goes is replaced, for whoever may
change a repository would choose what is written.

This module imports nothing heavy: the command line is judged before Helm starts.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from gptoss.text.bounds import refuse_way
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

# The process's own streams, which are links.
STREAMS = ("/dev/std", "/dev/fd/", "/proc/self/fd/")
PRIVATE = 0o600


def check_writable(path: Path) -> None:
    """Asks before long work whether its result can be written.

    Raises:
        InputError: It cannot.
    """
    if path.is_dir():
        raise InputError(f"cannot write {path}: it is a folder; name a file")
    refuse_way(path)
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise InputError(f"cannot write {path}: {folder} is no folder that you may write to")


def write_whole(path: Path, text: str, *, private: bool = False) -> None:
    """Writes a file in one step, with the folders that it needs.

    Args:
        path: The file; a pipe and the process's own streams are written as they are.
        text: Its content.
        private: Whether nobody else may read it.

    Raises:
        InputError: It cannot be written, or links lead out of the repository on the way to it.
    """
    write_bytes(path, text.encode(), private=private)


def write_bytes(path: Path, content: bytes, *, private: bool = False) -> None:
    """The same of what is no text.

    Raises:
        InputError: It cannot be written, or links lead out of the repository on the way to it.
    """
    refuse_way(path)
    try:
        if _is_stream(path):
            path.write_bytes(content)
            return
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None
    write_together({path: content}, private=[path] if private else [])


def write_together(
    files: Mapping[Path, bytes],
    *,
    executable: Collection[Path] = (),
    private: Collection[Path] = (),
) -> None:
    """Writes files that belong together: all are ready before the first takes its place.

    Args:
        files: Contents by path.
        executable: Those that may be run by whoever may read them.
        private: Those that nobody else may read.

    Raises:
        InputError: One cannot be written, or links lead out of the repository on the way to it;
            none is written then unless replacing itself fails.
    """
    new: list[tuple[Path, Path]] = []
    path = Path()
    try:
        for path, content in files.items():
            if path.is_dir() and not path.is_symlink():
                raise InputError(f"cannot write {path}: it is a folder")
            refuse_way(path)
            path.parent.mkdir(parents=True, exist_ok=True)
            mode = _mode(path) & PRIVATE if path in private else _mode(path)
            mode |= (mode & 0o444) >> 2 if path in executable else 0
            new.append((_staged(path, content, mode), path))
        for temporary, path in new:
            temporary.replace(path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        for temporary, _ in new:
            temporary.unlink(missing_ok=True)


def _is_stream(path: Path) -> bool:
    """Whether a path is a pipe, a terminal or a device; a link to one is a link."""
    if os.path.abspath(path).startswith(STREAMS):  # noqa: PTH100 (keeps links)
        return path.exists()
    return path.exists() and not (path.is_file() or path.is_dir() or path.is_symlink())


def _mode(path: Path) -> int:
    """The permissions of a file, and those of new ones where there is none."""
    if path.is_file() and not path.is_symlink():
        return path.stat().st_mode & 0o7777
    current = os.umask(0)
    os.umask(current)
    return 0o666 & ~current


def _staged(path: Path, content: bytes, mode: int) -> Path:
    """A new file beside another, ready to be put in its place."""
    import tempfile

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
