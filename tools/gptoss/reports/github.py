"""Workflow commands that GitHub Actions shows as annotations of a change.

Their form: docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.checking.checked import findings_of
from gptoss.reports.common import (
    documentation,
    hint_of,
    in_file,
    message_of,
    reason_of,
    relative,
    summary,
)
from gptoss.rules.rule import Severity
from gptoss.text.one_line import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.checking.checked import Checked
    from gptoss.reports import Style
    from gptoss.rules.finding import Finding

LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def report(checked: Sequence[Checked], _style: Style) -> str:
    """One command a finding, then the summary as a line of the log."""
    return "\n".join([*(_command(f) for f in findings_of(checked)), summary(checked)])


def _command(finding: Finding) -> str:
    place = finding.place
    properties = {"title": f"{finding.rule.id} {finding.rule.name}"}
    lines = [message_of(finding), f"hint: {hint_of(finding)}"]
    if in_file(place):
        position = {
            "file": one_line(relative(place.file)),
            "line": str(place.line),
            "col": str(place.column),
        }
        properties = position | properties
    else:
        lines.insert(0, str(place))
    lines += [f"{also.place}: {one_line(also.message)}" for also in finding.also]
    rule = finding.rule
    lines += [f"why: {reason_of(rule)}", f"source: {rule.source}", documentation(rule)]
    written = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{LEVELS[finding.severity]} {written}::{_data(chr(10).join(lines))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
