"""A benchmark made smaller, with as many rounds as before."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

CONCURRENCY, SWEEP = "--concurrency", "--sweep"
COUNTS = ("--request-count", "--warmup-request-count", "--num-dataset-entries")


def scaled(words: Sequence[str], scale: float) -> list[str]:
    """The words of benchmark.py with every concurrency multiplied, and the counts along with it.

    A concurrency is at least 1; requests keep their proportion to it.
    """
    given = dict(pairwise(words))
    flags = {flag: given[flag] for flag in (CONCURRENCY, SWEEP, *COUNTS) if flag in given}
    if SWEEP in flags:
        steps = [_times(text, scale) for text in flags[SWEEP].split(",")]
        flags[SWEEP] = ",".join(dict.fromkeys(steps))
    if CONCURRENCY in flags:
        smaller = _times(flags[CONCURRENCY], scale)
        scale = int(smaller) / int(flags[CONCURRENCY])
        flags[CONCURRENCY] = smaller
    flags |= {flag: _times(flags[flag], scale) for flag in COUNTS if flag in flags}
    made = list(words)
    for flag, text in flags.items():
        made[made.index(flag) + 1] = text
    return made


def _times(number: str, scale: float) -> str:
    return str(max(1, round(int(number) * scale)))
