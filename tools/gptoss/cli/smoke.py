"""``gptoss smoke``."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from gptoss.cli.options import request_options, text_json_or_junit
from gptoss.cli.printing import guarding, paint
from gptoss.text import deadline
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from gptoss.sources.request import Request

STYLES = {"passed": "ok", "failed": "error", "known": "warning", "unknown": "warning"}


@click.command()
@request_options
@click.option("--url", metavar="URL", help="Where a target is served; else by its launch script.")
@click.option("--model", metavar="NAME", help="Name to ask for; else the one that there is.")
@click.option(
    "--level",
    type=click.Choice(["quick", "full"]),
    default="quick",
    show_default=True,
    help="Seconds and few tokens, or all cases.",
)
@click.option("--wait", type=click.FloatRange(1), metavar="S", help="Seconds to become ready (10).")
@click.option("--timeout", type=click.FloatRange(1), metavar="S", help="Seconds for all of it.")
@click.option("--prefill-killed", is_flag=True, help="Only see that requests are refused.")
@text_json_or_junit
def smoke(
    request: Request,
    url: str | None,
    model: str | None,
    prefill_killed: bool,
    form: str,
    **given: Any,
) -> None:
    """Asks a running server for all that clients rely on.

    SOURCE is the address of a server, or a target, which says what it must be able to do. Runs the
    chart's own smoke script: reasoning, tool calls, streams, refusals, each case with a name.

    Exit code 0: no case failed; 1: one did; 2: nobody answers, or bad usage.

    \b
    Examples:
      gptoss smoke http://127.0.0.1:8000
      gptoss smoke disagg-gb200 --level full
      gptoss smoke agg-gb200 --url http://10.0.0.7:8000 --format junit > smoke.xml
    """  # noqa: D301 (click's mark for lines that stay as they are)
    from gptoss.live.smoke import is_address, script, words_for_address, words_for_target

    if len(request.sources) != 1:
        raise InputError("smoke takes one address, as http://127.0.0.1:8000, or one target")
    source = request.sources[0]
    if is_address(source):
        words = words_for_address(url or source, model, request.release)
    else:
        with deadline.within(deadline.SECONDS):
            words = words_for_target(request, url, model)
    words += ["--format", form, *(["--prefill-killed"] if prefill_killed else [])]
    for name, value in given.items():
        words += [f"--{name}", str(value)] if value is not None else []
    run = script()
    show = _coloured if sys.stdout.isatty() and not os.environ.get("NO_COLOR") else run.row
    with guarding(form):
        code = run.main(words, show)
    click.get_current_context().exit(code)


def _coloured(result: Any) -> str:
    """A result's lines with a coloured status."""
    from gptoss.live.smoke import script

    text: str = script().row(result)
    status = result.status
    return paint(status, STYLES.get(status, "hint")) + text[len(status) :]
