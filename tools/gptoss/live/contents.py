"""What lies in a folder that is kept: a record of its files, and what has changed since."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COMPILED = "__pycache__"


def record(folder: Path) -> str:
    """A record of all files below a folder, as JSON: by path the file's state and its SHA-256.

    Raises:
        OSError: A file cannot be read.
    """
    return json.dumps({name: [*state, _digest(folder / name)] for name, state in _states(folder)})


def changed(folder: Path, recorded: str) -> tuple[str, bool]:
    """What is otherwise than recorded.

    Only what has another state than it had is read: a write changes the time of a file's inode,
    which no program can set. What Python compiled since is not looked at.

    Args:
        folder: The folder.
        recorded: What ``record`` gave of it.

    Returns:
        The first file that is new, gone or of another content, '' where none is; and whether files
        of the same content have another state, so that a new record spares reading them.

    Raises:
        OSError: A file cannot be read.
    """
    left: dict[str, list[Any]] = json.loads(recorded)
    moved = False
    for name, state in _states(folder):
        *before, digest = left.pop(name, [None])
        if before == state:
            continue
        if digest is None and f"/{COMPILED}/" in f"/{name}":
            continue
        if digest != _digest(folder / name):
            return name, moved
        moved = True
    return next(iter(left), ""), moved


def _states(folder: Path) -> Iterator[tuple[str, list[int]]]:
    """Files and links below a folder by path, each with size, mode and time of its inode."""
    waiting = [""]
    while waiting:
        below = waiting.pop()
        with os.scandir(folder / below) as entries:
            for entry in entries:
                name = f"{below}{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(f"{name}/")
                    continue
                stat = entry.stat(follow_symlinks=False)
                yield name, [stat.st_size, stat.st_mode, stat.st_ctime_ns]


def _digest(path: Path) -> str:
    """The SHA-256 of a file's content, or where a link leads to."""
    if path.is_symlink():
        return f"-> {path.readlink()}"
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
