"""``gptoss plan``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gptoss.cli.options import price_options, source_options, text_or_json
from gptoss.cli.printing import give, paint, say, tell
from gptoss.text import deadline
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from gptoss.planning.calibrating.calibration import Seen
    from gptoss.sources.request import Request


@click.command()
@source_options
@click.option(
    "--clients",
    multiple=True,
    type=click.IntRange(1),
    metavar="N",
    help="Requests on their way at once; may be repeated. Else those of the benchmark.",
)
@click.option("--isl", type=click.IntRange(1), metavar="TOKENS", help="Tokens of a prompt.")
@click.option("--osl", type=click.IntRange(2), metavar="TOKENS", help="Tokens of an answer.")
@click.option(
    "--output",
    "outputs",
    multiple=True,
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write it to a file too: .svg, .png, .json or .txt; may be repeated.",
)
@price_options
@click.option(
    "--measured",
    multiple=True,
    metavar="RUN",
    type=click.Path(exists=True, path_type=Path),
    help="Calibrate by benchmark runs of it, and keep that beside it; may be repeated.",
)
@text_or_json
def plan(
    request: Request,
    clients: tuple[int, ...],
    isl: int | None,
    osl: int | None,
    outputs: tuple[Path, ...],
    prices: dict[str, float],
    measured: tuple[Path, ...],
    form: str,
) -> None:
    """Predicts memory and speed before anything is started, and what holds it up.

    Memory of each worker's GPU line by line, then throughput, speed and waiting at the benchmark's
    load, each with how far it may be believed, and what the same GPUs could do. Several SOURCEs
    stand side by side. Speed takes NVIDIA's measured data, fetched on first use (Linux x86-64).

    \b
    Examples:
      gptoss plan disagg-gb200
      gptoss plan mine.yaml --clients 300 --isl 2000 --osl 500
      gptoss plan disagg-gb200 mine.yaml --format json
      gptoss plan disagg-gb200 --output plan.svg
      gptoss plan disagg-gb200 disagg-gb200-tuned --price gb200=10.5
      gptoss plan mine.yaml --measured artifacts/
    """  # noqa: D301 (click's mark for lines that stay as they are)
    from gptoss.planning.telling.plan_files import check_files, write_files
    from gptoss.sources.load import load

    check_files(outputs)
    deployments = load(request).deployments
    deadline.lift()
    from gptoss.live.environments import no_planning
    from gptoss.planning.telling.plan_report import as_json, as_text
    from gptoss.planning.telling.planned import Asked

    asked = Asked(clients, isl, osl, prices, _seen(measured, len(deployments)))
    if form == "json":
        every = as_json(deployments, asked, give)
    else:
        every = as_text(deployments, asked, say, paint)
    reasons = dict.fromkeys(each.why_not for each in every if each.why_not)
    for why in reasons:
        tell(why)
    write_files(outputs, every)
    # A machine that cannot have the data has got what it can have.
    click.get_current_context().exit(2 if reasons.keys() - {no_planning()} else 0)


def _seen(measured: tuple[Path, ...], deployments: int) -> tuple[Seen, ...]:
    """What runs hold; they are of one deployment."""
    if not measured:
        return ()
    if deployments != 1:
        raise InputError(f"--measured calibrates one deployment, and there are {deployments}")
    from gptoss.benchmarking.calibrating import seen_in

    return tuple(seen_in(measured))
