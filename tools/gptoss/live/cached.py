"""Folders that are made once and kept: whole or not at all, also when two make one at a time.

Beside each lies a record of its files, which is compared when it is used again.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from gptoss.live.contents import changed, record
from gptoss.text.errors import InputError
from gptoss.text.whole_files import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable

READY = ".ready"
DIGITS = 12


def cached(name: str, made_from: bytes, make: Callable[[Path], None]) -> Path:
    """A folder below the user's cache, made now unless it is there as it was made.

    Args:
        name: What it is, the first part of its name.
        made_from: What it is made from; other content is another folder.
        make: Fills the empty folder that it is given.

    Raises:
        InputError: The folder cannot be written.
    """
    folder = _folder(name, made_from)
    try:
        if _other(folder) == "":
            return folder
        folder.parent.mkdir(parents=True, exist_ok=True)
        with Path(f"{folder}.lock").open("w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if other := _other(folder):
                say(f"{folder} is not as it was made ({other} has changed): making it anew")
            if other != "":
                shutil.rmtree(folder, ignore_errors=True)
                _record_of(folder).unlink(missing_ok=True)
                folder.mkdir()
                make(folder)
                (folder / READY).touch()
                write_whole(_record_of(folder), record(folder))
    except OSError as error:
        raise InputError(f"cannot make {folder}: {error.strerror or error}") from None
    return folder


def filled(name: str, made_from: bytes) -> Path:
    """A folder below the user's cache that whoever uses it fills.

    Args:
        name: What it holds, the first part of its name.
        made_from: What it depends on; other content is another folder.

    Raises:
        InputError: The folder cannot be made.
    """
    folder = _folder(name, made_from)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make {folder}: {error.strerror or error}") from None
    return folder


def is_cached(name: str, made_from: bytes) -> bool:
    """Whether ``cached`` has its folder already."""
    return (_folder(name, made_from) / READY).exists()


def _other(folder: Path) -> str | None:
    """What is otherwise in a folder than it was made: '' where nothing is, None without one.

    One without a record, made by a version that wrote none, is trusted as it is and gets one.

    Raises:
        OSError: A file cannot be read.
    """
    if not (folder / READY).exists():
        return None
    kept, may_write = _record_of(folder), os.access(folder.parent, os.W_OK)
    if kept.exists():
        try:
            other, moved = changed(folder, kept.read_text(encoding="utf-8"))
        except ValueError:
            other, moved = kept.name, False
    else:
        other, moved = "", True
        if may_write:
            say(f"{folder} was kept without a record of its files: trusted as it is, and noted")
    if moved and may_write and not other:
        write_whole(kept, record(folder))
    return other


def _record_of(folder: Path) -> Path:
    return Path(f"{folder}.json")


def _folder(name: str, made_from: bytes) -> Path:
    return _root() / f"{name}-{hashlib.sha256(made_from).hexdigest()[:DIGITS]}"


def say(message: str) -> None:
    """Tells of work that takes a while, where it is not in the way of output."""
    sys.stderr.write(f"gptoss: {message}\n")
    sys.stderr.flush()


def _root() -> Path:
    given = os.environ.get("XDG_CACHE_HOME")
    return Path(given or Path.home() / ".cache") / "gptoss" / "live"
