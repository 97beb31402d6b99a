"""Names of the Hugging Face hub in settings and paths: repositories, commits, cache folders."""

from __future__ import annotations

import re
from typing import NamedTuple

COMMIT = re.compile(r"[0-9a-f]{40}")
SNAPSHOT = re.compile(r"models--([^/]+?)--([^/]+)/snapshots/([^/]+)")


class Snapshot(NamedTuple):
    """A folder of the cache.

    Attributes:
        repository: The repository that it is of, as ``openai/gpt-oss-120b``.
        revision: What stands for the commit; a shell may still have to fill it in.
    """

    repository: str
    revision: str


def is_commit(text: str) -> bool:
    """Whether a revision is a whole commit, which does not move."""
    return COMMIT.fullmatch(text) is not None


def cache_folder(repository: str) -> str:
    """The name of a repository's folder in the cache."""
    return f"models--{repository.replace('/', '--')}"


def snapshot_of(path: str) -> Snapshot | None:
    """The snapshot of the cache that a path leads to or into; None for any other path."""
    found = SNAPSHOT.search(path)
    return Snapshot(f"{found[1]}/{found[2]}", found[3]) if found else None
