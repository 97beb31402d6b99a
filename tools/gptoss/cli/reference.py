"""``gptoss targets``, ``rules``, ``explain`` and ``schema``: what the project knows."""

from __future__ import annotations

import click

from gptoss.cli.completion import releases_like, rules_like
from gptoss.cli.options import text_or_json
from gptoss.cli.printing import give, paint


@click.command()
@text_or_json
def targets(form: str) -> None:
    """Lists the shipped targets and overlays.

    Example: gptoss targets --format json
    """
    from gptoss.showing.targets import listing

    give(listing(form))


@click.command()
@text_or_json
def rules(form: str) -> None:
    """Lists the rules with their severity.

    Example: gptoss rules --format json
    """
    from gptoss.reports.explain import rules_listing

    give(rules_listing(form))


@click.command()
@click.argument("rule", shell_complete=rules_like)
@text_or_json
def explain(rule: str, form: str) -> None:
    """Explains a rule: what, why, its source, a bad and a good example.

    Example: gptoss explain D003
    """
    from gptoss.reports.explain import as_json, explanation

    give(as_json(rule) if form == "json" else explanation(rule, paint))


@click.group()
def schema() -> None:
    """Prints schemas for editors.

    \b
    Examples:
      gptoss schema values > values.schema.json
      gptoss schema engine --release 1.3.1 > engine.schema.json
    """  # noqa: D301 (click's mark for lines that stay as they are)


@schema.command()
@click.option(
    "--release",
    metavar="R",
    shell_complete=releases_like,
    help="Dynamo release; the default one unless given.",
)
def engine(release: str | None) -> None:
    """Prints the JSON Schema of the engine YAML for a release.

    Example: gptoss schema engine --release 1.3.1
    """
    from gptoss.facts.world import Facts
    from gptoss.showing.schema import engine_schema

    facts = Facts()
    give(engine_schema(release or facts.default_release.version, facts))


@schema.command("values")
def values_() -> None:
    """Prints the JSON Schema of the chart's values, of targets and of overlays.

    Example: gptoss schema values
    """
    from gptoss.facts import folders

    give(folders.values_schema().read_text(encoding="utf-8"), nl=False)
