"""What a cluster says to one question."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """How an answer weighs; ``UNKNOWN`` where the account may not look."""

    OK = "ok"
    INFO = "info"
    UNKNOWN = "unknown"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Answer:
    """One line.

    Attributes:
        about: What was asked about, as in ``nodes``.
        status: How it weighs.
        says: What was found.
        do: What to do about it; '' where there is nothing to do.
    """

    about: str
    status: Status
    says: str
    do: str = ""
