"""The report for a terminal, in 100 columns."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from gptoss.benchmarking.comparison import predicted
from gptoss.benchmarking.metrics import (
    E2EL,
    ICL,
    LENGTHS,
    LOAD,
    RATES,
    TPOT,
    TTFT,
    shown,
    signed,
)
from gptoss.benchmarking.priced import COST_HEAD, break_evens, priced, without_price
from gptoss.benchmarking.titles import about, point_name, problem_line
from gptoss.planning.costs.cost_words import title
from gptoss.text.columns import columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gptoss.benchmarking.comparison import Change, Compared
    from gptoss.benchmarking.run_report import Report
    from gptoss.benchmarking.runs import Run

WIDTH = 100
# What a terminal has room for: what was sent, its rates, then what one waits for.
AT = LOAD[0]
TABLES = ((*LOAD, *LENGTHS), (AT, *RATES), (AT, *TTFT, *E2EL), (AT, *TPOT, *ICL))


def as_text(report: Report) -> str:
    """The report for people at a terminal."""
    blocks = [
        _problems(report),
        *("\n".join(_run(run)) for run in report.shown),
        *("\n".join(_comparison(each)) for each in report.comparisons),
        *("\n".join(_prediction(run)) for run in report.runs if predicted(run)),
        _cost(report),
        _errors(report),
        _differences(report),
        _notes(report),
    ]
    return "\n\n".join(block for block in blocks if block)


def _problems(report: Report) -> str:
    found = report.problems
    if not found:
        return ""
    return "\n".join(["Problems", *(_wrapped(problem_line(*each)) for each in found)])


def _run(run: Run) -> Iterator[str]:
    yield run.name
    yield textwrap.fill(
        about(run), WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False
    )
    for table in TABLES:
        # The concurrency stands even where nobody says it; of the rest, what somebody measured.
        metrics = [
            table[0],
            *(m for m in table[1:] if any(m.of(p) is not None for p in run.points)),
        ]
        yield ""
        head = [metric.head for metric in metrics]
        rows = [[shown(metric.of(point)) for metric in metrics] for point in run.points]
        yield from _table([head, *rows])


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows in columns; those that find no room stand in a table below, after the first again."""
    lines = _indented(columns(rows, str.rjust))
    width = len(rows[0])
    while max(map(len, lines)) > WIDTH and width > 2:
        width -= 1
        lines = _indented(columns([row[:width] for row in rows], str.rjust))
    left = [[row[0], *row[width:]] for row in rows]
    return [*lines, "", *_table(left)] if len(left[0]) > 1 else lines


def _comparison(each: Compared) -> Iterator[str]:
    spread = any(change.spread is not None for _, changes in each.rows for change in changes)
    meaning = "difference in percent" + (", ± spread from run to run" if spread else "")
    yield f"{each.run.name} against {each.base.name} ({meaning})"
    if each.rows:
        head = ["concurrency", *(change.metric.head for change in each.rows[0][1])]
        yield from _table([head, *([shown(at), *map(_cell, row)] for at, row in each.rows)])
    if each.alone:
        yield f"  not in the baseline: concurrency {', '.join(map(shown, each.alone))}"


def _cell(change: Change) -> str:
    return signed(change.percent, change.spread)


def _prediction(run: Run) -> Iterator[str]:
    told = run.plan.prediction
    if told:
        yield f"{run.name} against what {told.source} predicted ({told.confidence})"
    head = ["concurrency", "", "measured", "predicted", "percent"]
    rows = [
        [shown(at), change.metric.head, shown(change.value), shown(change.base), _cell(change)]
        for at, changes in predicted(run)
        for change in changes
    ]
    yield from _table([head, *rows])
    yield from (_wrapped(reason) for reason in (told.reasons if told else ()))


def _cost(report: Report) -> str:
    found, missing = priced(report), without_price(report)
    lines = [_wrapped(f"Cost: {missing}", "")] if missing else []
    if found:
        lines += [_wrapped(title(report.prices), ""), *_table([COST_HEAD, *(p.row for p in found)])]
        lines += map(_wrapped, break_evens(report))
    return "\n".join(lines)


def _errors(report: Report) -> str:
    lines = [
        _wrapped(f"{count:,} x {cause} ({point_name(run, point)})")
        for run in report.shown
        for point in run.points
        for cause, count in point.causes.items()
    ]
    return "\n".join(["Errors by cause", *lines]) if lines else ""


def _differences(report: Report) -> str:
    rows = [[path, *values] for path, values in report.differences]
    if not rows:
        return ""
    head = ["", *(run.name for run in report.shown)]
    table = columns([head, *rows])
    if max(map(len, table)) + 2 <= WIDTH:
        return "\n".join(["What differs", *_indented(table)])
    lines = ["What differs"]
    for path, *values in rows:
        lines.append(f"  {path}")
        named = zip(report.shown, values, strict=True)
        lines += [_wrapped(f"{run.name}: {value}", "    ") for run, value in named]
    return "\n".join(lines)


def _notes(report: Report) -> str:
    runs: dict[str, list[str]] = {}
    for run, text in report.notes:
        runs.setdefault(text, []).append(run.name)
    lines = [_wrapped(f"{', '.join(names)}: {text}") for text, names in runs.items()]
    return "\n".join(["Read these numbers with care", *lines]) if lines else ""


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def _wrapped(text: str, indent: str = "  ") -> str:
    return textwrap.fill(text, WIDTH, initial_indent=indent, subsequent_indent=f"{indent}  ")
