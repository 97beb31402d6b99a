"""``gptoss upgrade``."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from gptoss.checking.judging import judged
from gptoss.cli.options import source_options, text_or_json
from gptoss.cli.printing import put, say
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.checking.checked import Checked
    from gptoss.sources.request import Request


@click.command()
@source_options
@text_or_json
@click.option("--to", metavar="R", required=True, help="Dynamo release to go to.")
@click.option("--write", is_flag=True, help="Make every change that has one right answer.")
@click.option("--diff", is_flag=True, help="Show what --write would change.")
def upgrade(request: Request, form: str, to: str, write: bool, diff: bool) -> None:
    """Lists what changes on another release, each with its source.

    Exit code 1: something stays that the release refuses and that has no one right answer.

    \b
    Examples:
      gptoss upgrade disagg-gb200 --to 1.4.2
      gptoss upgrade deploy.yaml --to 1.6.1 --write
    """  # noqa: D301 (click's mark for lines that stay as they are)
    if not request.sources:
        raise InputError("name what to upgrade: a target, a values file or manifests")
    from gptoss.comparing.upgrade import as_json, as_text, upgrade_plan
    from gptoss.facts.world import Facts

    def check(release: str | None) -> Sequence[Checked]:
        return judged(replace(request, release=release or request.release))

    plan = upgrade_plan(check, request.given, to, Facts())
    put(as_json(plan) if form == "json" else as_text(plan), form)
    if diff:
        say(plan.plan.diff(), nl=False)
    if write:
        plan.plan.write()
        say(plan.plan.summary(), err=True)
    if plan.is_blocked:
        sys.exit(1)
