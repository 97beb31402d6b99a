"""The report for programs of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gptoss.checking.checked import findings_of, not_applied_of, suppressed_of
from gptoss.reports.common import hint_of, message_of
from gptoss.text.as_json import json_text
from gptoss.text.one_line import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.checking.checked import Checked
    from gptoss.reports import Style
    from gptoss.rules.finding import Finding
    from gptoss.text.places import Place


def report(checked: Sequence[Checked], _style: Style) -> str:
    """Findings, what is suppressed and why, and the rules that could not be applied."""
    content = {
        "checked": [item.deployment.source for item in checked],
        "findings": [_finding(finding) for finding in findings_of(checked)],
        "suppressed": [
            {**_finding(s.finding), "reason": s.reason, "suppressed_at": _place(s.place)}
            for s in suppressed_of(checked)
        ],
        "not_applied": [
            {"rule": item.rule, "reason": item.reason} for item in not_applied_of(checked)
        ],
    }
    return json_text(content)


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule.id,
        "name": finding.rule.name,
        "severity": finding.severity.word,
        "message": message_of(finding),
        "subjects": list(finding.subjects),
        "hint": hint_of(finding),
        **_place(finding.place),
        "also": [
            {
                **_place(also.place),
                "message": one_line(also.message),
                "same": also.same,
            }
            for also in finding.also
        ],
        "fixable": bool(finding.fixes),
        "source": finding.rule.source,
    }


def _place(place: Place) -> dict[str, Any]:
    return {"file": place.file, "line": place.line, "column": place.column}
