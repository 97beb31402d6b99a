"""What is predicted is recorded, so that pages need no library and a change is seen."""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import TYPE_CHECKING, Any

from predicted.fronts import fronts
from predicted.held_out import held_out
from predicted.points import predictions
from predicted.siblings import beside_documents, in_doubt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from gptoss.planning.steps.step_times import Times

ROOT = Path(__file__).resolve().parents[2]
# What a number may differ by on another machine.
SAME = 1e-3


@dataclass(frozen=True, slots=True)
class Record:
    """A file of predictions.

    Attributes:
        file: Where it is kept, below the repository's root.
        made: Gives its content: maps of maps down to numbers and texts.
    """

    file: Path
    made: Callable[[Times], Mapping[str, Any]]

    @property
    def path(self) -> Path:
        """The file itself."""
        return ROOT / self.file

    def read(self) -> dict[str, Any]:
        """What was recorded; nothing where nothing was."""
        if not self.path.is_file():
            return {}
        found: dict[str, Any] = json.loads(self.path.read_text("utf-8"))
        return found


POINTS = Record(Path("schema/measured/predictions.json"), predictions)
HELD_OUT = Record(Path("schema/measured/held_out.json"), held_out)
SIBLINGS = Record(Path("schema/tuned/siblings.json"), beside_documents)
DOUBTED = Record(Path("schema/tuned/in-doubt.json"), in_doubt)
FRONTS = Record(Path("schema/tuned/fronts.json"), fronts)
RECORDS = (POINTS, HELD_OUT, SIBLINGS, DOUBTED, FRONTS)


def written(content: Mapping[str, Any]) -> str:
    """The text of a record."""
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def differences(before: Any, now: Any, at: str = "") -> Iterator[str]:
    """Where two records differ by more than rounding, a line each."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key in dict.fromkeys((*before, *now)):
            yield from differences(before.get(key), now.get(key), f"{at}: {key}" if at else key)
    elif not _are_same(before, now):
        yield f"{at}: recorded {_told(before)}, now {_told(now)}"


def _are_same(before: Any, now: Any) -> bool:
    numbers = isinstance(before, float | int) and isinstance(now, float | int)
    return isclose(before, now, rel_tol=SAME, abs_tol=SAME) if numbers else before == now


def _told(value: Any) -> str:
    return "nothing" if value is None else str(value)
