"""``gptoss rehearse``."""

from __future__ import annotations

import re
import signal
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from gptoss.cli.options import source_options, text_or_json
from gptoss.cli.printing import put
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.checking.checked import Checked
    from gptoss.comparing.upgrade import Upgrade
    from gptoss.sources.request import Request

RELEASE = re.compile(r"v?\d+\.\d+\.\d+\S*")


@click.command()
@source_options
@text_or_json
@click.option(
    "--to",
    metavar="RELEASE|FILE",
    required=True,
    help="Dynamo release to go to, or a values file or a worker's engine file that changes it.",
)
@click.option(
    "--order",
    type=click.Choice(["operator", "grove", "beside"]),
    default="operator",
    show_default=True,
    help="How it is carried out: by an operator with Deployments, by Grove, or as a second "
    "deployment beside the first.",
)
def rehearse(request: Request, form: str, to: str, order: str) -> None:
    """Carries an update out on this machine, and the way back, while clients ask.

    Dynamo's own frontends and workers of both sides run without a GPU on a simulated engine, and
    roll over in the order in which the operator rolls them. Says which answers clients lost, which
    requests were refused and when, what is parsed differently, and what it did to the time to the
    first token, beside what gptoss upgrade knows.

    Exit code 0: nothing was lost or refused and nothing is parsed worse there; 1: something was; 2:
    it cannot be rehearsed. An engine file belongs to the worker of its name (decode.yaml).

    \b
    Examples:
      gptoss rehearse disagg-b200-node --release 1.2.1 --to 1.3.1
      gptoss rehearse agg-gb200 --to engine/worker.yaml --format json
      gptoss rehearse disagg-gb200 --to 1.6.1 --order beside
    """  # noqa: D301 (click's mark for lines that stay as they are)
    if not request.sources:
        raise InputError("name what to rehearse: a target or a values file")
    from gptoss.live.rehearsal import rehearse as carry_out
    from gptoss.live.rehearsal_report import as_json, as_text
    from gptoss.live.serving import ENDED, INTERRUPTED

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(ENDED))
    known = _known(request, to) if RELEASE.fullmatch(to) else None
    try:
        found = carry_out(request, to, order, known)
    except KeyboardInterrupt:
        click.get_current_context().exit(INTERRUPTED)
    put(as_json(found) if form == "json" else as_text(found), form)
    click.get_current_context().exit(0 if found.is_clean else 1)


def _known(request: Request, to: str) -> Upgrade:
    from gptoss.checking.judging import judged
    from gptoss.comparing.upgrade import upgrade_plan
    from gptoss.facts.world import Facts

    def check(release: str | None) -> Sequence[Checked]:
        return judged(replace(request, release=release or request.release))

    return upgrade_plan(check, request.given, to, Facts())
