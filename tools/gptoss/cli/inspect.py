"""``gptoss show`` and ``gptoss images``: what is in force, and what is pulled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gptoss.cli.options import source_options, text_or_json
from gptoss.cli.printing import put

if TYPE_CHECKING:
    from gptoss.sources.request import Request


@click.command()
@source_options
@text_or_json
def show(request: Request, form: str) -> None:
    """Shows the settings in force on each worker, and who sets them.

    Below each: what it beats. Above them: the room that the KV cache has, by estimate.

    Example: gptoss show disagg-gb200
    """
    from gptoss.sources.load import load

    loaded = load(request)
    from gptoss.showing.show import as_json, as_text

    render = as_json if form == "json" else as_text
    put(render(loaded.deployments), form)


@click.command()
@source_options
@text_or_json
def images(request: Request, form: str) -> None:
    """Lists every image that a deployment pulls, to copy into a registry of one's own.

    One a line, followed by its digest, where two others have published the same one, and by what
    uses it: init containers, sidecars and helm test too, and the benchmark even where it is off.

    \b
    Examples:
      gptoss images disagg-gb200
      gptoss images disagg-gb200 -f mine.yaml --format json
    """  # noqa: D301 (click's mark for lines that stay as they are)
    from gptoss.showing.pulled import as_json, as_text, read_images

    found = read_images(request)
    put(as_json(found) if form == "json" else as_text(found), form)
