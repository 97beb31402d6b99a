"""``gptoss check``."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from gptoss.checking.judging import STDIN, judged
from gptoss.cli.completion import files_like, sources_like
from gptoss.cli.options import cluster_options, source_options
from gptoss.cli.printing import paint, put, say, tell
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gptoss.checking.checked import Checked
    from gptoss.checking.judging import Installed
    from gptoss.fixing.rounds import FixPlan
    from gptoss.sources.request import Request

CLUSTER = "cluster"
FORMATS = ("text", "json", "sarif", "junit", "github", "gitlab", "table")


@click.command()
@source_options
@click.option(
    "--format",
    "formats",
    type=click.Choice(FORMATS),
    multiple=True,
    help="Form of the output, text unless given; may be repeated along with --output.",
)
@click.option(
    "--output",
    "outputs",
    multiple=True,
    metavar="FILE",
    shell_complete=files_like,
    help="File for a report; its format is the next --format that fits, or its ending's.",
)
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "info"]),
    default="error",
    show_default=True,
    help="Least severity that makes the exit code 1.",
)
@click.option("--summary", is_flag=True, help="Errors and warnings, and one row a deployment.")
@click.option("--quiet", is_flag=True, help="Only errors and warnings, one line each.")
@click.option("--verbose", is_flag=True, help="Name the rules that were not applied.")
@click.option("--explain", is_flag=True, help="Show why, and the source, below each finding.")
@click.option("--fix", is_flag=True, help="Make every change that has one right answer.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, and change nothing.")
@click.option(
    "--against",
    metavar="OLD",
    shell_complete=sources_like,
    help="What is installed: a manifest, a folder, a target, or the word cluster for what runs.",
)
@click.option(
    "--suppressions",
    default="all",
    show_default=True,
    metavar="WHICH",
    help="Suppressions that count: all, none, or base:REVISION for those that stand there already.",
)
@cluster_options
def check(
    request: Request,
    formats: tuple[str, ...],
    outputs: tuple[str, ...],
    fail_on: str,
    summary: bool,
    quiet: bool,
    verbose: bool,
    explain: bool,
    fix: bool,
    diff: bool,
    against: str | None,
    suppressions: str,
    context: str | None,
    namespace: str | None,
) -> None:
    """Finds mistakes, at the line to edit. Without SOURCE it checks every shipped target.

    Exit code 0: nothing at or above --fail-on; 1: findings; 2: unreadable input or bad usage.
    With --fix it tells of the findings that stay, with --diff also of any change.

    \b
    Examples:
      gptoss check disagg-gb200
      gptoss check mine.yaml --set target=disagg-gb200
      gptoss check agg-gb200 -f values/quant-w4a8-mxfp4-mxfp8.yaml --release 1.3.1
      gptoss check deploy.yaml perf.yaml --fail-on warning --format github
      gptoss check decode.yaml --release 1.2.1 --gpu b200 --role decode
      gptoss check ctx.yaml gen.yaml --role prefill --role decode
      gptoss check manifests/ --fix
      gptoss check application.yaml helmrelease.yaml
      gptoss check new.yaml --against installed.yaml
      gptoss check mine.yaml --name chat --against cluster -n serving
      kustomize build . | gptoss check - --output report.sarif
    """  # noqa: D301 (click's mark for lines that stay as they are)
    from gptoss.cli.outputs import outputs as paired
    from gptoss.text.bounds import refuse_allowed

    if diff and (formats or outputs or summary):
        raise InputError("--diff prints only the changes; leave --format, --output, --summary out")
    reports = paired(formats or (("table",) if summary else ()), outputs)
    if "github" in formats:
        refuse_allowed("--format github")
    summary &= all(path or form == "table" for form, path in reports)  # else programs read it
    if against != CLUSTER and (context or namespace):
        raise InputError("--context and -n say which cluster, and go with --against cluster")
    before = _running(context, namespace) if against == CLUSTER else against
    judge = partial(judged, request, before, suppressions)
    plan = _planned(request, judge) if fix or diff else None
    if plan and diff:
        say(plan.diff(), nl=False)
        say(plan.summary("would fix"), err=True)
        sys.exit(1 if plan.changed or _fails(plan.checked, fail_on) else 0)
    if plan:
        plan.write()
        say(plan.summary(), err=True)
    checked = plan.checked if plan else judge()
    from gptoss.checking.checked import findings_of
    from gptoss.reports import render
    from gptoss.rules.rule import Severity
    from gptoss.text.whole_files import write_whole

    left = None if plan else request.given
    shown = partial(render, quiet=quiet, explain=explain, verbose=verbose, given=left)
    if summary and any(f.severity > Severity.INFO for f in findings_of(checked)):
        say(shown("text", _serious(checked), paint) + "\n")
    for form, path in reports:
        if path:
            write_whole(path, shown(form, checked) + "\n")
        else:
            text = shown(form, checked, paint)
            if text:
                put(text, form)
    if _fails(checked, fail_on):
        sys.exit(1)


def _running(context: str | None, namespace: str | None) -> Installed:
    """Finds what runs, in the cluster of a context."""
    from gptoss.cluster.connecting import connect
    from gptoss.cluster.released import installed_beside

    cluster = connect(context, namespace)
    return lambda those, facts: installed_beside(cluster, those, facts, tell)


def _planned(request: Request, judge: Callable[[], Sequence[Checked]]) -> FixPlan:
    """What --fix changes."""
    from gptoss.fixing.rounds import plan_fixes

    if STDIN in request.sources:
        raise InputError("standard input cannot be fixed; give the file")
    return plan_fixes(judge, request.given)


def _fails(checked: Sequence[Checked], fail_on: str) -> bool:
    """Whether any finding is as bad as --fail-on says."""
    from gptoss.checking.checked import findings_of
    from gptoss.rules.rule import Severity

    threshold = Severity[fail_on.upper()]
    return any(finding.severity >= threshold for finding in findings_of(checked))


def _serious(checked: Sequence[Checked]) -> list[Checked]:
    """The same with nothing but errors and warnings, for the table counts the notes."""
    return [
        replace(
            one,
            result=replace(
                one.result,
                findings=tuple(f for f in one.result.findings if f.severity > 1),
                not_applied=(),
            ),
        )
        for one in checked
    ]
