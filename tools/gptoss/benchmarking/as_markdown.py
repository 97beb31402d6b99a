"""The report as Markdown, with charts in SVG files beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.benchmarking.comparison import predicted
from gptoss.benchmarking.metrics import METRICS, shown, signed
from gptoss.benchmarking.pictures import pictures
from gptoss.benchmarking.priced import COST_HEAD, break_evens, priced, without_price
from gptoss.benchmarking.titles import about, point_name, problem_line
from gptoss.drawing.pareto import WIDE
from gptoss.drawing.style import STYLE
from gptoss.planning.costs.cost_words import title

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gptoss.benchmarking.pictures import Picture
    from gptoss.benchmarking.run_report import Report

SPECIAL = str.maketrans({c: f"\\{c}" for c in "\\`*_{}[]<>#|"} | {"\n": " "})


def as_markdown(report: Report, prefix: str | None = None) -> tuple[str, dict[str, str]]:
    """The text, and the pictures that it shows by the names of their files.

    Args:
        report: What to say.
        prefix: What names of pictures begin with; None for a text without pictures.
    """
    drawn = [] if prefix is None else pictures(report)
    files = {f"{prefix}{each.name}.svg": each for each in drawn}
    return "\n".join(_lines(report, files)), {
        name: f"{each.draw(WIDE).render(STYLE)}\n" for name, each in files.items()
    }


def _lines(report: Report, files: dict[str, Picture]) -> Iterator[str]:
    yield "# Benchmark report"
    if report.problems:
        yield from ("", "## Problems", "")
        yield from (f"* **{escaped(problem_line(*each))}**" for each in report.problems)
    for name, picture in files.items():
        if not picture.over_time:
            yield from _picture(name, picture)
    for run in report.shown:
        baseline = " (baseline)" if run is report.baseline else ""
        yield from ("", f"## {escaped(run.name)}{baseline}", "", escaped(about(run)), "")
        rows = [[shown(metric.of(point)) for metric in METRICS] for point in run.points]
        yield from table([metric.head for metric in METRICS], rows)
    yield from _comparisons(report)
    yield from _cost(report)
    yield from _causes(report)
    for name, picture in files.items():
        if picture.over_time:
            yield from _picture(name, picture)
    if report.differences:
        yield from ("", "## What differs", "")
        rows = [[path, *values] for path, values in report.differences]
        yield from table(["setting", *(run.name for run in report.shown)], rows)
    if report.notes:
        yield from ("", "## Read these numbers with care", "")
        yield from (f"* **{escaped(run.name)}**: {escaped(text)}" for run, text in report.notes)


def _picture(name: str, picture: Picture) -> Iterator[str]:
    yield from ("", f"## {escaped(picture.title)}", "", picture.text, "")
    yield f"![{escaped(picture.title)}](<{name}>)"


def _cost(report: Report) -> Iterator[str]:
    if found := priced(report):
        yield from ("", "## Cost", "", escaped(title(report.prices)), "")
        yield from table(COST_HEAD, [each.row for each in found])
        if told := break_evens(report):
            yield from ("", *(f"* {escaped(each)}" for each in told))
    if missing := without_price(report):
        yield from ("", escaped(missing))


def _comparisons(report: Report) -> Iterator[str]:
    for each in report.comparisons:
        yield from ("", f"## {escaped(each.run.name)} against {escaped(each.base.name)}", "")
        yield from ("Differences in percent, ± the spread from run to run.", "")
        if each.rows:
            head = ["concurrency", *(change.metric.head for change in each.rows[0][1])]
            rows = [
                [shown(at), *(signed(c.percent, c.spread) for c in changes)]
                for at, changes in each.rows
            ]
            yield from table(head, rows)
    for run in report.runs:
        told = run.plan.prediction
        if told and predicted(run):
            yield from ("", f"## {escaped(run.name)} against the prediction", "")
            yield from (escaped(f"By {told.source}; {told.confidence}."), "")
            yield from (f"* {escaped(reason)}" for reason in told.reasons)
            yield from ("",) if told.reasons else ()
            yield from table(
                ["concurrency", "number", "measured", "predicted", "percent"],
                [
                    [shown(at), c.metric.head, shown(c.value), shown(c.base), signed(c.percent)]
                    for at, changes in predicted(run)
                    for c in changes
                ],
            )


def _causes(report: Report) -> Iterator[str]:
    rows = [
        [f"{count:,}", cause, point_name(run, point)]
        for run in report.shown
        for point in run.points
        for cause, count in point.causes.items()
    ]
    if rows:
        yield from ("", "## Errors by cause", "")
        yield from table(["requests", "cause", "where"], rows)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A table; numbers to the right."""
    yield f"| {' | '.join(map(escaped, head))} |"
    yield f"|{'---:|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(map(escaped, row))} |"


def escaped(text: str) -> str:
    """A text that Markdown shows as it is."""
    return text.translate(SPECIAL)
