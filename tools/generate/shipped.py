"""The shipped targets, rendered and read once for all that is written about them."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING

from gptoss.facts import folders
from gptoss.rendering.target import read_target
from gptoss.sources.request import Request

if TYPE_CHECKING:
    from gptoss.rendering.target import Target


@cache
def shipped() -> dict[str, Target]:
    """Every target that is no overlay, by its name."""
    names = list(folders.target_files())
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        read = pool.map(read_target, [Request((name,)) for name in names])
        return dict(zip(names, read, strict=True))
