"""Folders that are made once and kept: whole or not at all, also when two make one at a time."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

READY = ".ready"
DIGITS = 12


def cached(name: str, made_from: bytes, make: Callable[[Path], None]) -> Path:
    """A folder below the user's cache, made now unless it is there.

    Args:
        name: What it is, the first part of its name.
        made_from: What it is made from; other content is another folder.
        make: Fills the empty folder that it is given.

    Raises:
        InputError: The folder cannot be written.
    """
    folder = _folder(name, made_from)
    if (folder / READY).exists():
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with Path(f"{folder}.lock").open("w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (folder / READY).exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                make(folder)
                (folder / READY).touch()
    except OSError as error:
        raise InputError(f"cannot make {folder}: {error.strerror or error}") from None
    return folder


def is_cached(name: str, made_from: bytes) -> bool:
    """Whether ``cached`` has its folder already."""
    return (_folder(name, made_from) / READY).exists()


def _folder(name: str, made_from: bytes) -> Path:
    return _root() / f"{name}-{hashlib.sha256(made_from).hexdigest()[:DIGITS]}"


def say(message: str) -> None:
    """Tells of work that takes a while, where it is not in the way of output."""
    sys.stderr.write(f"gptoss: {message}\n")
    sys.stderr.flush()


def _root() -> Path:
    given = os.environ.get("XDG_CACHE_HOME")
    return Path(given or Path.home() / ".cache") / "gptoss" / "live"
