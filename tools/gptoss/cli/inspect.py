"""``gptoss show``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gptoss.cli.options import source_options, text_or_json

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
    click.echo(render(loaded.deployments))
