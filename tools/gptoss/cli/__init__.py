"""The command line. Each command imports what it needs, and nothing before it is called."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from gptoss import __version__
from gptoss.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
COLOURS = {
    "error": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow", "bold": True},
    "info": {"fg": "blue", "bold": True},
    "ok": {"fg": "green"},
    "place": {"bold": True},
    "caret": {"fg": "green", "bold": True},
    "hint": {"fg": "cyan"},
}


class Commands(click.Group):
    """A group that reports input errors in one line and exits with 2."""

    def invoke(self, ctx: click.Context) -> object:
        """Runs a command."""
        try:
            return super().invoke(ctx)
        except InputError as error:
            click.echo(f"gptoss: {error}", err=True)
            ctx.exit(2)


def paint(text: str, style: str) -> str:
    """Colours a text; click drops colours where the output is no terminal."""
    colours = COLOURS.get(style, {})
    return click.style(text, **colours) if colours else text  # type: ignore[arg-type]


def chart_options(command: Callable[..., None]) -> Callable[..., None]:
    """Options of every command that reads a deployment."""
    for option in reversed(
        (
            click.argument("sources", nargs=-1, metavar="[SOURCE]..."),
            click.option(
                "-f",
                "--values",
                "files",
                multiple=True,
                metavar="FILE",
                help="Values file laid over each target; may be repeated.",
            ),
            click.option(
                "--set",
                "settings",
                multiple=True,
                metavar="KEY=VALUE",
                help="Value laid over each target, as in helm; may be repeated.",
            ),
            click.option("--release", metavar="R", help="Read it as if it ran on this release."),
            click.option(
                "--format",
                "form",
                type=click.Choice(["text", "json"]),
                default="text",
                show_default=True,
                help="Form of the output.",
            ),
        )
    ):
        command = option(command)
    return command


@click.group(cls=Commands, context_settings=CONTEXT)
@click.version_option(__version__, prog_name="gptoss")
def main() -> None:
    """Checks, explains and measures deployments of gpt-oss-120b before anything is installed.

    A SOURCE is the name of a shipped target, a values file, a Kubernetes manifest, a folder of
    manifests, or - for manifests on standard input. Manifests given together are one deployment.
    """


@main.command()
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
def targets(form: str) -> None:
    """Lists the shipped targets and overlays.

    Example: gptoss targets
    """
    from gptoss.targets import listing

    click.echo(listing(form))


@main.command()
@chart_options
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


@main.command()
@chart_options
def show(
    sources: tuple[str, ...],
    files: tuple[str, ...],
    settings: tuple[str, ...],
    release: str | None,
    form: str,
) -> None:
    """Shows each worker's settings in force, who sets them, and what they beat.

    Example: gptoss show disagg-gb200
    """
    from gptoss.load import load

    loaded = load(sources, files, settings, release)
    from gptoss.show import as_json, as_text

    render = as_json if form == "json" else as_text
    click.echo(render(loaded.deployments))


@main.command()
@chart_options
def bench(
    sources: tuple[str, ...],
    files: tuple[str, ...],
    settings: tuple[str, ...],
    release: str | None,
    form: str,
) -> None:
    """Shows how concurrency and requests follow from GPUs, and the aiperf command line.

    Example: gptoss bench disagg-gb200 --format json
    """
    from gptoss.load import load

    loaded = load(sources, files, settings, release)
    from gptoss.bench import as_json, as_text

    render = as_json if form == "json" else as_text
    click.echo(render(loaded.deployments))


@main.command()
@click.argument("rule")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
def explain(rule: str, form: str) -> None:
    """Explains a rule: what, why, its source, a bad and a good example.

    Example: gptoss explain D003
    """
    from gptoss.explain import as_json, explanation

    click.echo(as_json(rule) if form == "json" else explanation(rule, paint))
