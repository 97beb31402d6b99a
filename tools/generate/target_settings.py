"""The settings of a worker with their reasons: the comments that stand above them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from generate.documents import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Worker
    from gptoss.facts.world import Facts
    from gptoss.text.places import Place

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Reasoned:
    """Settings that stand together, with the reason for them.

    Attributes:
        settings: Names and values, as in ``max_batch_size: 64``.
        reason: The comment above them, else what the setting is.
    """

    settings: tuple[str, ...]
    reason: str


def engine_settings(worker: Worker, facts: Facts) -> list[Reasoned]:
    """What the worker's engine file sets, in its order."""
    found = sorted((s for s in worker.engine if s.is_set), key=lambda setting: setting.place)
    rows = []
    for setting in found:
        summary = facts.engine_fields.get(setting.key, {}).get("summary", "")
        reason = comment_at(setting.place) or _of_block(setting.key, setting.place) or summary
        rows.append((f"{setting.key}: {shown(setting.value)}", reason))
    return list(_together(rows))


def variables(worker: Worker) -> list[Reasoned]:
    """The variables that the target's values set for the worker, in their order.

    One without a comment that follows directly on another shares its reason.
    """
    given = [
        variable
        for variable in worker.pod.environment.values()
        if variable.place.file.startswith("values/") and variable.value is not None
    ]
    rows: list[tuple[str, str]] = []
    line = 0
    for variable in sorted(given, key=lambda variable: variable.place):
        follows = rows and variable.place.line == line + 1
        reason = comment_at(variable.place) or (rows[-1][1] if follows else "")
        rows.append((f"{variable.name}={variable.value}", reason))
        line = variable.place.line
    return list(_together(rows))


def comment_at(place: Place) -> str:
    """The comment directly above a line, as one text; the comment that opens a file is none."""
    lines = _lines(place)
    last = place.line - 1
    first = last
    while first > 0 and lines[first - 1].strip().startswith("#"):
        first -= 1
    return "" if first == 0 else _text(lines[first:last])


def _of_block(key: str, place: Place) -> str:
    """The comment above the block that a nested key stands in."""
    if "." not in key:
        return ""
    lines = _lines(place)
    own = _indentation(lines[place.line - 1])
    above = range(place.line - 1, 0, -1)
    block = next(
        (line for line in above if lines[line - 1].strip() and _outside(lines[line - 1], own)), None
    )
    return comment_at(place._replace(line=block)) if block else ""


def _outside(line: str, indentation: int) -> bool:
    return not line.strip().startswith("#") and _indentation(line) < indentation


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def _lines(place: Place) -> list[str]:
    path = ROOT / place.file
    return path.read_text(encoding="utf-8").splitlines() if path.is_file() else [""] * place.line


def _text(comments: list[str]) -> str:
    return " ".join(line.strip().lstrip("#").strip() for line in comments)


def _together(rows: list[tuple[str, str]]) -> Iterator[Reasoned]:
    """Neighbours with the same reason as one row."""
    settings: list[str] = []
    for number, (setting, reason) in enumerate(rows):
        settings.append(setting)
        if number + 1 == len(rows) or rows[number + 1][1] != reason or not reason:
            yield Reasoned(tuple(settings), reason)
            settings = []
