"""Predicts what others have measured: ``python -m predicted`` records it, ``--verify`` compares.

Both print the errors and exit 1 where one exceeds its limit.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from gptoss.planning.steps.library import library
from gptoss.text.columns import columns
from gptoss.text.errors import InputError
from gptoss.text.whole_files import write_whole
from predicted.errors import groups, limited
from predicted.held_out import CALIBRATED, errors
from predicted.points import held
from predicted.records import HELD_OUT, POINTS, RECORDS, differences, written
from predicted.table import HEAD, rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from predicted.points import Held


def main() -> int:
    """Run the command line and return its exit code."""
    parser = argparse.ArgumentParser(prog="predicted", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--verify", action="store_true", help="compare with the records instead")
    options = parser.parse_args()
    try:
        with library() as times:
            made = {record: record.made(times) for record in RECORDS}
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    points = list(held(made[POINTS]))
    exceeded = _printed(points, made[HELD_OUT])
    stale = False
    for record, content in made.items():
        found = list(differences(record.read(), content))
        if options.verify and found:
            print("\n".join(f"{record.file}: {line}" for line in found))
            stale = True
        elif found:
            write_whole(record.path, written(content))
            print(f"wrote {record.file}; run `make generate`")
    if stale:
        print("run `make accuracy` and `make generate`, and commit the result", file=sys.stderr)
    return int(exceeded or stale)


def _printed(points: Sequence[Held], sweeps: Mapping[str, Any]) -> bool:
    """Prints the errors; whether one exceeds its limit."""
    print("Mean error, and in brackets the median of predicted by measured.\n")
    print("\n".join(columns([list(HEAD), *rows(list(groups(points)))])), end="\n\n")
    exceeded = False
    for limit, mean in limited(points):
        above = mean > limit.most
        exceeded |= above
        said = "exceeds" if above else "is within"
        print(f"{limit.of}: {mean:.1%} {said} {limit.most:.0%}")
    for what in CALIBRATED:
        before, after = getattr(errors(sweeps), what)
        above = after > CALIBRATED[what] * before
        exceeded |= above
        said = "which is more than" if above else "at most"
        told = f"{before:.1%} becomes {after:.1%}, {said} {CALIBRATED[what]:.0%} of it"
        print(f"{what.upper()} between steps that calibrate: {told}")
    return exceeded


if __name__ == "__main__":
    sys.exit(main())
