"""``gptoss tune``."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

import click

from gptoss.cli.completion import files_like
from gptoss.cli.options import price_options, source_options, text_or_json
from gptoss.cli.printing import give, say, tell
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from gptoss.sources.request import Request


@click.command()
@source_options
@click.option("--isl", type=click.IntRange(1), metavar="TOKENS", help="Tokens of a prompt.")
@click.option("--osl", type=click.IntRange(2), metavar="TOKENS", help="Tokens of an answer.")
@click.option("--ttft", metavar="TIME", help="Most time to the first token, as in 2s or 800ms.")
@click.option("--itl", metavar="TIME", help="Most time between tokens, as in 20ms.")
@click.option(
    "--speed",
    type=click.FloatRange(0, min_open=True),
    metavar="N",
    help="Least tokens a second of each answer, instead of --itl.",
)
@click.option(
    "--clients",
    type=click.IntRange(1),
    metavar="N",
    help="Requests on their way at once; else as many as the limits bear.",
)
@click.option("--kv", type=click.Choice(["auto", "fp8"]), help="Type of the KV cache.")
@click.option(
    "--aggregated/--disaggregated",
    "aggregated",
    default=None,
    help="Only one kind of serving; else the better of both.",
)
@click.option(
    "--output",
    metavar="FILE",
    shell_complete=files_like,
    help="File for the values; standard output unless given.",
)
@price_options
@text_or_json
def tune(
    request: Request,
    isl: int | None,
    osl: int | None,
    ttft: str | None,
    itl: str | None,
    speed: float | None,
    clients: int | None,
    kv: str | None,
    aggregated: bool | None,
    output: str | None,
    prices: dict[str, float],
    form: str,
) -> None:
    """Finds what the same GPUs do best, and writes it as a values file.

    Searches replicas, parallel sizes, attention data parallelism, batch, chunk and the split of
    prefill and decode within nodes and memory, for the most output tokens a second that keep the
    limits. Of a SOURCE it takes GPUs and traffic; --gpu, --gpus, --isl and --osl say others.
    The front and the choice go to standard error where the values go to standard output.

    Exit code 0: found; 1: check finds errors in the file; 2: nothing keeps the limits, or bad
    usage.

    \b
    Examples:
      gptoss tune disagg-gb200 --speed 50 --ttft 2s --output mine.yaml
      gptoss tune --gpu h200 --gpus 8 --isl 2000 --osl 500 --clients 300 --output mine.yaml
      gptoss tune --gpu gb200 --gpus 5 --isl 8192 --osl 1024 --kv fp8 --itl 20ms --disaggregated
    """  # noqa: D301 (click's mark for lines that stay as they are)
    if itl is not None and speed is not None:
        raise InputError("--itl and --speed say the same; give one")
    from gptoss.planning.layouts import KvType
    from gptoss.planning.searching.space import Serving
    from gptoss.planning.tuned.tune_question import Wanted
    from gptoss.planning.tuned.tune_run import tune_request

    kinds = {True: Serving.AGGREGATED, False: Serving.DISAGGREGATED}
    wanted = Wanted(
        isl=isl,
        osl=osl,
        clients=clients,
        ttft=_milliseconds("--ttft", ttft),
        itl=_between_tokens(speed) if speed is not None else _milliseconds("--itl", itl),
        kv=KvType(kv if kv == "fp8" else "bfloat16") if kv else None,
        serving=None if aggregated is None else kinds[aggregated],
    )
    done = tune_request(request, wanted, output, prices, tell)
    if form == "json":
        give(done.as_json())
    else:
        say(done.as_text(), err=not output)
        if not output:
            give(done.values, nl=False)
    for line in done.findings:
        tell(line)
    if done.has_errors:
        sys.exit(1)


def _between_tokens(speed: float) -> float:
    """The milliseconds between tokens of answers that are so fast.

    Raises:
        InputError: No answer can be so fast or so slow.
    """
    found = 1000 / speed
    if not 0 < found < math.inf:
        raise InputError(f"--speed {speed:g}: give tokens a second of one answer, as in 50")
    return found


def _milliseconds(flag: str, text: str | None) -> float | None:
    """A time of the command line.

    Raises:
        InputError: It is none.
    """
    from gptoss.text.durations import milliseconds

    if text is None:
        return None
    found = milliseconds(text)
    if not found:
        raise InputError(f"{flag} {text}: give a time above zero, as in 2s or 800ms")
    return found
