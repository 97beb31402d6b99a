"""The targets beside the documents that they were made of: what is the same, what not, and why."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from typing import TYPE_CHECKING, Any

from generate.evidence import faults_of_evidence, linked
from generate.markdown import cell, table
from generate.recorded import ROOT, deployment_of, documents
from generate.shipped import shipped
from gptoss.comparing.compare import compared
from gptoss.facts.world import Facts
from gptoss.sources.load import load
from gptoss.sources.request import Request
from gptoss.text import plain_yaml
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from generate.recorded import Document
    from gptoss.comparing.compare import Difference
    from gptoss.deployment.model import Deployment

CHART_REASONS = "schema/chart_reasons.yaml"
ABSENT = "not set"
# What both sides leave to releases that do not have the same defaults.
RELEASES: Mapping[str, Any] = {
    "of": ["*"],
    "defaults": True,
    "why": "nobody sets it; these are the defaults of two releases",
    "evidence": ["schema/releases.yaml: NVIDIA Dynamo releases"],
}


@dataclass(frozen=True, slots=True)
class Departure:
    """Settings in which a target differs from its document for one reason.

    Attributes:
        settings: Each with its subject, and the values in force on both sides.
        reason: Why.
        evidence: What shows it: rules, sources, places here.
    """

    settings: tuple[Difference, ...]
    reason: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A target beside a deployment of a document.

    Attributes:
        document: The document.
        deployment: Which of its deployments.
        target: The target, with overlays behind commas.
        kept: What the document sets that is in force as it says.
        departures: What is in force otherwise, by reason.
    """

    document: Document
    deployment: str
    target: str
    kept: tuple[Difference, ...]
    departures: tuple[Departure, ...]


@cache
def comparisons() -> tuple[Comparison, ...]:
    """Every target beside every deployment that it was made of.

    Raises:
        InputError: A difference has no reason, a reason no difference, or evidence is not there.
    """
    facts = Facts()
    pairs = [
        (document, name, target)
        for document in documents()
        for name, record in document.deployments.items()
        for target in record["targets"]
    ]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        names = list(dict.fromkeys(target for _, _, target in pairs))
        targets = dict(zip(names, pool.map(_target, names), strict=True))
    found: list[Comparison] = []
    faults: list[str] = []
    for document, name, target in pairs:
        settings = compared(deployment_of(document, name, facts), targets[target])
        found.append(judged(document, name, target, settings, faults))
    faults += _reasons_without_differences(found)
    if faults:
        raise InputError("\n".join(dict.fromkeys(faults)))
    return tuple(found)


def _target(name: str) -> Deployment:
    first, *overlays = name.split(",")
    if not overlays:
        return shipped()[first].deployment
    return load(Request((first,), files=tuple(overlays))).deployments[0]


def judged(
    document: Document, name: str, target: str, settings: Sequence[Difference], faults: list[str]
) -> Comparison:
    """What of the settings that were compared is kept, and why the others are not.

    Args:
        document: The document.
        name: The deployment of it.
        target: The target.
        settings: Every setting that was compared.
        faults: Gets what has no reason, or several.
    """
    by_reason: dict[int, tuple[Mapping[str, Any], list[Difference]]] = {}
    for setting in settings:
        if not setting.differs:
            continue
        given = [
            reason
            for reason in (*document.because, *of_the_chart())
            if told(reason, target, setting)
        ]
        if len(given) != 1:
            spelled = (
                f"{target}: {called(setting)} is {shown(setting.right)}, not {shown(setting.left)}"
            )
            problem = "gives no reason" if not given else f"gives {len(given)} reasons"
            faults.append(f"{document.file}: {spelled}, and `because` {problem}")
            continue
        by_reason.setdefault(id(given[0]), (given[0], []))[1].append(setting)
    departures = [
        Departure(tuple(found), reason["why"], tuple(reason["evidence"]))
        for reason, found in by_reason.values()
    ]
    kept = [s for s in settings if not s.differs and s.left_place is not None]
    return Comparison(document, name, target, tuple(kept), tuple(departures))


@cache
def of_the_chart() -> tuple[Mapping[str, Any], ...]:
    """Reasons that hold for every document, and that for defaults of two releases."""
    known = plain_yaml.load((ROOT / CHART_REASONS).read_text(encoding="utf-8"))
    return (*known["because"], RELEASES)


def told(reason: Mapping[str, Any], target: str, setting: Difference) -> bool:
    """Whether a reason is about a setting of a target."""
    nobody_sets_it = setting.left_place is None and setting.right_place is None
    if nobody_sets_it != reason.get("defaults", False):
        return False
    concerned = any(fnmatchcase(target, pattern) for pattern in reason.get("targets", ["*"]))
    return concerned and any(fnmatchcase(called(setting), pattern) for pattern in reason["of"])


def called(setting: Difference) -> str:
    """A setting as `because` names it: the only worker of a target is called worker."""
    subject = "worker" if setting.subject == "aggregated" else setting.subject
    return f"{subject}.{setting.setting}"


def _reasons_without_differences(found: Iterable[Comparison]) -> list[str]:
    """What is given as a reason of a target and explains nothing there, or proves nothing."""
    faults = []
    comparisons = tuple(found)
    given = [(d.file, d.because, [c for c in comparisons if c.document is d]) for d in documents()]
    for file, reasons, own in (*given, (CHART_REASONS, of_the_chart()[:-1], comparisons)):
        for reason in reasons:
            faults += [f"{file}: {fault}" for fault in faults_of_evidence(reason["evidence"])]
            for target in dict.fromkeys(c.target for c in own):
                if not any(fnmatchcase(target, p) for p in reason.get("targets", ["*"])):
                    continue
                there = [
                    d for c in own if c.target == target for e in c.departures for d in e.settings
                ]
                faults += [
                    f"{file}: {target} does as its document says in {pattern}; remove the reason"
                    for pattern in reason["of"]
                    if not any(fnmatchcase(called(d), pattern) for d in there)
                ]
    return faults


def beside(target: str) -> list[Comparison]:
    """A target beside each deployment that it was made of."""
    return [comparison for comparison in comparisons() if comparison.target == target]


def shown(value: Any) -> str:
    """A value as YAML writes it."""
    if value is None:
        return ABSENT
    if isinstance(value, list):
        return ", ".join(map(shown, value))
    if isinstance(value, dict):
        return json.dumps(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def departures_table(comparison: Comparison, docs: str) -> str:
    """What differs as a table of Markdown: settings that share a reason share a row.

    Args:
        comparison: The target beside its document.
        docs: What leads from the page to the folder of pages.
    """
    rows = ["| setting | document | here | why |", "|---|---|---|---|"]
    for departure in comparison.departures:
        columns = zip(*_merged(departure.settings), strict=True)
        why = cell(f"{departure.reason} ({linked(departure.evidence, docs)})")
        rows.append(table([[*("<br>".join(column) for column in columns), why]]))
    return "\n".join(rows)


def _merged(settings: Sequence[Difference]) -> list[tuple[str, str, str]]:
    """Name and values of each setting; what subjects have in common is told once."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for setting in settings:
        subject = called(setting).removesuffix(f".{setting.setting}")
        values = (setting.setting, cell(shown(setting.left)), cell(shown(setting.right)))
        found.setdefault(values, []).append(subject)
    return [
        (f"{', '.join(subjects)}: `{name}`", left, right)
        for (name, left, right), subjects in found.items()
    ]
