"""Environments of the real programs: one Dynamo a release, aiperf, and the performance data.

Each is made on first use from a requirement file with hashes (``requirements/live``).
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from gptoss.facts import folders
from gptoss.facts.versions import version_number
from gptoss.live.cached import cached, is_cached, say
from gptoss.text.errors import InputError
from gptoss.text.executables import on_path

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


def no_planning() -> str:
    """Why this machine cannot have aiconfigurator-core; empty where it can."""
    version, system = sys.version_info[:2], f"{platform.system()} {platform.machine()}"
    if OLDEST <= version <= NEWEST and system == "Linux x86_64":
        return ""
    return (
        "speed is predicted with aiconfigurator-core, which has packages for Linux x86-64 and "
        f"Python 3.11 to 3.13 only; this is {system} with Python {version[0]}.{version[1]}"
    )


def planning() -> Path:
    """Python of the environment of aiconfigurator-core, made when it is not there yet.

    Raises:
        InputError: There is none for this machine, or it cannot be made.
    """
    if why := no_planning():
        raise InputError(why)
    return _environment(_planning_name())


def has_planning() -> bool:
    """Whether the environment of aiconfigurator-core is there already."""
    return not no_planning() and is_cached(*_key(_planning_name()))


def _planning_name() -> str:
    return next(_locks().glob("aiconfigurator-core-*.txt")).stem


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

    return cached(*_key(name), make) / "bin" / "python"


def _key(name: str) -> tuple[str, bytes]:
    """What the environment of a lock is made from, and its name."""
    version = sys.version_info[:2]
    return name, f"{version}".encode() + (_locks() / f"{name}.txt").read_bytes()


def _install(lock: Path, options: Sequence[str], python: str) -> None:
    """Installs a lock and nothing else with uv, or with the interpreter's pip without uv.

    A lock is complete but for what NVIDIA publishes elsewhere and no simulation imports.
    """
    uv, quiet = _uv(), [] if sys.stderr.isatty() else ["--quiet"]
    pip = [uv, "pip", "install", *quiet, "--compile-bytecode", "--python", python]
    if not uv:
        pip = [python, "-m", "pip", "install", *quiet, "--disable-pip-version-check"]
    _run(pip, "--require-hashes", "--no-deps", *options, "-r", str(lock))


def _uv() -> str:
    """The uv beside the interpreter, or the one on the path; empty when there is none."""
    beside = Path(sys.executable).with_name("uv")
    return str(beside) if beside.is_file() else on_path("uv") or ""


def _run(words: Sequence[str], *more: str) -> None:
    """Runs a program; a terminal shows how far it is, and elsewhere its last lines are told."""
    variables = {name: value for name, value in os.environ.items() if name not in OTHERS}
    told = None if sys.stderr.isatty() else subprocess.PIPE
    out = told or sys.stderr
    done = subprocess.run([*words, *more], env=variables, stdout=out, stderr=told, text=True)
    if done.returncode:
        said = (done.stderr or done.stdout or "").strip().splitlines()[-8:]
        why = ":" if said else f" with exit code {done.returncode}"
        raise InputError(f"`{' '.join([*words[:3], '…'])}` has failed{why}", below=said)


def _locks() -> Path:
    return folders.root() / "requirements" / "live"
