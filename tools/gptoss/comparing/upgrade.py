"""What changes for a deployment on another Dynamo release, in the order in which to do it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from gptoss.checking.checked import Checked, single_findings_of
from gptoss.comparing.upgrade_steps import (
    Step,
    api_version,
    broken,
    defaults,
    mended,
    platform,
    release_of,
    release_steps,
    wrong,
)
from gptoss.facts.versions import version_number
from gptoss.fixing.rounds import FixPlan, plan_fixes
from gptoss.rules.rule import Severity
from gptoss.text.as_json import json_text
from gptoss.text.one_line import one_line

if TYPE_CHECKING:
    from gptoss.facts.known import Known
    from gptoss.facts.world import Facts
    from gptoss.rules.finding import Finding

CheckAt = Callable[[str | None], Sequence[Checked]]
"""Reads and judges the sources: as on a release, or on their own for None."""


@dataclass(frozen=True, slots=True)
class Upgrade:
    """The way of a deployment to a release.

    Attributes:
        names: What the deployments were read from.
        start: Releases they run on, oldest first.
        to: The release.
        steps: What changes, in the order in which to do it.
        mended: What Dynamo does wrong where they run, and right there.
        plan: The steps with one right answer as changes of files.
    """

    names: tuple[str, ...]
    start: tuple[str, ...]
    to: str
    steps: tuple[Step, ...]
    mended: tuple[Known, ...]
    plan: FixPlan = field(repr=False)

    @property
    def is_blocked(self) -> bool:
        """Whether something stays that the release refuses, once the plan is written."""
        told = {step.message for step in self.steps if step.severity is Severity.ERROR}
        return any(wrong(f).message in told for f in single_findings_of(self.plan.checked))


def upgrade_plan(check: CheckAt, given: Sequence[str], to: str, facts: Facts) -> Upgrade:
    """What changes for deployments on another release, and the changes of files.

    Args:
        check: Reads and judges the sources.
        given: Files, folders and targets on the command line; nothing else is changed.
        to: Version of the release.
        facts: What is known about releases and engine settings.

    Raises:
        InputError: A release is not known, or a source cannot be read.
    """
    target, own = facts.deployable(to), check(None)
    releases = [release_of(item.deployment) for item in own]
    there = check(target.version)
    known = _in_both(own, there)
    moves = [step for item in own for step in release_steps(item.deployment, target)]
    moves = list({step.place: step for step in moves}.values())

    def is_new(finding: Finding) -> bool:
        return (finding.rule.id, finding.message) not in known

    refused = [wrong(f) for f in single_findings_of(there) if is_new(f)]
    refused.sort(key=lambda step: -step.severity)
    ways = [(item.deployment, release) for item, release in zip(own, releases, strict=True)]
    worse = [step for way in ways for step in broken(*way, target, facts)]
    unset = [step for way in ways for step in defaults(*way, target, facts)]
    below = [step for way in ways for step in platform(*way, target)]
    better = dict.fromkeys(known for way in ways for known in mended(*way, target, facts))
    versions = [
        step
        for item, then in zip(own, there, strict=True)
        for step in api_version(item.deployment, then.deployment, target)
    ]
    first = [step.fix for step in moves if step.fix]
    plan = plan_fixes(lambda: check(target.version), given, first=first, only=is_new)
    steps = dict.fromkeys([*refused, *worse, *unset, *below, *versions, *moves])
    made = tuple(s if s.fix in plan.made else replace(s, fix=None) for s in steps)
    start = sorted({release.version for release in releases}, key=version_number)
    names = tuple(c.deployment.source for c in own)
    return Upgrade(names, tuple(start), target.version, made, tuple(better), plan)


def _in_both(own: Sequence[Checked], there: Sequence[Checked]) -> set[tuple[str, str]]:
    """Rule and message of what is found on the own release already, as it is said on either."""
    here = single_findings_of(own)
    places = {(f.rule.id, f.place) for f in here}
    same = [f for f in single_findings_of(there) if (f.rule.id, f.place) in places]
    return {(f.rule.id, f.message) for f in (*here, *same)}


def as_text(upgrade: Upgrade) -> str:
    """The steps for people, numbered in order."""
    lines = [f"{', '.join(upgrade.names)}: {', '.join(upgrade.start)} -> {upgrade.to}"]
    for number, step in enumerate(upgrade.steps, 1):
        place = f"{step.place}: " if step.place else ""
        mark = " (with --write)" if step.fix else ""
        lines.append(f"{number:>3}. {place}{step.message}")
        lines.append(f"     do: {step.do}{mark}")
        lines.append(f"     source: {step.source}")
    if not upgrade.steps:
        lines.append("  nothing changes")
    if upgrade.mended:
        lines.append(f"mended on {upgrade.to}:")
    for known in upgrade.mended:
        lines.append(f"   - {known.what} [{known.id}]")
        lines.append(f"     source: {known.source}")
    return "\n".join(map(one_line, lines))


def as_json(upgrade: Upgrade) -> str:
    """The steps for programs."""
    steps = [
        {
            "kind": step.kind,
            "severity": step.severity.word,
            "message": step.message,
            "do": step.do,
            "source": step.source,
            "written": step.fix is not None,
            **({"file": step.place.file, "line": step.place.line} if step.place else {}),
        }
        for step in upgrade.steps
    ]
    report = {
        "sources": upgrade.names,
        "from": upgrade.start,
        "to": upgrade.to,
        "steps": steps,
        "mended": [
            {"id": known.id, "what": known.what, "source": known.source} for known in upgrade.mended
        ],
    }
    return json_text(report)
