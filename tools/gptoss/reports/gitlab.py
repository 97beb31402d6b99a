"""GitLab's Code Quality report.

Its form: docs.gitlab.com/ci/testing/code_quality, "Code Quality report format".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.checking.checked import findings_of
from gptoss.reports.common import fingerprints, hint_of, message_of, relative
from gptoss.rules.rule import Severity
from gptoss.text.as_json import json_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.checking.checked import Checked
    from gptoss.reports import Style

LEVELS = {Severity.ERROR: "critical", Severity.WARNING: "major", Severity.INFO: "info"}


def report(checked: Sequence[Checked], _style: Style) -> str:
    """A list of findings whose fingerprints stay the same when lines move."""
    content = [
        {
            "description": f"{message_of(finding)}; {hint_of(finding)}",
            "check_name": f"{finding.rule.id} {finding.rule.name}",
            "fingerprint": fingerprint,
            "severity": LEVELS[finding.severity],
            "location": {
                "path": relative(finding.place.file),
                "lines": {"begin": finding.place.line},
            },
        }
        for finding, fingerprint in fingerprints(findings_of(checked)).items()
    ]
    return json_text(content)
