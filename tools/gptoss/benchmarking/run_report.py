"""All that a report says, before it has a form."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from gptoss.benchmarking.comparable import not_comparable
from gptoss.benchmarking.comparison import Compared, compared, differences
from gptoss.benchmarking.notes import notes_of
from gptoss.benchmarking.run_folders import read_runs
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from gptoss.benchmarking.gpus import Gpus
    from gptoss.benchmarking.runs import Point, Run


@dataclass(frozen=True)
class Report:
    """Runs, the one that they are held against, and dollars an hour by kind of GPU."""

    runs: tuple[Run, ...]
    baseline: Run | None = None
    prices: Mapping[str, float] = field(default_factory=dict)

    @property
    def shown(self) -> tuple[Run, ...]:
        """Every run with its own numbers: the baseline is the last."""
        return (*self.runs, self.baseline) if self.baseline else self.runs

    @property
    def problems(self) -> list[tuple[Run, Point, str]]:
        """What is wrong, by run and point."""
        return [(run, p, text) for run in self.shown for p in run.points for text in p.problems]

    @property
    def notes(self) -> list[tuple[Run, str]]:
        """What to know about the numbers, by run; what cannot be compared comes first."""
        first = self.baseline or self.runs[0]
        others = [(run, not_comparable(run, first)) for run in self.shown if run is not first]
        noted = [(run, text) for run, text in others if text]
        return [*noted, *((run, text) for run in self.shown for text in notes_of(run))]

    @property
    def comparisons(self) -> list[Compared]:
        """Each run held against the baseline."""
        return [compared(run, self.baseline) for run in self.runs] if self.baseline else []

    @property
    def differences(self) -> list[tuple[str, tuple[str, ...]]]:
        """What differs in force between the runs shown."""
        return differences(self.shown)


def read_report(
    folders: Sequence[Path], baseline: Path | None = None, gpus: Gpus | None = None
) -> Report:
    """The report of folders; a baseline that lies in one of them is no run beside itself.

    Raises:
        InputError: A folder or a file cannot be read, the baseline is more than one run, or there
            is nothing else.
    """
    bases = read_runs(baseline, gpus) if baseline else []
    if len(bases) > 1:
        names = ", ".join(run.folder.name for run in bases)
        raise InputError(f"--baseline {baseline}: it holds {len(bases)} runs ({names}); give one")
    found = [run for folder in folders for run in read_runs(folder, gpus)]
    taken = {base.folder.resolve() for base in bases}
    runs = [run for run in found if run.folder.resolve() not in taken]
    if not runs:
        raise InputError(f"--baseline {baseline}: give a run to hold against it")
    *named, last = _apart([*runs, *bases])
    return Report(tuple(named), last) if bases else Report((*named, last))


def _apart(runs: Sequence[Run]) -> list[Run]:
    """Runs under names that tell them apart: as much of their path as that takes."""
    parts = [run.folder.resolve().parts for run in runs]
    for length in range(1, max(map(len, parts)) + 1):
        named = [
            replace(run, name="/".join((*path[-length:-1], run.name)))
            for path, run in zip(parts, runs, strict=True)
        ]
        if len({run.name for run in named}) == len(named):
            return named
    raise InputError(f"{runs[-1].folder}: this run is given twice")
