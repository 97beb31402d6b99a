"""``gptoss status``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from gptoss.cli.options import cluster_options, source_options, text_or_json
from gptoss.cli.printing import paint, put, tell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.sources.request import Request


@click.command()
@source_options
@cluster_options
@text_or_json
def status(request: Request, context: str | None, namespace: str | None, form: str) -> None:
    """Says where an installed target stands: weights, pods, model, last benchmark.

    SOURCE is the name of a Helm release or of a graph, or what was installed: a target, a values
    file, manifests. Without one it is all that serves in the namespace. Nothing is changed.

    Exit code 0: clients get answers; 1: they do not, or not yet; 2: it cannot be found or asked.

    \b
    Examples:
      gptoss status -n serving
      gptoss status gpt-oss -n serving --context lab
      gptoss status mine.yaml --name chat --format json
    """  # noqa: D301 (click's mark for lines that stay as they are)
    from gptoss.cluster.connecting import connect
    from gptoss.cluster.finding_releases import called, nothing_called, seen_of, serving_in
    from gptoss.cluster.standing import standing
    from gptoss.cluster.status_report import as_json, as_text

    cluster = connect(context, namespace)
    serving = serving_in(cluster)
    asked = bool(request.sources or request.name or request.files)
    mains = called(serving, request.sources) if asked else serving
    names: Sequence[str] = request.sources
    if asked and not mains:
        names = _names(request)
        mains = called(serving, names)
    if not mains:
        raise nothing_called(names or ["a deployment"], cluster, serving)
    found = [standing(cluster, seen) for seen in seen_of(cluster, mains, tell)]
    put(as_json(found) if form == "json" else as_text(found, paint), form)
    sys.exit(0 if all(each.serves for each in found) else 1)


def _names(request: Request) -> list[str]:
    """What the sources are called where they are installed; a word that is no source is a name."""
    from gptoss.sources.load import load
    from gptoss.text.errors import InputError

    try:
        return [each.name for each in load(request).deployments]
    except InputError:
        if any(_is_a_word(source) for source in request.sources):
            return list(request.sources)
        raise


def _is_a_word(source: str) -> bool:
    """Whether it can only be the name of a release."""
    from pathlib import Path

    from gptoss.facts import folders

    return not Path(source).exists() and source not in folders.values_files()
