"""Runs the sweep: ``python -m sweep`` writes the record, ``--verify`` only compares with it."""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from typing import TYPE_CHECKING

from gptoss.text.errors import InputError
from gptoss.text.whole_files import write_whole
from sweep.engine_surface import engine_cases, said_to_engine
from sweep.faults import faults_of_sweep
from sweep.judgements import Judgements
from sweep.pods_surface import pod_cases, said_to_pod
from sweep.record import FILE, ROOT, read, recorded, written
from sweep.values_surface import said_to_values, together_cases, values_cases

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sweep.bases import Said
    from sweep.cases import Case
    from sweep.record import Record

PROCESSES = 2
AT_ONCE = 20
CASES: dict[str, Callable[[Judgements], Iterator[Case]]] = {
    "values": values_cases,
    "together": together_cases,
    "engine": engine_cases,
    "pods": pod_cases,
}
SAID: dict[str, Callable[[Case, Judgements], Said]] = {
    "values": said_to_values,
    "together": said_to_values,
    "engine": said_to_engine,
    "pods": said_to_pod,
}
judgements_of = cache(Judgements.of)


def cases(surfaces: Sequence[str] = tuple(CASES)) -> list[Case]:
    """Every key with every value that is to be tried."""
    return [case for surface in surfaces for case in CASES[surface](judgements_of(surface))]


def said(case: Case) -> Said:
    """What check says to a case."""
    return SAID[case.surface](case, judgements_of(case.surface))


def main() -> int:
    """Run the command line and return its exit code."""
    parser = argparse.ArgumentParser(prog="sweep", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--verify", action="store_true", help="compare with the record instead")
    parser.add_argument("surfaces", nargs="*", help=f"only these of {', '.join(CASES)}")
    options = parser.parse_args()
    try:
        tried = cases(options.surfaces or tuple(CASES))
        record = recorded(zip(tried, _all_said(tried), strict=True))
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    if options.verify:
        return _compared(record)
    record = read() | {surface: keys for surface, keys in record.items() if keys}
    write_whole(ROOT / FILE, written(record))
    faults = list(faults_of_sweep(record))
    print("\n".join([f"wrote {FILE}; run `make generate`", *faults]))
    return bool(faults)


def _all_said(tried: list[Case]) -> Iterator[Said]:
    """What check says to each, with progress."""
    started = time.monotonic()
    with ProcessPoolExecutor(PROCESSES) as pool:
        for number, says in enumerate(pool.map(said, tried, chunksize=AT_ONCE), 1):
            if number % 200 == 0 or number == len(tried):
                seconds = time.monotonic() - started
                print(f"{number} of {len(tried)} values, {seconds:.0f} s", file=sys.stderr)
            yield says


def _compared(record: Record) -> int:
    """Prints what differs from the record; 1 if anything does."""
    before = read()
    differs = [
        f"{surface}: {key}: {value}: {_in_words(before, surface, key, value)}, now {entry.said}"
        for surface, keys in record.items()
        for key, values in keys.items()
        for value, entry in values.items()
        if before[surface].get(key, {}).get(value) != entry
    ]
    print("\n".join(differs))
    if differs:
        print("run `make sweep` and `make generate`, and commit the result", file=sys.stderr)
    return bool(differs)


def _in_words(record: Record, surface: str, key: str, value: str) -> str:
    entry = record[surface].get(key, {}).get(value)
    return "not recorded" if entry is None else f"recorded {entry.said}"


if __name__ == "__main__":
    sys.exit(main())
