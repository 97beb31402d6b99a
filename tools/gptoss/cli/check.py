"""``gptoss check``."""

from __future__ import annotations

import sys

import click

from gptoss.cli.options import paint, source_options, text_or_json


@click.command()
@source_options
@text_or_json
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "info"]),
    default="error",
    show_default=True,
    help="Least severity that makes the exit code 1.",
)
@click.option("--summary", is_flag=True, help="One row a deployment instead of its findings.")
def check(
    sources: tuple[str, ...],
    files: tuple[str, ...],
    settings: tuple[str, ...],
    release: str | None,
    form: str,
    fail_on: str,
    summary: bool,
) -> None:
    """Finds mistakes, at the line to edit. Without SOURCE it checks every shipped target.

    Exit code 0: nothing at or above --fail-on; 1: findings; 2: unreadable input or bad usage.

    \b
    Examples:
      gptoss check disagg-gb200
      gptoss check agg-gb200 -f values/quant-w4a8-mxfp4-mxfp8.yaml --release 1.3.1
      gptoss check deploy.yaml perf.yaml --fail-on warning
      kustomize build . | gptoss check -
    """  # noqa: D301 (click's mark for lines that stay as they are)
    from gptoss.load import load

    loaded = load(sources, files, settings, release)
    from gptoss import report
    from gptoss.checker import run
    from gptoss.findings import Severity

    checked = [report.Checked(d, run(d, loaded.facts)) for d in loaded.deployments]
    if form == "json":
        click.echo(report.as_json(checked))
    elif summary:
        serious = [c for c in checked if any(f.rule.severity > 1 for f in c.result.findings)]
        if serious:
            click.echo(report.as_text(serious, paint) + "\n")
        click.echo(report.as_table(checked, paint))
    else:
        click.echo(report.as_text(checked, paint))
    threshold = Severity[fail_on.upper()]
    if any(finding.rule.severity >= threshold for finding in report.findings_of(checked)):
        sys.exit(1)
