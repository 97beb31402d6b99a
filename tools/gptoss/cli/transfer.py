"""``gptoss diff`` and ``gptoss import``: coming from elsewhere, and how far it is."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from gptoss.cli.completion import sources_like
from gptoss.cli.options import allow_read_option, name_option, text_or_json, timeout_option
from gptoss.cli.printing import give, put, say
from gptoss.text.errors import InputError

STDIN = "-"
VALUES = "<values>"


@click.command()
@click.argument("left", metavar="A", shell_complete=sources_like)
@click.argument("right", metavar="B", shell_complete=sources_like)
@text_or_json
@name_option
@allow_read_option
@timeout_option
@click.option("--places", is_flag=True, help="Say below each setting who sets it on either side.")
def diff(left: str, right: str, form: str, name: str | None, places: bool) -> None:
    """Compares what is in force in two deployments.

    A and B are sources as check takes them. A target or manifest at another release is
    SOURCE@RELEASE; overlays over a target, and manifests that belong together, follow after commas.

    Exit code 0: the same is served; 1: settings differ; 2: unreadable input or bad usage.

    \b
    Examples:
      gptoss diff disagg-gb200@1.2.1 disagg-gb200@1.5.1
      gptoss diff disagg-gb200 deploy.yaml,perf.yaml --places
      gptoss diff agg-gb200 agg-gb200,quant-w4a8-mxfp4-mxfp8
      gptoss diff disagg-gb200 installed.yaml --name split
    """  # noqa: D301 (click's mark for lines that stay as they are)
    if left == right == STDIN:
        raise InputError("standard input holds one side; give the other as a file")
    from gptoss.comparing.compare import compare
    from gptoss.comparing.diff import as_json, as_text, read

    found = compare(read(left, name), read(right, name))
    labels = (left, right)
    put(as_json(labels, found) if form == "json" else as_text(labels, found, places), form)
    if found:
        sys.exit(1)


@click.command("import")
@click.argument(
    "sources", nargs=-1, required=True, metavar="SOURCE...", shell_complete=sources_like
)
@click.option("--output", metavar="FILE", help="File for the values; standard output unless given.")
@click.option("--gpu", metavar="GPU", help="Kind of GPU where the source does not tell it.")
@click.option("--release", metavar="R", help="Dynamo release to write the values for.")
@click.option("--name", metavar="NAME", help="Name for the Helm release.")
@allow_read_option
@text_or_json
@timeout_option
def import_(
    sources: tuple[str, ...],
    output: str | None,
    gpu: str | None,
    release: str | None,
    name: str | None,
    form: str,
) -> None:
    """Turns a deployment from elsewhere into a values file of the chart.

    A SOURCE is a DynamoGraphDeployment with what belongs to it, a trtllm-serve command line or
    script, a docker compose file, a Truss config.yaml, or values of vLLM's production-stack, of
    llm-d's modelservice or of NVIDIA's nim-llm chart. A comment at each setting says where it
    stood; what could not be carried over, and why, goes to standard error.

    Exit code 0: imported; 1: imported, but check finds errors in it; 2: it cannot be imported.

    \b
    Examples:
      gptoss import deploy.yaml perf.yaml --gpu gb200 --output values/mine.yaml
      gptoss import truss/config.yaml --release 1.2.1 > values/mine.yaml
      gptoss import launch.sh --gpu b200 --format json
      helm get values vllm > theirs.yaml && gptoss import theirs.yaml --output values/mine.yaml
    """  # noqa: D301 (click's mark for lines that stay as they are)
    from gptoss.importing.report import as_json, as_text
    from gptoss.importing.run import import_sources
    from gptoss.sources.request import Request
    from gptoss.text.secret_files import holds_secrets
    from gptoss.text.whole_files import write_whole

    shown = output or VALUES
    report = import_sources(Request(sources, release=release, gpu=gpu), name, shown)
    if output:
        text = report.imported.text
        write_whole(Path(output), text, private=holds_secrets(text))
    if form == "json":
        give(as_json(report))
    elif not output:
        give(report.imported.text, nl=False)
    if form == "text":
        say(as_text(report, shown), err=True)
    if report.has_errors:
        sys.exit(1)
