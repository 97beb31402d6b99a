"""Totals as a table, and how to repeat what failed."""

from __future__ import annotations

import shlex
from collections import Counter
from typing import TYPE_CHECKING

from fuzz.attacks import ATTACKS
from fuzz.inputs import KINDS
from fuzz.judging import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fuzz.trying import Outcome

WIDTH = 100
SHOWN = 40


def table(outcomes: Sequence[Outcome]) -> str:
    """A row for each kind of source and each class of attack, and one for all."""
    header = ["", "inputs", *COLUMNS]
    rows = [header]
    for title, kinds in (("sources", KINDS), ("attacks", ATTACKS)):
        rows.append([title] + [""] * (len(header) - 1))
        rows += [
            _row(f"  {kind}", own)
            for kind in kinds
            if (own := [each for each in outcomes if each.kind == kind])
        ]
    rows.append(_row("all", outcomes))
    first = max(len(row[0]) for row in rows)
    widths = [max(6, len(name)) for name in header[1:]]
    return "\n".join(
        " ".join([row[0].ljust(first), *map(str.rjust, row[1:], widths)]).rstrip() for row in rows
    )


def _row(name: str, outcomes: Sequence[Outcome]) -> list[str]:
    counts = Counter(column for each in outcomes for column in {fault[0] for fault in each.faults})
    return [name, f"{len(outcomes):,}", *(f"{counts[column]:,}" for column in COLUMNS)]


def failures(outcomes: Sequence[Outcome], seed: int) -> Iterator[str]:
    """What failed, and how to repeat it."""
    failed = [each for each in outcomes if each.faults]
    for each in failed[:SHOWN]:
        yield f"{each.number} ({each.kind}): gptoss {_words(each.argv)}"[:WIDTH]
        yield from (f"    {column}: {said!r}"[:WIDTH] for column, said in each.faults)
        yield f"    again: python -m fuzz --seed {seed} --only {each.number}"
    if len(failed) > SHOWN:
        yield f"and {len(failed) - SHOWN:,} more"


def _words(argv: Sequence[str]) -> str:
    """A command line as one printable line."""
    return shlex.join(argv).encode("unicode_escape", "surrogatepass").decode()
