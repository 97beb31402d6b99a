"""Environments of the real programs: one Dynamo a release, and aiperf, made on first use.

Each is made from a requirement file with hashes (``requirements/live``).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from gptoss.facts import folders
from gptoss.facts.versions import version_number
from gptoss.live.cached import cached, say
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

# aiperf and Dynamo have wheels for these.
OLDEST, NEWEST = (3, 11), (3, 13)
# Variables by which the caller's Python would leak into the environment that is made.
OTHERS = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")


def releases() -> tuple[str, ...]:
    """Dynamo releases that have an environment, oldest first."""
    names = (path.stem.removeprefix("dynamo-") for path in _locks().glob("dynamo-*.txt"))
    return tuple(sorted(names, key=version_number))


def dynamo(release: str) -> Path:
    """Python of the environment of a Dynamo release, made when it is not there yet.

    Raises:
        InputError: There is none for this release, or it cannot be made.
    """
    if release not in releases():
        raise InputError(
            f"there is no environment of Dynamo {release}; there is one for each of "
            f"{', '.join(releases())} (--release)"
        )
    return _environment(f"dynamo-{release}")


def aiperf() -> Path:
    """Python of the environment of aiperf, made when it is not there yet.

    Raises:
        InputError: It cannot be made.
    """
    return _environment(next(_locks().glob("aiperf-*.txt")).stem)


def packages(name: str) -> Path:
    """A folder with the packages of a lock and nothing that they require.

    Raises:
        InputError: It cannot be made.
    """
    lock = _locks() / f"{name}.txt"

    def make(folder: Path) -> None:
        say(f"fetching {name} into {folder} (once)")
        _install(lock, ["--target", str(folder)], sys.executable)

    return cached(name, lock.read_bytes(), make)


def _environment(name: str) -> Path:
    """Python of the environment that a requirement file locks.

    Raises:
        InputError: This Python is too old or too new for it, or it cannot be made.
    """
    version = sys.version_info[:2]
    if not OLDEST <= version <= NEWEST:
        raise InputError(
            f"Dynamo and aiperf run on Python 3.11 to 3.13, and this is {version[0]}.{version[1]}"
        )
    lock = _locks() / f"{name}.txt"

    def make(folder: Path) -> None:
        say(f"making the environment {name} in {folder} (once, some hundred MB)")
        venv = [_uv(), "venv", "--quiet", "--allow-existing", "--python", sys.executable]
        _run(venv if venv[0] else [sys.executable, "-m", "venv"], str(folder))
        _install(lock, [], str(folder / "bin" / "python"))

    return cached(name, f"{version}".encode() + lock.read_bytes(), make) / "bin" / "python"


def _install(lock: Path, options: Sequence[str], python: str) -> None:
    """Installs a lock and nothing else with uv, or with the interpreter's pip without uv.

    A lock is complete but for what NVIDIA publishes elsewhere and no simulation imports.
    """
    uv = _uv()
    pip = [uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", python]
    if not uv:
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run(pip, "--require-hashes", "--no-deps", *options, "-r", str(lock))


def _uv() -> str:
    """The uv beside the interpreter, or the one on the path; empty when there is none."""
    beside = Path(sys.executable).with_name("uv")
    return str(beside) if beside.is_file() else shutil.which("uv") or ""


def _run(words: Sequence[str], *more: str) -> None:
    variables = {name: value for name, value in os.environ.items() if name not in OTHERS}
    done = subprocess.run([*words, *more], env=variables, capture_output=True, text=True)
    if done.returncode:
        said = "\n".join((done.stderr or done.stdout).strip().splitlines()[-8:])
        raise InputError(f"`{' '.join([*words[:3], '…'])}` has failed:\n{said}")


def _locks() -> Path:
    return folders.root() / "requirements" / "live"
