"""Runs inputs: ``python -m fuzz --inputs 2000 --seed 1``; ``--only NUMBER`` runs one of them."""

from __future__ import annotations

import argparse
import gc
import importlib
import multiprocessing
import os
import pkgutil
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import gptoss
from fuzz.inputs import made, shown
from fuzz.seeds import Seeds
from fuzz.table import failures, table
from fuzz.trying import Trial

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fuzz.trying import Outcome

AT_ONCE = 5


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 1 when anything failed."""
    parser = argparse.ArgumentParser(prog="fuzz", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--inputs", type=int, default=2000, metavar="N", help="how many")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="which ones")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="run this one, and keep it")
    options = parser.parse_args(arguments)
    seeds = _warm()
    if options.only is not None:
        return _only(options.only, options.seed, seeds)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        outcomes = _all(options.inputs, partial(_one, options.seed, seeds, folder))
    print(table(outcomes))
    print(f"seed {options.seed}, {time.monotonic() - started:.0f} s")
    lines = list(failures(outcomes, options.seed))
    print("\n".join(lines), file=sys.stderr, end="\n" if lines else "")
    return bool(lines)


def _warm() -> Seeds:
    """Imports everything and renders the examples, so that forked processes have them."""
    for module in pkgutil.walk_packages(gptoss.__path__, "gptoss."):
        if not module.name.endswith(("__main__", "step_server")) and ".cluster" not in module.name:
            importlib.import_module(module.name)
    seeds = Seeds()
    for examples in ("engines", "small", "rendered", "forms"):
        getattr(seeds, examples)
    gc.collect()
    gc.freeze()
    return seeds


def _one(seed: int, seeds: Seeds, folder: str, number: int) -> Outcome:
    return Trial.of(made(seed, number, seeds), Path(folder) / f"sandbox-{os.getpid()}").outcome()


def _all(count: int, one: partial[Outcome]) -> list[Outcome]:
    """The outcomes of all, on every core, with progress on a terminal."""
    found = []
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=context) as pool:
        for outcome in pool.map(one, range(count), chunksize=AT_ONCE):
            found.append(outcome)
            if sys.stderr.isatty():
                failed = sum(bool(each.faults) for each in found)
                sys.stderr.write(f"\r{len(found):,} of {count:,} inputs, {failed:,} failed ")
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
    return found


def _only(number: int, seed: int, seeds: Seeds) -> int:
    """Runs one input, and tells what it is, what came of it and where it lies."""
    tried = made(seed, number, seeds)
    root = Path(tempfile.mkdtemp(prefix=f"fuzz-{number}-")) / "sandbox"
    trial = Trial.of(tried, root)
    outcome = trial.outcome()
    for name, content in tried.source.files.items():
        print(f"{name!r}: {shown(content)}")
    trial.sandbox.lay(tried.source.files)
    ran = trial.runner.forked(tried.argv)
    for text in (ran.out, ran.err):
        print(text.decode(errors="replace").encode("unicode_escape").decode().replace("\\n", "\n"))
    print(f"exit code {ran.code}, {ran.cpu_seconds:.1f} s, {ran.mib:,.0f} MiB")
    trial.sandbox.lay(tried.source.files)
    lines = list(failures([outcome], seed))
    print("\n".join([*lines, f"it lies in {trial.sandbox.checkout}"]))
    return bool(outcome.faults)


if __name__ == "__main__":
    sys.exit(main())
