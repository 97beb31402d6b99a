"""Times as people type them."""

from __future__ import annotations

import re

WRITTEN = re.compile(r"(\d+(?:\.\d+)?|\.\d+) ?(ms|s)")


def milliseconds(text: str) -> float | None:
    """The milliseconds of ``2s``, ``1.5s`` or ``800ms``; None for anything else."""
    found = WRITTEN.fullmatch(text.strip())
    return float(found[1]) * (1000 if found[2] == "s" else 1) if found else None
