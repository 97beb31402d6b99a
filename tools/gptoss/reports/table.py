"""The summary: one row a deployment, what it is and how many findings it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.checking.checked import findings_of, suppressed_of
from gptoss.reports.common import counts, topology
from gptoss.text.columns import columns
from gptoss.text.one_line import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.checking.checked import Checked
    from gptoss.reports import Style
    from gptoss.text.places import Located

HEAD = ["target", "GPUs", "topology", "ISL/OSL", "concurrency", "requests", "findings"]


def report(checked: Sequence[Checked], style: Style) -> str:
    """One row a deployment.

    A target with overlays stands below the target, named by the overlays alone.
    """
    rows = [HEAD]
    for item in checked:
        *cells, findings = _row(item)
        worst = max((f.severity for f in item.result.findings), default=None)
        rows.append([*cells, style.paint(findings, worst.word if worst else "ok")])
    return "\n".join(columns(rows))


def _row(item: Checked) -> list[str]:
    deployment, benchmark = item.deployment, item.deployment.benchmark
    numbers = ["-", "-", "-"]
    if benchmark:
        tokens = (benchmark.input_tokens, benchmark.output_tokens)
        lengths = "/".join(str(t.value) if t else "?" for t in tokens)
        if benchmark.is_sweep:
            steps = benchmark.steps
            numbers = [
                lengths,
                _range([step.concurrency for step in steps]),
                _range([step.requests for step in steps]),
            ]
        else:
            numbers = [lengths, _range([benchmark.concurrency]), _range([benchmark.requests])]
    target, plus, overlays = one_line(deployment.source).partition(" + ")
    return [
        f"{plus.lstrip()}{overlays}" if plus else target,
        str(deployment.gpus),
        topology(deployment) or "-",
        *numbers,
        _findings(item),
    ]


def _range(values: Sequence[Located[int] | None]) -> str:
    """A number, or the first and the last of a sweep."""
    ends = dict.fromkeys((values[0], values[-1]))
    return "…".join(f"{value.value:,}" if value else "?" for value in ends)


def _findings(item: Checked) -> str:
    findings = counts(findings_of([item])) if item.result.findings else "none"
    suppressed = len(suppressed_of([item]))
    return f"{findings} ({suppressed} suppressed)" if suppressed else findings
