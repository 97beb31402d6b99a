"""Reports of a check, for people and for programs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gptoss.findings import Severity
from gptoss.secrets import line_without_secrets, without_secrets

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gptoss.checker import NotApplied, Result
    from gptoss.findings import Finding
    from gptoss.model import Deployment
    from gptoss.places import Place

WIDTH = 100


@dataclass(frozen=True, slots=True)
class Checked:
    """A deployment and what the rules say about it."""

    deployment: Deployment
    result: Result


def as_json(checked: Sequence[Checked]) -> str:
    """The machine-readable report."""
    report = {
        "checked": [item.deployment.source for item in checked],
        "findings": [_finding_json(finding) for finding in findings_of(checked)],
        "not_applied": [
            {"rule": item.rule, "reason": item.reason} for item in not_applied_of(checked)
        ],
    }
    return json.dumps(report, indent=2, ensure_ascii=False)


def as_text(checked: Sequence[Checked], paint: Callable[[str, str], str]) -> str:
    """The report for people: findings with their source lines, then a summary.

    Args:
        checked: What was checked.
        paint: Gives a text a colour; the identity where there is no terminal.
    """
    lines: list[str] = []
    cache: dict[str, list[str]] = {}
    for finding in findings_of(checked):
        lines += _finding_text(finding, cache, paint)
        lines.append("")
    skipped = not_applied_of(checked)
    if skipped:
        lines.append("not applied:")
        by_reason: dict[str, list[str]] = {}
        for item in skipped:
            by_reason.setdefault(item.reason, []).append(item.rule)
        for reason, rules in by_reason.items():
            lines.append(f"  {', '.join(rules)}: {reason}")
        lines.append("")
    lines.append(summary(findings_of(checked), len(checked)))
    return "\n".join(lines)


def as_table(checked: Sequence[Checked], paint: Callable[[str, str], str]) -> str:
    """One row a deployment: what it is and how many findings it has.

    A target with overlays stands below the target, named by the overlays alone.
    """
    head = ["target", "GPUs", "topology", "ISL/OSL", "concurrency", "requests", "findings"]
    rows = [head]
    colours = [""]
    for item in checked:
        rows.append(_row(item))
        worst = max((f.rule.severity for f in item.result.findings), default=None)
        colours.append(worst.word if worst else "ok")
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    lines = []
    for row, colour in zip(rows, colours, strict=True):
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        cells[-1] = paint(row[-1], colour)
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def findings_of(checked: Sequence[Checked]) -> list[Finding]:
    """Every finding once, sorted by place: a line shared by targets is reported once."""
    unique = dict.fromkeys(f for item in checked for f in item.result.findings)
    return sorted(unique, key=lambda f: (f.place, f.rule.id, f.message))


def not_applied_of(checked: Sequence[Checked]) -> list[NotApplied]:
    """Every rule that could not be applied, once with each reason."""
    return list(dict.fromkeys(n for item in checked for n in item.result.not_applied))


def summary(findings: Sequence[Finding], deployments: int) -> str:
    """One line that counts findings by severity."""
    counted = counts(findings)
    subject = "1 deployment" if deployments == 1 else f"{deployments} deployments"
    return f"{subject} checked: {counted}"


def counts(findings: Sequence[Finding]) -> str:
    """Findings by severity in words, as in "2 errors, 1 warning"."""
    words = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
    parts = []
    for severity, word in words.items():
        number = sum(finding.rule.severity is severity for finding in findings)
        if number:
            parts.append(f"{number} {word}{'s' if number > 1 else ''}")
    return ", ".join(parts) or "no findings"


def topology(deployment: Deployment) -> str:
    """The workers in short, as in "prefill TP1 + 2x decode TP4"."""
    parts = []
    for worker in deployment.workers:
        sizes = f"TP{worker.engine.whole('tensor_parallel_size') or 1}"
        expert = worker.engine.whole("moe_expert_parallel_size") or 1
        if expert > 1:
            sizes += f"/EP{expert}"
        if worker.attention_dp:
            sizes += "/ADP"
        count = f"{worker.replica_count}x " if worker.replica_count != 1 else ""
        parts.append(f"{count}{worker.role} {sizes}")
    return " + ".join(sorted(parts, reverse=True))


def _row(item: Checked) -> list[str]:
    deployment, benchmark = item.deployment, item.deployment.benchmark
    numbers = ["-", "-", "-"]
    if benchmark:
        tokens = (benchmark.input_tokens, benchmark.output_tokens)
        lengths = "/".join(str(t.value) if t else "?" for t in tokens)
        concurrency, requests = benchmark.concurrency, benchmark.requests
        numbers = [
            lengths,
            f"{concurrency.value:,}" if concurrency else "?",
            f"{requests.value:,}" if requests else "?",
        ]
    findings = counts(item.result.findings) if item.result.findings else "none"
    target, plus, overlays = deployment.source.partition(" + ")
    return [
        f"{plus.lstrip()}{overlays}" if plus else target,
        str(deployment.gpus),
        topology(deployment) or "-",
        *numbers,
        findings,
    ]


def _finding_json(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule.id,
        "name": finding.rule.name,
        "severity": finding.rule.severity.word,
        "message": without_secrets(finding.message),
        "hint": finding.hint,
        **_place_json(finding.place),
        "also": [{**_place_json(also.place), "message": also.message} for also in finding.also],
        "source": finding.rule.source,
    }


def _place_json(place: Place) -> dict[str, Any]:
    return {"file": place.file, "line": place.line, "column": place.column}


def _finding_text(
    finding: Finding, cache: dict[str, list[str]], paint: Callable[[str, str], str]
) -> list[str]:
    word = finding.rule.severity.word
    place, message = paint(str(finding.place), "place"), without_secrets(finding.message)
    lines = [f"{place}: {paint(word, word)}: {message} [{finding.rule.id}]"]
    lines += _excerpt(finding.place, cache, paint)
    for also in finding.also:
        lines.append(f"  {paint(str(also.place), 'place')}: {also.message}")
        lines += _excerpt(also.place, cache, paint)
    lines.append(f"  {paint('hint', 'hint')}: {finding.hint}")
    return lines


def _excerpt(
    place: Place, cache: dict[str, list[str]], paint: Callable[[str, str], str]
) -> list[str]:
    """The source line with a caret; nothing where the file cannot be read again."""
    if place.file not in cache:
        try:
            cache[place.file] = Path(place.file).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            cache[place.file] = []
    lines = cache[place.file]
    if not 0 < place.line <= len(lines):
        return []
    before = lines[place.line - 2] if place.line > 1 else ""
    line = line_without_secrets(lines[place.line - 1], before)
    start = place.column - 1
    shift = max(0, start - WIDTH // 2) if len(line) > WIDTH else 0
    shown = line[shift : shift + WIDTH - 4].rstrip()
    marked = _word_length(line, start)
    caret = " " * (start - shift) + "^" * max(1, min(marked, len(shown) - (start - shift)))
    return [f"  {shown}", f"  {paint(caret, 'caret')}"]


def _word_length(line: str, start: int) -> int:
    """Length of the word that begins at a column."""
    end = start
    while end < len(line) and not line[end].isspace() and line[end] not in ":,{}[]":
        end += 1
    return end - start
