"""What a reader must know before believing a number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.benchmarking.metrics import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.benchmarking.runs import Run

# Chunks of several tokens hide the first only where markup is parsed away.
PARSED_ENDPOINTS = {"chat", "responses", None}


def notes_of(run: Run) -> list[str]:
    """What to know about a run's numbers."""
    return [
        *_simulated(run),
        *(f"concurrency {p.concurrency}: {text}" for p in run.points for text in p.notes),
        *_stream_interval(run),
        *_prompt_lengths(run),
        *_no_gpus(run),
        *_benchmark_serving(run),
    ]


def _simulated(run: Run) -> Iterator[str]:
    if run.plan.simulated:
        yield "the engine was simulated: rates and latencies say nothing of GPUs"


def _stream_interval(run: Run) -> Iterator[str]:
    """The bias of chunks of several tokens.

    The first token of a harmony answer is ``<|channel|>``, which the reasoning parser removes: the
    first visible one is in the second chunk.
    """
    writers = ("decode", "aggregated")
    intervals = [run.plan.stream_interval.get(role) or 1 for role in writers]
    interval = max(intervals)
    measured = [p for p in run.points if p.tool.startswith("aiperf") and p.ttft.p50 is not None]
    applies = interval > 1 and "gpt-oss" in (run.model or "")
    if not applies or not measured or measured[0].endpoint not in PARSED_ENDPOINTS:
        return
    point = measured[-1]
    osl = point.osl or run.plan.osl or 0
    if osl <= interval:
        short, whole = "ITL says nothing, for an answer is one chunk or two", None
    else:
        share = interval / osl
        short = f"ITL is about {share:.0%} short"
        whole = point.itl.p50 / (1 - share) * interval if point.itl.p50 else None
    waits = f" ({shown(whole)} ms at concurrency {point.concurrency})" if whole else ""
    yield (
        f"stream_interval {interval}: the first token of an answer is markup that nobody sees, so "
        f"TTFT contains about {interval} x ITL{waits}, and {short}. Goodput limits on TTFT judge "
        "the interval too."
    )


def _prompt_lengths(run: Run) -> Iterator[str]:
    pairs = [(p.isl_client, p.isl_server) for p in run.points if p.isl_client and p.isl_server]
    if pairs and pairs[0][1] > pairs[0][0] * 1.02:
        client, server = pairs[0]
        yield (
            f"a prompt of {client:,.0f} tokens is {server:,.0f} for the server, "
            "which adds the chat template"
        )


def _no_gpus(run: Run) -> Iterator[str]:
    if not run.gpus.owned:
        yield "nobody says how many GPUs there are: give --gpus for numbers a GPU"


def _benchmark_serving(run: Run) -> Iterator[str]:
    if any(p.tool == "benchmark_serving" for p in run.points):
        yield (
            "benchmark_serving: its TPOT is shown as ITL and its ITL as ICL, as aiperf has them; "
            "tok/s/user is 1 / its mean TPOT, and its user throughput is tok/s/request"
        )
