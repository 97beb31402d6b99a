"""Versions as numbers, to compare with."""

from __future__ import annotations

import re
from functools import cache

# Stand for the release itself after its candidates, a state before them, and the main branch.
FINAL, DEVELOPMENT, MAIN = 999, -1, 999


@cache
def trtllm_number(version: str) -> tuple[int, ...]:
    """A version of TensorRT-LLM, to compare with: candidates come before their release.

    ``1.3.0rc5.post1`` is (1, 3, 0, 5, 1), ``1.3.0`` (1, 3, 0, 999, 0) and ``1.3.0-dev``, which
    candidates follow, (1, 3, 0, -1, 0). A state of the main branch (``main-2026-09``) comes after
    every release. () where it is no version.
    """
    if version.startswith("main-"):
        return (MAIN, *version_number(version.removeprefix("main-").replace("-", ".")))
    match = re.match(r"(\d+)\.(\d+)(?:\.(\d+))?(-dev)?(?:rc(\d+))?(?:\.post(\d+))?", version)
    if not match:
        return ()
    major, minor, patch, is_dev, candidate, post = match.groups()
    stage = DEVELOPMENT if is_dev else int(candidate or FINAL)
    return (int(major), int(minor), int(patch or 0), stage, int(post or 0))


def version_number(version: str) -> tuple[int, ...]:
    """The leading numbers of a version: ``1.2.1-efa-amd64`` is (1, 2, 1); () if there are none."""
    match = re.match(r"\d+(\.\d+)*", version)
    return tuple(int(part) for part in match.group().split(".")) if match else ()
