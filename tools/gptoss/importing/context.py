"""What every part of an import needs: the deployment, what was chosen for it, and the report."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from gptoss.importing.document import Leaf
from gptoss.text.one_line import one_line

if TYPE_CHECKING:
    from typing import Any

    from gptoss.deployment.model import Deployment
    from gptoss.facts.world import Facts, Gpu, Release
    from gptoss.text.places import Place


class Outcome(StrEnum):
    """What became of something in the source."""

    MENDED = "mended"
    LEFT_OUT = "left out"
    CHOSEN = "chosen"


@dataclass(frozen=True, slots=True)
class Note:
    """Something that was not carried over as it stands.

    Attributes:
        kind: Whether it was mended, left out, or chosen because the source does not say it.
        message: What, why, and what to do about it.
        place: Where it stands in the source; None when the source does not have it.
    """

    kind: Outcome
    message: str
    place: Place | None = None


@dataclass(frozen=True)
class Context:
    """An import.

    Attributes:
        deployment: What was read.
        facts: Facts.
        release: The release that the values file is for.
        gpu: The kind of GPU that it is for.
        asked: Options of the command that chose the release and the GPU, in place of the source.
        cache_claim: The claim that the model cache uses; None when one is created.
        cache_disk: The disk that it uses instead, as in ``hostPath /data``; '' for none.
        notes: What was not carried over as it stands, so far.
    """

    deployment: Deployment
    facts: Facts
    release: Release
    gpu: Gpu
    asked: frozenset[str] = frozenset()
    cache_claim: str | None = None
    cache_disk: str = ""
    notes: list[Note] = field(default_factory=list)

    def mended(self, message: str, place: Place | None = None) -> None:
        """Notes that something is carried over in another form, because it was wrong."""
        self._note(Outcome.MENDED, message, place)

    def left_out(self, message: str, place: Place | None = None) -> None:
        """Notes that something is not carried over."""
        self._note(Outcome.LEFT_OUT, message, place)

    def chosen(self, message: str, place: Place | None = None) -> None:
        """Notes that something had to be chosen."""
        self._note(Outcome.CHOSEN, message, place)

    def _note(self, kind: Outcome, message: str, place: Place | None) -> None:
        if all((note.kind, note.message) != (kind, message) for note in self.notes):
            self.notes.append(Note(kind, message, place))


def leaf(value: Any, place: Place, spelling: str = "") -> Leaf:
    """A setting with its place, and how it is spelt there when that is not its key."""
    where = f"{place.file}:{place.line}" if not place.file.startswith("--") else place.file
    return Leaf(value, one_line(f"{where} {spelling}".rstrip()))
