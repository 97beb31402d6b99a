"""``gptoss show`` and ``gptoss bench``."""

from __future__ import annotations

import click

from gptoss.cli.options import source_options, text_or_json


@click.command()
@source_options
@text_or_json
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


@click.command()
@source_options
@text_or_json
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
