"""What ``gptoss import`` says about what it did."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gptoss.importing.context import Outcome
from gptoss.rules.rule import Severity
from gptoss.text.as_json import json_text
from gptoss.text.one_line import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gptoss.importing.convert import Imported
    from gptoss.rules.finding import Finding
    from gptoss.text.places import Place

WIDTH = 100
CLASH = "refused where it is laid over what runs: delete that first, or install under another name"
HEADINGS = {
    Outcome.MENDED: "mended",
    Outcome.LEFT_OUT: "left out",
    Outcome.CHOSEN: "chosen, because the source does not say it",
}


@dataclass(frozen=True, slots=True)
class Report:
    """An import with what ``check`` says before and after.

    Attributes:
        imported: The values file.
        before: Findings of the source.
        after: Findings of what the values file renders to.
        refused: Why Helm refuses the values file, each with its place; nothing when it does not.
        clash: What the operator or the API server refuses where it is laid over the source.
    """

    imported: Imported
    before: Sequence[Finding]
    after: Sequence[Finding]
    refused: Sequence[tuple[str, Place]] = ()
    clash: Sequence[Finding] = ()

    @property
    def gone(self) -> list[Finding]:
        """Warnings and errors of the source that the values file does not have."""
        if self.refused:
            return []
        left = {finding.rule.id for finding in self.after}
        serious = (f for f in self.before if f.severity > Severity.INFO)
        return [finding for finding in serious if finding.rule.id not in left]

    @property
    def has_errors(self) -> bool:
        """Whether the values file has errors or is refused."""
        return bool(self.refused) or any(f.severity is Severity.ERROR for f in self.after)


def as_text(report: Report, target: str) -> str:
    """The report in words, a place first in each line.

    Args:
        report: The report.
        target: Where the values file went.
    """
    lines = [f"{target}: {report.imported.settings} settings"]
    for kind, heading in HEADINGS.items():
        notes = [note for note in report.imported.notes if note.kind is kind]
        lines += _section(heading, [(note.place, note.message) for note in notes])
    lines += _section("gone with the chart (check found them in the source)", _told(report.gone))
    lines += _section("refused by Helm", [(place, message) for message, place in report.refused])
    lines += _section(CLASH, _told(report.clash))
    lines += _section("what check says about the values file", _told(report.after))
    return "\n".join(lines)


def as_json(report: Report) -> str:
    """The report as JSON, with the values file in ``values``."""
    document = {
        "values": report.imported.text,
        "settings": report.imported.settings,
        "notes": [
            {"kind": n.kind.value, "message": one_line(n.message), "place": _place(n.place)}
            for n in report.imported.notes
        ],
        "gone": [_finding(finding) for finding in report.gone],
        "refused": [
            {"message": one_line(m), "place": _place(place)} for m, place in report.refused
        ],
        "clash": [_finding(finding) for finding in report.clash],
        "findings": [_finding(finding) for finding in report.after],
    }
    return json_text(document)


def _section(heading: str, told: list[tuple[Place | None, str]]) -> Iterator[str]:
    if not told:
        return
    yield ""
    yield f"{heading} ({len(told)})"
    for place, message in told:
        where = f"{place.file}:{place.line}: " if place else ""
        yield from textwrap.wrap(
            one_line(f"{where}{message}"),
            WIDTH,
            initial_indent="  ",
            subsequent_indent="      ",
            break_long_words=False,
            break_on_hyphens=False,
        )


def _told(findings: Sequence[Finding]) -> list[tuple[Place | None, str]]:
    return [(f.place, f"{f.severity.word}: {f.message} [{f.rule.id}]") for f in findings]


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule.id,
        "severity": finding.severity.word,
        "message": one_line(finding.message),
        "place": _place(finding.place),
    }


def _place(place: Place | None) -> dict[str, Any] | None:
    return place._asdict() if place else None
