"""A deployment with what the rules say about it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gptoss.text.secrets import without_secrets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.checking.checker import NotApplied, Result, Suppressed
    from gptoss.deployment.model import Deployment
    from gptoss.rules.rule import Finding


@dataclass(frozen=True, slots=True)
class Checked:
    """A deployment and what the rules say about it."""

    deployment: Deployment
    result: Result


def findings_of(checked: Sequence[Checked]) -> list[Finding]:
    """Every finding once, sorted by place: a line shared by targets is reported once."""
    unique = dict.fromkeys(f for item in checked for f in item.result.findings)
    return sorted(unique, key=lambda f: (f.place, f.rule.id, f.message))


def suppressed_of(checked: Sequence[Checked]) -> list[Suppressed]:
    """Every suppressed finding once, sorted by place, save for those that another target has."""
    open_findings = {f for item in checked for f in item.result.findings}
    unique = {s.finding: s for item in checked for s in item.result.suppressed}
    kept = [
        replace(s, reason=without_secrets(s.reason))
        for finding, s in unique.items()
        if finding not in open_findings
    ]
    return sorted(kept, key=lambda s: (s.finding.place, s.finding.rule.id, s.finding.message))


def not_applied_of(checked: Sequence[Checked]) -> list[NotApplied]:
    """Every rule that could not be applied, once with each reason."""
    return list(dict.fromkeys(n for item in checked for n in item.result.not_applied))
