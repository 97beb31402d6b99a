"""Runs the rules over a deployment."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gptoss import rules as _rules  # noqa: F401 (declares the rules)
from gptoss.rules.rule import RULES, Also, Finding, Need, Rule
from gptoss.text.places import place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gptoss.deployment.model import Deployment, Worker
    from gptoss.facts.world import Facts
    from gptoss.text.places import Place


@dataclass(frozen=True, slots=True)
class NotApplied:
    """A rule that could not be applied, and why."""

    rule: str
    reason: str


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A finding that a comment, an annotation or the configuration suppresses."""

    finding: Finding
    reason: str
    place: Place


@dataclass(frozen=True, slots=True)
class Result:
    """What all rules say about one deployment.

    Attributes:
        findings: Sorted by place, then rule.
        not_applied: Rules that lack the knowledge they need.
        suppressed: Findings that somebody gave a reason to keep.
    """

    findings: tuple[Finding, ...]
    not_applied: tuple[NotApplied, ...]
    suppressed: tuple[Suppressed, ...] = ()


def run(deployment: Deployment, facts: Facts, only: Iterable[Rule] | None = None) -> Result:
    """Applies every rule, or those given, to a deployment."""
    findings: set[Finding] = set()
    not_applied: list[NotApplied] = []
    asked = RULES.values() if only is None else only
    rules = [rule for rule in asked if _is_about(rule, deployment)]
    if deployment.is_refused:
        rules = [rule for rule in rules if rule.id.startswith("V")]
    for rule in rules:
        if deployment.engine_only and not rule.engine_only:
            not_applied.append(NotApplied(rule.id, "only an engine YAML is given"))
            continue
        narrowed: Deployment | None = deployment
        if rule.needs:
            missing = sorted(_missing(rule, deployment))
            not_applied += [NotApplied(rule.id, reason) for reason in missing]
            narrowed = _narrowed(rule, deployment)
        if narrowed is None:
            continue
        for said in rule.check(narrowed, facts):
            place = place_of(said.at)
            elsewhere = ((place_of(at), message) for at, message in said.also)
            also = tuple(Also(at, message) for at, message in elsewhere if at != place)
            findings.add(Finding(rule, place, said.message, said.hint, also, said.fix))
    ordered = sorted(findings, key=lambda f: (f.place, f.rule.id, f.message))
    return Result(tuple(ordered), tuple(not_applied))


def _is_about(rule: Rule, deployment: Deployment) -> bool:
    """Whether a rule is about what a deployment runs on."""
    return deployment.runtime in rule.runtimes and deployment.platform in rule.platforms


_KNOWN: dict[Need, Callable[[Worker], bool]] = {
    Need.GPU: lambda worker: worker.gpu is not None,
    Need.ENGINE: lambda worker: worker.engine_known,
}


def _missing(rule: Rule, deployment: Deployment) -> list[str]:
    """Why a rule cannot be applied to the deployment, or to some of its workers."""
    reasons = []
    if Need.MODEL in rule.needs and deployment.model is None:
        reasons.append(Need.MODEL.value)
    if Need.RELEASE in rule.needs and deployment.release is None:
        reasons.append(Need.RELEASE.value)
    for need, known in _KNOWN.items():
        if need in rule.needs:
            unknown = [worker.name for worker in deployment.workers if not known(worker)]
            reasons += [f"{need.value} of {name}" for name in unknown]
    return reasons


def _narrowed(rule: Rule, deployment: Deployment) -> Deployment | None:
    """The deployment with only the workers a rule can judge; None when it cannot judge any."""
    if Need.MODEL in rule.needs and deployment.model is None:
        return None
    if Need.RELEASE in rule.needs and deployment.release is None:
        return None
    workers = deployment.workers
    for need, known in _KNOWN.items():
        if need in rule.needs:
            workers = tuple(worker for worker in workers if known(worker))
    if workers == deployment.workers:
        return deployment
    return replace(deployment, workers=workers) if workers else None
