"""A deployment with what the rules say about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.checking.checker import Suppressed
from gptoss.checking.faults import faults
from gptoss.text.secrets import without_secrets

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gptoss.checking.checker import NotApplied, Result
    from gptoss.deployment.model import Deployment
    from gptoss.rules.finding import Finding
    from gptoss.text.places import Place

    Only = Callable[[Finding], bool]


@dataclass(frozen=True, slots=True)
class Checked:
    """A deployment and what the rules say about it."""

    deployment: Deployment
    result: Result


def findings_of(checked: Sequence[Checked], only: Only | None = None) -> list[Finding]:
    """Every fault once, sorted by place: that of several workers, or of a line targets share.

    Args:
        checked: What was checked.
        only: Which of the findings to take, before those of one fault are joined.
    """
    each = ([f for f in c.result.findings if only is None or only(f)] for c in checked)
    return faults(each)


def single_findings_of(checked: Sequence[Checked]) -> list[Finding]:
    """Every finding once, sorted by place, each about one worker, component or Job at most."""
    unique = dict.fromkeys(f for item in checked for f in item.result.findings)
    return sorted(unique, key=lambda f: (f.place, f.rule.id, f.message))


def suppressed_of(checked: Sequence[Checked]) -> list[Suppressed]:
    """Every suppressed fault once, sorted by place, save for those that another target has."""
    open_findings = {f for item in checked for f in item.result.findings}
    by_suppression: dict[tuple[Place, str], list[list[Finding]]] = {}
    for item in checked:
        own: dict[tuple[Place, str], list[Finding]] = {}
        for s in item.result.suppressed:
            if s.finding not in open_findings:
                own.setdefault((s.place, s.reason), []).append(s.finding)
        for suppression, findings in own.items():
            by_suppression.setdefault(suppression, []).append(findings)
    kept = [
        Suppressed(finding, without_secrets(reason), place)
        for (place, reason), deployments in by_suppression.items()
        for finding in faults(deployments)
    ]
    return sorted(kept, key=lambda s: (s.finding.place, s.finding.rule.id, s.finding.message))


def not_applied_of(checked: Sequence[Checked]) -> list[NotApplied]:
    """Every rule that could not be applied, once with each reason."""
    return list(dict.fromkeys(n for item in checked for n in item.result.not_applied))
