"""Runs the rules over a deployment."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gptoss import rules as _rules  # noqa: F401 (declares the rules)
from gptoss.deployment.model import REFUSALS
from gptoss.deployment.settings import WatchedSettings
from gptoss.rules.finding import Also, Finding
from gptoss.rules.rule import RULES, Need, Rule, Severity
from gptoss.text.budget import Kind, spend
from gptoss.text.places import place_of
from gptoss.text.shortened import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from gptoss.deployment.model import Deployment, Worker
    from gptoss.facts.world import Facts, Release
    from gptoss.rules.subjects import Case, Subject
    from gptoss.text.places import Place


@dataclass(frozen=True, slots=True)
class NotApplied:
    """A rule that could not be applied, and why.

    Attributes:
        rule: Its identifier.
        lacks: What it lacks.
        worker: The worker that it could not be applied to; '' where that is not one alone.
    """

    rule: str
    lacks: str
    worker: str = ""

    @property
    def reason(self) -> str:
        """Why it could not be applied."""
        return f"{self.worker}: {self.lacks}" if self.worker else self.lacks


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
    asked: set[str] = set()
    deployment = _watched(deployment, asked)
    beside = {
        "deployment": deployment,
        "facts": facts,
        "model": deployment.model,
        "release": deployment.release,
    }
    cases: dict[Subject, list[Case]] = {}
    findings: set[Finding] = set()
    not_applied: dict[NotApplied, None] = {}
    for rule in RULES.values() if only is None else only:
        if not _is_about(rule, deployment):
            continue
        if missing := _missing(rule, deployment):
            not_applied |= dict.fromkeys(NotApplied(rule.id, reason) for reason in missing)
            continue
        if rule.of not in cases:
            cases[rule.of] = list(rule.of.cases(deployment))
        for case in cases[rule.of]:
            unknown = _unknown(rule, case) if rule.needs else []
            found = [] if unknown else list(_findings(rule, case, beside))
            if asked:
                unknown += [
                    NotApplied(rule.id, f"{LEFT_OPEN} {k}", case.name) for k in sorted(asked)
                ]
                asked.clear()
            if unknown:
                not_applied |= dict.fromkeys(unknown)
            elif found:
                findings.update(_weighed(found, deployment.release))
    ordered = sorted(findings, key=lambda f: (f.place, f.rule.id, f.message))
    return Result(tuple(ordered), tuple(not_applied))


def _watched(deployment: Deployment, asked: set[str]) -> Deployment:
    """The deployment, noting which settings are asked for whose value is left to a shell."""
    if all(setting.is_resolved for worker in deployment.workers for setting in worker.engine):
        return deployment
    workers = (replace(w, engine=WatchedSettings(w.engine, asked)) for w in deployment.workers)
    return replace(deployment, workers=tuple(workers))


def _is_about(rule: Rule, deployment: Deployment) -> bool:
    """Whether a rule is about what a deployment runs on, and about what there is of it."""
    if deployment.is_refused and rule.reports not in REFUSALS:
        return False
    return deployment.runtime in rule.runtimes and deployment.platform in rule.platforms


def _missing(rule: Rule, deployment: Deployment) -> list[str]:
    """Why a rule cannot be applied to a deployment."""
    if deployment.engine_only and not rule.engine_only:
        return ["only an engine YAML is given"]
    missing = []
    if Need.MODEL in rule.needs and deployment.model is None:
        missing.append(Need.MODEL.value)
    if Need.RELEASE in rule.needs and deployment.release is None:
        missing.append(Need.RELEASE.value)
    return missing


LEFT_OPEN = "only a shell knows"

_KNOWN: dict[Need, Callable[[Worker], bool]] = {
    Need.GPU: lambda worker: worker.gpu is not None,
    Need.ENGINE: lambda worker: worker.engine_known and worker.counted,
}


def _unknown(rule: Rule, case: Case) -> list[NotApplied]:
    """Why a rule cannot be applied to one of its subjects."""
    return [
        NotApplied(rule.id, _lacks(need, worker), worker.name)
        for need, known in _KNOWN.items()
        if need in rule.needs
        for worker in case.workers
        if not known(worker)
    ]


def _lacks(need: Need, worker: Worker) -> str:
    """What a worker lacks that a rule needs."""
    if need is not Need.ENGINE:
        return str(need.value)
    if not worker.counted:
        return "only a shell knows the number"
    return str(need.value) if worker.arguments.complete else "only a shell knows all words"


def _weighed(found: list[Finding], release: Release | None) -> list[Finding]:
    """What a rule has found, with less weight in a release that nobody looked at."""
    rule = found[0].rule
    if rule.evidence.is_false_of(release):
        return []
    if not rule.evidence.is_unseen_in(release):
        return found
    if rule.severity is Severity.INFO:
        return []
    return [replace(finding, seen_for=rule.evidence.seen_for) for finding in found]


def _findings(rule: Rule, case: Case, beside: Mapping[str, object]) -> Iterator[Finding]:
    """What a rule says about one of its subjects, with what it takes beside."""
    parts = dict(zip(rule.of.parameters, case.parts, strict=True))
    takes = [parts[name] if name in parts else beside[name] for name in rule.takes]
    subjects = (case.name,) if case.name else ()
    for said in rule.check(*takes):
        place = place_of(said.at)
        elsewhere = ((place_of(at), message) for at, message in said.also)
        also = tuple(Also(at, shortened(message)) for at, message in elsewhere if at != place)
        fixes = (said.fix,) if said.fix else ()
        message, hint = shortened(said.message), shortened(said.hint)
        spend(Kind.FINDINGS, 1, place)
        yield Finding(rule, place, message, hint, also, fixes, subjects)
