"""``gptoss targets`` and ``gptoss explain``."""

from __future__ import annotations

import click

from gptoss.cli.options import paint, text_or_json


@click.command()
@text_or_json
def targets(form: str) -> None:
    """Lists the shipped targets and overlays.

    Example: gptoss targets --format json
    """
    from gptoss.targets import listing

    click.echo(listing(form))


@click.command()
@click.argument("rule")
@text_or_json
def explain(rule: str, form: str) -> None:
    """Explains a rule: what, why, its source, a bad and a good example.

    Example: gptoss explain D003
    """
    from gptoss.explain import as_json, explanation

    click.echo(as_json(rule) if form == "json" else explanation(rule, paint))
