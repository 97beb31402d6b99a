"""The threads part of docs/coverage.md: what others report, and which rule finds it."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from generate.markdown import anchor, cell, table
from gptoss.facts.fact_files import read_facts
from gptoss.rules.rule import RULES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

FILE = "schema/threads.yaml"
ROOT = Path(__file__).resolve().parents[2]
HEAD = ("thread", "reported", "what", "found by")
RULES_ALONE = "named by rules alone"


class Report(NamedTuple):
    """What a thread reports; ``schema/threads.yaml`` says what each key means.

    Attributes:
        thread: Repository and number, as in ``ai-dynamo/dynamo#5152``.
        date: When it was reported, '' where only a rule's evidence names it.
        about: The subject.
        says: What is reported.
        rules: Rules that find it.
        known: Keys of schema/known.yaml.
        facts: Files of schema/ that hold it.
        why: Why nothing finds it.
    """

    thread: str
    date: str
    about: str
    says: str
    rules: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    why: str = ""

    @property
    def is_found(self) -> bool:
        """Whether a rule or something known tells of it."""
        return bool(self.rules or self.known or self.facts)


def threads_part() -> str:
    """The part of the page, from its heading on."""
    reports = all_reports()
    by_subject: dict[str, list[Report]] = defaultdict(list)
    for report in reports:
        by_subject[report.about].append(report)
    subjects = sorted(by_subject, key=lambda subject: (subject == RULES_ALONE, subject.lower()))
    parts = ["## Threads", _summary(reports, by_subject, subjects)]
    for subject in subjects:
        rows = [HEAD, ("---",) * len(HEAD), *map(_row, by_subject[subject])]
        parts.append(f"### {_heading(subject)}\n\n{table(rows)}")
    return "\n\n".join(parts)


def all_reports() -> list[Report]:
    """Every thread, the newest first; those that only evidence names come last."""
    content = read_facts(ROOT / FILE, FILE)
    named = threads_of_rules()
    listed = [
        _report(thread, entry, content["reasons"], named.get(thread, {}))
        for thread, entry in content["threads"].items()
    ]
    alone = [
        Report(thread, "", RULES_ALONE, next(iter(says.values())), tuple(says))
        for thread, says in sorted(named.items())
        if thread not in content["threads"]
    ]
    return sorted(listed, key=lambda each: each.date, reverse=True) + alone


@cache
def threads_of_rules() -> Mapping[str, Mapping[str, str]]:
    """The rules whose evidence names a thread, each with what it says of it."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for rule in RULES.values():
        for seen in rule.evidence.seen:
            if seen.kind == "thread":
                found[seen.where][rule.id] = seen.says
    return found


def _report(
    thread: str, entry: Mapping[str, Any], reasons: Mapping[str, str], by: Mapping[str, str]
) -> Report:
    rules = tuple(sorted({*entry.get("rules", ()), *by}))
    return Report(
        thread=thread,
        date=str(entry["date"]),
        about=entry["about"],
        says=entry["says"],
        rules=rules,
        known=tuple(entry.get("known", ())),
        facts=tuple(entry.get("facts", ())),
        why="" if rules else reasons.get(entry.get("why", ""), ""),
    )


def _summary(
    reports: Sequence[Report],
    by_subject: Mapping[str, Sequence[Report]],
    subjects: Sequence[str],
) -> str:
    found = sum(report.is_found for report in reports)
    links = ", ".join(
        f"[{subject}](#{anchor(_heading(subject))}) {len(by_subject[subject])}"
        for subject in subjects
    )
    return f"""\
What users and maintainers report: {len(reports)} threads. A rule finds {found} of them, or
something that is known here tells of them. The other {len(reports) - found} say why not. The list
is [{FILE}](../{FILE}).

{links}."""


def _heading(subject: str) -> str:
    return subject[0].upper() + subject[1:]


def _row(report: Report) -> tuple[str, ...]:
    repository, _, number = report.thread.partition("#")
    link = f"[{report.thread}](https://github.com/{repository}/issues/{number})"
    return (link, report.date or "–", cell(report.says), ", ".join(_found_by(report)))


def _found_by(report: Report) -> Iterator[str]:
    yield from (f"[{rule}](rules/{rule}.md)" for rule in report.rules)
    yield from (f"[known](../schema/known.yaml): {key}" for key in report.known)
    yield from (f"[{Path(file).name}](../{file})" for file in report.facts)
    if report.why:
        yield f"none: {report.why}"
