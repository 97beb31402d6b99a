"""SARIF 2.1.0 (docs.oasis-open.org/sarif/sarif/v2.1.0/errata01), as code scanning reads it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from gptoss import __version__
from gptoss.checking.checked import findings_of, not_applied_of, suppressed_of
from gptoss.reports.common import (
    documentation,
    fingerprints,
    hint_of,
    in_file,
    message_of,
    relative,
)
from gptoss.reports.sarif_fixes import fixes_of
from gptoss.rules.rule import RULES, Severity
from gptoss.text.as_json import Own, json_text
from gptoss.text.one_line import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.checking.checked import Checked
    from gptoss.reports import Style
    from gptoss.rules.finding import Finding
    from gptoss.rules.rule import Rule
    from gptoss.text.places import Place

LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
TOP = "SRCROOT"


def report(checked: Sequence[Checked], _style: Style) -> str:
    """One run with every rule, and with what is suppressed marked as such."""
    findings = findings_of(checked)
    reasons = {s.finding: s for s in suppressed_of(checked)}
    rules = list(RULES.values())
    index = {rule.id: position for position, rule in enumerate(rules)}
    results = []
    for finding, fingerprint in fingerprints([*findings, *reasons]).items():
        result = _result(finding, index[finding.rule.id], fingerprint)
        if fixes := fixes_of(finding, _artifact):
            result["fixes"] = fixes
        if finding in reasons:
            result["suppressions"] = [_suppression(reasons[finding].reason, reasons[finding].place)]
        results.append(result)
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "gptoss",
                "semanticVersion": __version__,
                "rules": [_rule(rule) for rule in rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(checked)],
        "results": results,
    }
    content = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json_text(content)


def _rule(rule: Rule) -> dict[str, Any]:
    reason = rule.reason or rule.summary
    said = "\n\n".join(dict.fromkeys((rule.summary, reason, f"Source: {rule.source}")))
    examples = f"**Bad**\n\n```yaml\n{rule.bad}\n```\n\n**Good**\n\n```yaml\n{rule.good}\n```"
    return {
        "id": rule.id,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": reason},
        "help": {
            "text": Own(f"{said}\n\nMore: {documentation(rule)}"),
            "markdown": Own(f"{said}\n\n{examples}\n\nMore: {documentation(rule)}"),
        },
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
        "properties": {"tags": [rule.name]},
    }


def _result(finding: Finding, rule_index: int, fingerprint: str) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.rule.id,
        "ruleIndex": rule_index,
        "level": LEVELS[finding.severity],
        "message": {"text": f"{message_of(finding)}. Hint: {hint_of(finding)}."},
        "locations": [_location(finding.place)],
        "partialFingerprints": {"gptoss/v1": fingerprint},
    }
    if finding.also:
        result["relatedLocations"] = [
            {"id": number, **_location(also.place), "message": {"text": one_line(said)}}
            for number, also in enumerate(finding.also, 1)
            if (said := also.message)
        ]
    return result


def _suppression(reason: str, place: Place) -> dict[str, Any]:
    """Where a comment, annotation or the configuration suppresses, and why."""
    return {
        "kind": "inSource" if in_file(place) else "external",
        "justification": reason,
        "location": _location(place),
    }


def _location(place: Place) -> dict[str, Any]:
    """A place in a file, or the name of what is no file: an argument, standard input."""
    if not in_file(place):
        return {"logicalLocations": [{"fullyQualifiedName": str(place)}]}
    return {
        "physicalLocation": {
            "artifactLocation": _artifact(place.file),
            "region": {"startLine": place.line, "startColumn": place.column},
        }
    }


def _artifact(file: str) -> dict[str, str]:
    path = Path(relative(file))
    if path.is_absolute():
        return {"uri": path.as_uri()}
    if ".." in path.parts:
        return {"uri": path.resolve().as_uri()}
    return {"uri": quote(os.fsencode(path.as_posix())), "uriBaseId": TOP}


def _invocation(checked: Sequence[Checked]) -> dict[str, Any]:
    """That the run was complete, and the rules that could not be applied."""
    notes = [
        {
            "level": "note",
            "message": {"text": one_line(f"{item.rule} was not applied: {item.reason}")},
            "associatedRule": {"id": item.rule},
        }
        for item in not_applied_of(checked)
    ]
    invocation: dict[str, Any] = {"executionSuccessful": True}
    return invocation | ({"toolExecutionNotifications": notes} if notes else {})
