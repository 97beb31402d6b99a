"""What one run may spend on reading what others wrote.

A file of a few kilobytes can stand for gigabytes: aliases of aliases, variables made of variables,
loops. What such things become is counted while they are read, over all files of a run together, and
past a limit the run ends with one message. `gptoss.text.deadline` bounds what nobody counts.

The limits were measured on one core of a server of 2023: at each of them alone `gptoss check` stays
under five seconds and 500 MB; with all its renderings, by as many cores as it has. The shipped
targets, all checked at once, take a sixth of the containers and a fifth of the values.

Outside a run nothing is summed up, as programs and tests read thousands of files in one process:
what is read has each limit for itself then.

This module imports nothing heavy: the command line opens the run.
"""

from __future__ import annotations

from contextlib import contextmanager
from enum import Enum
from typing import TYPE_CHECKING

from gptoss.text.errors import InputError
from gptoss.text.places import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

# Levels that YAML, JSON and TOML may be nested in. Kubernetes objects have about 20.
NESTING = 64
# Bytes of one file, pipe or standard input. The manifests of a whole platform have about 5 MB.
MAX_FILE = 16_000_000


class Kind(Enum):
    """What is counted: its name in messages, and how much of it a run has."""

    BYTES = "bytes of files", 32_000_000
    READ = "characters of YAML, files counted as often as something names them", 60_000_000
    DOCUMENTS = "YAML documents, for each deployment that they belong to", 10_000
    VALUES = "YAML values, aliases counted as what they stand for", 200_000
    EXPANDED = "characters that variables expand to", 4_000_000
    STEPS = "commands of scripts, loops counted as often as they turn", 50_000
    WORDS = "words of commands", 400_000
    VARIABLES = "variables of scripts, those of each command and branch counted", 4_000_000
    PAIRS = "pairs of things that may belong together", 300_000
    CONTAINERS = "containers", 1000
    FINDINGS = "findings", 5000
    RENDERINGS = "renderings of the chart that files and folders ask for", 40

    def __init__(self, unit: str, limit: int) -> None:
        self.unit = unit
        self.limit = limit


class Budget:
    """What is spent of each kind."""

    def __init__(self) -> None:
        self._spent = dict.fromkeys(Kind, 0)
        self._files: set[str] = set()

    def left(self, kind: Kind) -> int:
        """How much of a kind may still be spent."""
        return kind.limit - self._spent[kind]

    def spend(self, kind: Kind, amount: int, place: Place | None = None) -> None:
        """Counts what is about to be made, or just was.

        Args:
            kind: What it is.
            amount: How much of it.
            place: Where it is asked for.

        Raises:
            InputError: With it the limit is passed.
        """
        self._spent[kind] += amount
        if self._spent[kind] > kind.limit:
            raise too_much(kind, place)

    def spend_file(self, name: str, size: int) -> None:
        """Counts the bytes of a file, which many look into, once.

        Raises:
            InputError: With them the limit is passed.
        """
        if name not in self._files:
            self._files.add(name)
            self.spend(Kind.BYTES, size, Place(name))


# The run's; a list, as threads of the run spend of it too.
_runs: list[Budget] = []


@contextmanager
def run() -> Iterator[Budget]:
    """While it lasts, everything that is spent is summed up."""
    budget = Budget()
    _runs.append(budget)
    try:
        yield budget
    finally:
        _runs.remove(budget)


def purse() -> Budget:
    """The budget of the run; outside of one a new budget, for one thing that is read."""
    return _runs[-1] if _runs else Budget()


def spend(kind: Kind, amount: int, place: Place | None = None) -> None:
    """Counts an amount over the run; outside of one, looks at this amount alone.

    Raises:
        InputError: With it the limit is passed.
    """
    purse().spend(kind, amount, place)


def too_much(kind: Kind, place: Place | None = None) -> InputError:
    """What to raise where a limit is passed: which, how much it is, and where."""
    return InputError(
        f"more than {kind.limit:,} {kind.unit}: this is the limit of one run; "
        "give fewer files at once, or smaller ones",
        place,
    )
