"""Explains one rule."""

from __future__ import annotations

import difflib
import json
import textwrap
from typing import TYPE_CHECKING, Any

from gptoss import rules as _rules  # noqa: F401 (declares the rules)
from gptoss.rules.rule import RULES, Rule
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gptoss.rules.evidence import Evidence

WIDTH = 100
INDENT = " " * 15
FIXABLE = "gptoss check --fix makes it where there is one right answer"


def find_rule(name: str) -> Rule:
    """The rule with an identifier or name.

    Raises:
        InputError: There is none.
    """
    for rule in RULES.values():
        if name.lower() in (rule.id.lower(), rule.name):
            return rule
    words = [*RULES, *(rule.name for rule in RULES.values())]
    nearest = difflib.get_close_matches(name.upper(), words, 1) or difflib.get_close_matches(
        name, words, 1
    )
    hint = f"did you mean {nearest[0]}?" if nearest else "`gptoss rules` lists them"
    raise InputError(f"there is no rule {name}; {hint}")


def as_json(name: str) -> str:
    """The rule's documentation as JSON.

    Raises:
        InputError: There is no such rule.
    """
    rule = find_rule(name)
    keys = ("id", "name", "summary", "reason", "source", "fixable", "bad", "good", "near")
    documented = {key: getattr(rule, key) for key in keys}
    more = {"evidence": _as_data(rule.evidence), "severity": rule.severity.word}
    return json.dumps(documented | more, indent=2, ensure_ascii=False)


def explanation(name: str, paint: Callable[[str, str], str]) -> str:
    """What a rule finds, why it matters, its source and its examples.

    Raises:
        InputError: There is no such rule.
    """
    rule = find_rule(name)
    word = rule.severity.word
    parts = [
        f"{paint(f'{rule.id} {rule.name}', 'place')}  {paint(word, word)}",
        "",
        rule.summary,
        "",
        rule.reason,
        "",
        *_evidence(rule, paint),
        *((f"{paint('fix', 'hint')}: {FIXABLE}",) if rule.fixable else ()),
        "",
        paint("bad", "error"),
        _indented(rule.bad),
        "",
        paint("good", "ok"),
        _indented(rule.good),
    ]
    return "\n".join(parts)


def _as_data(evidence: Evidence) -> dict[str, Any]:
    """Evidence as data."""
    seen = [
        {"kind": s.kind, "where": s.where, "says": s.says, "for": s.span.text if s.span else None}
        for s in evidence.seen
    ]
    holds = evidence.holds.text if evidence.holds else None
    return {"seen": seen, "holds": holds, "inferred": evidence.inferred}


def _evidence(rule: Rule, paint: Callable[[str, str], str]) -> Iterator[str]:
    """Where the fact is stated, and for which releases, line by line."""
    evidence = rule.evidence
    if evidence.holds:
        yield f"{paint('holds', 'hint')}: {evidence.holds.text}; silent elsewhere"
    for seen in evidence.seen:
        yield from textwrap.wrap(
            f"{paint('source', 'hint')}: {seen}", WIDTH, subsequent_indent=" " * 8
        )
    if evidence.inferred:
        yield f"{paint('inferred', 'hint')}: from {evidence.inferred}"


def rules_listing(form: str) -> str:
    """Every rule with severity, name, whether it has a fix, and summary.

    As text within 100 columns, or JSON.
    """
    if form == "json":
        listed = [
            {
                "id": rule.id,
                "name": rule.name,
                "severity": rule.severity.word,
                "fixable": rule.fixable,
                "summary": rule.summary,
                "documentation": f"docs/rules/{rule.id}.md",
            }
            for rule in sorted(RULES.values(), key=lambda rule: rule.id)
        ]
        return json.dumps(listed, indent=2, ensure_ascii=False)
    lines = []
    for rule in sorted(RULES.values(), key=lambda rule: rule.id):
        fixable = "  (fixable)" if rule.fixable else ""
        lines.append(f"{rule.id}  {rule.severity.word:<7}  {rule.name}{fixable}")
        summary = rule.summary.replace("``", "`")
        lines += textwrap.wrap(summary, WIDTH, initial_indent=INDENT, subsequent_indent=INDENT)
    return "\n".join(lines)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in text.splitlines())
