"""What check said to every value, as the last sweep recorded it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sweep.cases import SURFACES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sweep.bases import Said
    from sweep.cases import Case

ROOT = Path(__file__).resolve().parents[2]
FILE = Path("schema/sweep/outcomes.json")


@dataclass(frozen=True, slots=True)
class Entry:
    """What came of one value.

    Attributes:
        said: Severity of each rule that speaks up.
        refusal: Why the schema alone refuses it; '' where that does not.
    """

    said: Said = field(default_factory=dict)
    refusal: str = ""


# By surface, key and value.
Record = dict[str, dict[str, dict[str, Entry]]]


def recorded(said: Iterable[tuple[Case, Said]]) -> Record:
    """The record of a sweep."""
    record: Record = {surface: {} for surface in SURFACES}
    for case, says in said:
        record[case.surface].setdefault(case.key, {})[case.shown] = Entry(says, case.refusal)
    return record


def read() -> Record:
    """The record of the last sweep; an empty one where there is none."""
    path = ROOT / FILE
    if not path.is_file():
        return recorded(())
    found = json.loads(path.read_text(encoding="utf-8"))
    return {
        surface: {
            key: {value: Entry(**entry) for value, entry in values.items()}
            for key, values in found[surface].items()
        }
        for surface in SURFACES
    }


def written(record: Record) -> str:
    """The record as it stands in the file: a line a value."""
    surfaces = []
    for surface in SURFACES:
        keys = ",\n".join(_key(key, values) for key, values in record[surface].items())
        surfaces.append(f"{_json(surface)}: {{\n{keys}\n}}")
    return "{\n" + ",\n".join(surfaces) + "\n}\n"


def _key(key: str, values: dict[str, Entry]) -> str:
    lines = ",\n".join(f"  {_json(value)}: {_json(_entry(e))}" for value, e in values.items())
    return f" {_json(key)}: {{\n{lines}\n }}"


def _entry(entry: Entry) -> dict[str, Any]:
    found: dict[str, Any] = {"said": entry.said} if entry.said else {}
    return {**found, "refusal": entry.refusal} if entry.refusal else found


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
