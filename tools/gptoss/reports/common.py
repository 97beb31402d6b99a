"""What every report says about findings."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from gptoss.checking.checked import Checked, findings_of, suppressed_of
from gptoss.deployment.model import Role
from gptoss.rules.rule import Severity
from gptoss.text.one_line import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gptoss.deployment.model import Deployment, Worker
    from gptoss.rules.finding import Finding
    from gptoss.rules.rule import Rule
    from gptoss.text.places import Place

POSITION = re.compile(r":\d+:\d+\b|\bline \d+\b")


def summary(checked: Sequence[Checked]) -> str:
    """One line that counts deployments, findings by severity and what is suppressed."""
    counted = counts(findings_of(checked))
    subject = "1 deployment" if len(checked) == 1 else f"{len(checked)} deployments"
    suppressed = len(suppressed_of(checked))
    return f"{subject} checked: {counted}" + (f" ({suppressed} suppressed)" if suppressed else "")


def counts(findings: Sequence[Finding]) -> str:
    """Findings by severity in words, as in "2 errors, 1 warning"."""
    words = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
    parts = []
    for severity, word in words.items():
        number = sum(finding.severity is severity for finding in findings)
        if number:
            parts.append(f"{number} {word}{'s' if number > 1 else ''}")
    return ", ".join(parts) or "no findings"


def topology(deployment: Deployment) -> str:
    """The workers' parallel sizes in short, prefill before the others, as in "TP1→2x TP4"."""
    prefill = deployment.workers_with(Role.PREFILL)
    others = [worker for worker in deployment.workers if worker not in prefill]
    return "→".join(", ".join(map(_engines, side)) for side in (prefill, others) if side)


def _engines(worker: Worker) -> str:
    count = f"{worker.replica_count}x " if worker.replica_count != 1 else ""
    return f"{count}{sizes(worker)}"


def sizes(worker: Worker) -> str:
    """A worker's parallel sizes in short, as in "TP4/EP4/ADP"."""
    text = f"TP{worker.engine.whole('tensor_parallel_size') or 1}"
    expert = worker.engine.whole("moe_expert_parallel_size") or 1
    if expert > 1:
        text += f"/EP{expert}"
    return f"{text}/ADP" if worker.attention_dp else text


def message_of(finding: Finding) -> str:
    """What a finding says, as one line without secrets."""
    return one_line(finding.message)


def hint_of(finding: Finding) -> str:
    """What to do about a finding, as one line without secrets."""
    return one_line(finding.hint)


def documentation(rule: Rule) -> str:
    """Where to read on: a report is read where this project's pages are not."""
    return f"run `gptoss explain {rule.id}` for examples"


def reason_of(rule: Rule) -> str:
    """Why a rule is there, in one line."""
    return " ".join((rule.reason or rule.summary).replace("``", "`").split())


def in_file(place: Place) -> bool:
    """Whether a place is in a file, not in an argument or in standard input."""
    return not place.file.startswith(("--", "<"))


def relative(file: str) -> str:
    """A file as code reviews name it: relative to the current folder where it is inside."""
    path = Path(file)
    try:
        return path.relative_to(Path.cwd()).as_posix() if path.is_absolute() else path.as_posix()
    except ValueError:
        return path.as_posix()


def fingerprints(findings: Iterable[Finding]) -> dict[Finding, str]:
    """An identifier a finding that stays the same when lines move.

    It is made of rule, file and message without positions; findings that agree in all three are
    counted in the order of their places.
    """
    seen: Counter[str] = Counter()
    identifiers = {}
    for finding in findings:
        text = "\n".join(
            (finding.rule.id, relative(finding.place.file), POSITION.sub("", message_of(finding)))
        )
        # A file's name may hold bytes that are no text.
        content = f"{text}\n{seen[text]}".encode(errors="surrogateescape")
        identifiers[finding] = hashlib.sha256(content).hexdigest()
        seen[text] += 1
    return identifiers
