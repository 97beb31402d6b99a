"""``gptoss preflight``."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from gptoss.cli.options import cluster_options, source_options, text_json_or_junit
from gptoss.cli.printing import give, paint, say
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from gptoss.sources.request import Request


@click.command()
@source_options
@cluster_options
@text_json_or_junit
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "info"]),
    default="error",
    show_default=True,
    help="Least status that makes the exit code 1; warning counts what may not be seen.",
)
def preflight(
    request: Request, namespace: str | None, context: str | None, form: str, fail_on: str
) -> None:
    """Asks a live cluster whether it takes a target and can run it, before it is installed.

    Reads only: versions, definitions, Secrets' keys, storage, nodes and free GPUs, taints, quota,
    admission, names, and what an upgrade would change. What the account may not read is said.

    Exit code 0: nothing at or above --fail-on; 1: something is; 2: no cluster, or bad usage.

    \b
    Examples:
      gptoss preflight disagg-gb200 -n serving
      gptoss preflight -n serving --context prod mine.yaml --set target=agg-gb200
      gptoss preflight deploy.yaml --format junit > preflight.xml
    """  # noqa: D301 (click's mark for lines that stay as they are)
    from gptoss.cluster.connecting import connect
    from gptoss.cluster.preflight import preflight_report as report
    from gptoss.cluster.preflight.answer import Status
    from gptoss.cluster.preflight.asking import ask
    from gptoss.cluster.wanted import wanted

    cluster = connect(context, namespace)
    target = wanted(request, cluster.namespace)
    if namespace and target.namespace != namespace:
        raise InputError(f"-n {namespace}: {target.label} says namespace {target.namespace}")
    cluster = replace(cluster, namespace=target.namespace)
    answers = ask(cluster, target)
    if form == "text":
        say(report.as_text(cluster, target, answers, paint))
    else:
        render = report.as_json if form == "json" else report.as_junit
        give(render(cluster, target, answers))
    order = list(Status)
    least = order.index(Status.UNKNOWN if fail_on == "warning" else Status(fail_on))
    if any(order.index(answer.status) >= least for answer in answers):
        sys.exit(1)
