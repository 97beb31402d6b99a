"""``gptoss bench run``."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gptoss.cli.options import source_options, text_or_json
from gptoss.cli.printing import give, say
from gptoss.text import deadline
from gptoss.text.as_json import json_text

if TYPE_CHECKING:
    from gptoss.sources.request import Request


@click.command()
@source_options
@click.option(
    "--output",
    "results",
    metavar="DIR",
    default="results",
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder that gets a folder for this run.",
)
@click.option(
    "--scale",
    metavar="FACTOR",
    type=click.FloatRange(0, min_open=True),
    default=1.0,
    help="Multiply concurrency and requests, as by 0.01 to try it on a laptop.",
)
@click.option("--simulated", is_flag=True, help="gptoss simulates the server: use its tokenizer.")
@text_or_json
def run(request: Request, results: Path, scale: float, simulated: bool, form: str) -> None:
    """Runs a target's own benchmark against a server: gptoss bench run TARGET [URL].

    Sends what the benchmark Job sends, with the same script, to URL, or else to where the target's
    launch script serves on this machine. The run gets a folder with its plan, its outcome and what
    aiperf writes. aiperf is the one on PATH, or is installed into a cache on first use.

    Exits with 1 when a request failed, answers are not as long as asked, fewer requests were in
    flight than asked or nothing was measured; with 2 when it cannot begin.

    \b
    Examples:
      gptoss bench run disagg-gb200 http://gpt-oss-frontend:8000
      gptoss bench run agg-gb200 http://127.0.0.1:8000 --scale 0.01 --simulated
    """  # noqa: D301 (click's mark for lines that stay as they are)
    from gptoss.benchmarking.measuring import measure
    from gptoss.live.smoke import is_address
    from gptoss.rendering.target import read_target
    from gptoss.text.errors import InputError

    urls = [source for source in request.sources if is_address(source)]
    if len(urls) > 1:
        raise InputError(f"{urls[1]}: one server is measured at a time")
    targets = tuple(source for source in request.sources if source not in urls)
    if len(targets) != 1:
        raise InputError("bench run takes one target; `gptoss targets` lists the shipped ones")
    target = read_target(replace(request, sources=targets))
    deadline.lift()
    # Progress goes to standard error where standard output is for programs.
    out = partial(say, err=form == "json")
    url = urls[0].rstrip("/") if urls else None
    code, folder = measure(
        target, url, results, scale, simulated=simulated, out=out, err=partial(say, err=True)
    )
    if form == "json":
        told = {"folder": str(folder) if folder else None, "code": code}
        for name in ("plan", "outcome"):
            path = folder / f"{name}.json" if folder else None
            told |= {name: json.loads(path.read_text("utf-8")) if path and path.exists() else None}
        give(json_text(told))
    sys.exit(code)
