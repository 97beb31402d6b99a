"""The commit that a release is made from."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from datetime import datetime

from gptoss.facts import folders
from gptoss.text.errors import InputError

# What a release says something about.
RELEASED = ("charts/gpt-oss", "CHANGELOG.md", "requirements/core.txt", "schema/images.yaml")


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit.

    Attributes:
        id: Its full id.
        date: When it was committed.
    """

    id: str
    date: datetime


def released_commit() -> Commit:
    """The commit that is checked out, when all that is released stands in it.

    Raises:
        InputError: This is no checkout of Git, or a file of the release is not as committed.
    """
    # What Git ignores would be packaged too, but for what Helm ignores as well.
    lines = _git("status", "--porcelain", "--ignored", "--", *RELEASED).splitlines()
    changed = [line[3:] for line in lines if not line.endswith("__pycache__/")]
    if changed:
        files = ", ".join(changed)
        raise InputError(f"a release is made from a commit; commit first what has changed: {files}")
    found, date = _git("log", "-1", "--format=%H %cI").split()
    return Commit(found, datetime.fromisoformat(date))


def _git(*words: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(folders.root()), *words], capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        raise InputError("a release is made from a commit; install Git") from None
    if done.returncode != 0:
        raise InputError(f"a release is made from a commit; git says: {done.stderr.strip()}")
    return done.stdout.rstrip("\n")
