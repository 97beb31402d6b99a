"""A run over time: requests and errors a second, from aiperf's records of each request."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gptoss.text.bounds import found_file
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

RECORDS = "profile_export.jsonl"
BEGIN, ERROR = '{"metadata":', '"error":{'
DECODER = json.JSONDecoder()
MOST_BINS = 60
WIDTHS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600)


@dataclass(frozen=True)
class Ended:
    """When a request ended, in seconds since the first began, and how."""

    at: float
    failed: bool = False
    warmup: bool = False


@dataclass(frozen=True)
class Timeline:
    """Requests that ended, in bins of ``width`` seconds.

    ``answered`` and ``failed`` are requests a second; ``warmup`` is the second in which the last
    request of the warm-up ended, 0 when none was recorded.
    """

    width: float
    answered: tuple[float, ...]
    failed: tuple[float, ...]
    warmup: float


def timeline(folder: Path) -> Timeline | None:
    """The timeline of the run in a folder; None where requests were not recorded one by one.

    Raises:
        InputError: The records cannot be read.
    """
    path = folder / RECORDS
    return binned(list(_ended(path))) if found_file(path) else None


def binned(requests: Sequence[Ended]) -> Timeline | None:
    """Requests in at most sixty bins of a round width; None when there is none to show."""
    if not requests:
        return None
    end = max(request.at for request in requests)
    width = next((w for w in WIDTHS if end / w < MOST_BINS), math.ceil(end / MOST_BINS))
    answered, failed = ([0.0] * (int(end / width) + 1) for _ in range(2))
    for request in requests:
        bins = failed if request.failed else answered
        bins[int(request.at / width)] += 1 / width
    warmup = max((request.at for request in requests if request.warmup), default=0.0)
    return Timeline(width, tuple(answered), tuple(failed), warmup)


def _ended(path: Path) -> Iterator[Ended]:
    """The requests of a file of records, read line by line: such a file can be large."""
    records = []
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.endswith("\n"):  # else it is where a run was killed
                    records.append(_times(line, path, number))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {error}") from None
    begin = min((start for start, *_ in records), default=0)
    for _, end, failed, warmup in records:
        yield Ended((end - begin) / 1e9, failed, warmup)


def _times(line: str, path: Path, number: int) -> tuple[int, int, bool, bool]:
    """Start, end, whether it failed, and whether it was warm-up, of one record.

    aiperf writes ``metadata``, ``metrics`` and then ``error``; the metrics hold a number for each
    token, and to read them takes twenty times as long as the rest.
    """
    try:
        if line.startswith(BEGIN):
            metadata, end = DECODER.raw_decode(line, len(BEGIN))
            failed = line.find(ERROR, end) >= 0
        else:
            record: dict[str, Any] = json.loads(line)
            metadata, failed = record["metadata"], bool(record.get("error"))
        return (
            int(metadata["request_start_ns"]),
            int(metadata["request_end_ns"]),
            failed,
            metadata.get("benchmark_phase") == "warmup",
        )
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"{path}:{number}: this is no record of a request ({error})") from None
