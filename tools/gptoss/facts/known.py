"""What Dynamo is known to do wrong with the model, by release (``schema/known.yaml``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gptoss.facts.versions import version_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.facts.world import Release


@dataclass(frozen=True, slots=True)
class Known:
    """One thing that some releases do wrong.

    Attributes:
        id: Its key in the file.
        what: What clients or operators see.
        do: What to do on a release where it is so.
        source: Where that was seen.
        since: The first release that has it; by default the first that was asked.
        right: The first release without it; '' where none is so far.
        when: Whom it concerns, as the file's head says; '' for every frontend.
    """

    id: str
    what: str
    do: str
    source: str
    since: str = "1.0.0"
    right: str = ""
    when: str = ""

    def is_in(self, release: Release) -> bool:
        """Whether a release does it wrong."""
        mended = bool(self.right) and release.number >= version_number(self.right)
        return release.number >= version_number(self.since) and not mended


def known_of(entries: Mapping[str, Mapping[str, Any]]) -> dict[str, Known]:
    """What the file's entries say, by key."""
    return {key: Known(id=key, **entry) for key, entry in entries.items()}
