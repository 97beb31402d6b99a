"""``gptoss simulate`` and ``gptoss setup``."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gptoss.cli.completion import releases_like
from gptoss.cli.options import source_options
from gptoss.cli.printing import say

if TYPE_CHECKING:
    from gptoss.live.running import Running
    from gptoss.sources.request import Request


@click.command()
@source_options
@click.option(
    "--engine",
    type=click.Choice(["scripted", "mocker"]),
    default="scripted",
    show_default=True,
    help="scripted speaks harmony; mocker is Dynamo's own, for load and KV routing.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, metavar="P")
@click.option("--speed", type=float, default=1.0, metavar="N", help="Times as fast.")
@click.option("--ttft", type=float, metavar="MS", help="Time to the first token.")
@click.option("--itl", type=float, metavar="MS", help="Time between tokens.")
@click.option("--smoke", is_flag=True, help="Run the launch script's smoke test.")
@click.option("--bench", is_flag=True, help="Run the target's benchmark, into ./results.")
@click.option(
    "--scale",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.01,
    show_default=True,
    metavar="S",
    help="Share of the benchmark's concurrency and requests.",
)
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="PART:ACTION@S",
    help="End, stop or start a part after S seconds; may be repeated.",
)
@click.option("--exit", "leave", is_flag=True, help="End when it has answered and jobs are done.")
def simulate(
    request: Request,
    engine: str,
    port: int,
    speed: float,
    ttft: float | None,
    itl: float | None,
    smoke: bool,
    bench: bool,
    scale: float,
    faults: tuple[str, ...],
    leave: bool,
) -> None:
    """Serves a target on this machine without a GPU.

    The target's own launch script runs: Dynamo's frontend and workers with its topology, arguments,
    engine files and ports, on a simulated TensorRT-LLM. Dynamo is installed on first use, beside
    gptoss and not into it. Everything listens on 127.0.0.1 only; Ctrl-C ends all of it.

    \b
    Examples:
      gptoss simulate disagg-gb200 --smoke --exit
      gptoss simulate agg-gb200 --bench --scale 0.02 --exit
      gptoss simulate agg-gb200 --release 1.2.1 --ttft 200 --itl 8
      gptoss simulate disagg-b200-node --fault prefill:kill@10s --fault prefill:start@20s
    """  # noqa: D301 (click's mark for lines that stay as they are)
    from gptoss.live import serving
    from gptoss.live.fault_times import parse_fault

    def measure(running: Running) -> int:
        from gptoss.benchmarking import measuring
        from gptoss.rendering.target import read_target

        code, _ = measuring.measure(
            read_target(request),
            running.url,
            Path("results"),
            scale,
            simulated=True,
            out=say,
            err=partial(say, err=True),
        )
        return code

    chosen = [(smoke, lambda running: running.smoke(say)), (bench, measure)]
    jobs = [job for asked, job in chosen if asked]
    code = serving.serve(
        request,
        serving.Wishes(engine, port, speed, ttft, itl),
        [parse_fault(text) for text in faults],
        jobs,
        leave=leave,
        echo=say,
    )
    click.get_current_context().exit(code)


@click.group()
def setup() -> None:
    """Installs what other commands need, before they need it.

    \b
    Examples:
      gptoss setup live
      gptoss setup plan
    """  # noqa: D301 (click's mark for lines that stay as they are)


@setup.command()
@click.option(
    "--release",
    "chosen",
    multiple=True,
    metavar="R",
    shell_complete=releases_like,
    help="Only Dynamo of this release; may be repeated.",
)
def live(chosen: tuple[str, ...]) -> None:
    """Makes the environments of Dynamo and aiperf and the model's files without weights.

    simulate and bench run make them on first use; this makes them beforehand, as for a machine
    that will be offline. Prints where each is.

    Example: gptoss setup live --release 1.3.1
    """
    from gptoss.facts.world import Facts
    from gptoss.live import environments
    from gptoss.live.fixture import model_cache

    for release in chosen or environments.releases():
        say(f"dynamo {release}: {environments.dynamo(release)}")
    if not chosen:
        say(f"aiperf: {environments.aiperf()}")
    for model in Facts().models.values():
        say(f"{model.id}: {model_cache(model)}")


@setup.command("plan")
def planning() -> None:
    """Makes the environment of aiconfigurator-core, with which plan and tune predict speed.

    They make it on first use; this makes it beforehand, as for a machine that will be offline.
    Prints where it is. It exists for Linux x86-64 and Python 3.11 to 3.13.

    Example: gptoss setup plan
    """
    from gptoss.live import environments

    say(f"aiconfigurator-core: {environments.planning()}")
