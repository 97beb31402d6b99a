"""The numbers that reports show: what they are called, their unit, and which way is better."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from gptoss.benchmarking.runs import Point


class Better(Enum):
    """Which way a number is better."""

    HIGHER = 1
    LOWER = -1
    NEITHER = 0


@dataclass(frozen=True)
class Metric:
    """One number of a point.

    ``key`` is its name in JSON and CSV, ``head`` in tables; ``about`` says what it is.
    """

    key: str
    head: str
    unit: str
    of: Callable[[Point], float | None]
    better: Better
    about: str


LOAD = (
    Metric(
        "concurrency",
        "concurrency",
        "requests",
        lambda p: p.concurrency,
        Better.NEITHER,
        "Requests that the client keeps in flight.",
    ),
    Metric(
        "effectiveConcurrency",
        "effective",
        "requests",
        lambda p: p.effective_concurrency,
        Better.NEITHER,
        "Requests that were in flight on the mean, start and end included.",
    ),
    Metric(
        "requests",
        "answered",
        "requests",
        lambda p: p.requests,
        Better.NEITHER,
        "Requests that got a whole answer; only these are in rates and latencies.",
    ),
    Metric(
        "errors",
        "errors",
        "requests",
        lambda p: p.errors,
        Better.LOWER,
        "Requests that failed.",
    ),
)
RATES = (
    Metric(
        "tokensPerSecond",
        "tok/s",
        "tokens/s",
        lambda p: p.tokens_per_second,
        Better.HIGHER,
        "Output tokens a second, of all requests together.",
    ),
    Metric(
        "tokensPerSecondPerGpu",
        "tok/s/GPU",
        "tokens/s/GPU",
        lambda p: p.tokens_per_second_per_gpu,
        Better.HIGHER,
        "Output tokens a second for each GPU owned, prefill included: what the money buys.",
    ),
    Metric(
        "tokensPerSecondPerDecodeGpu",
        "tok/s/decode GPU",
        "tokens/s/GPU",
        lambda p: p.tokens_per_second_per_decode_gpu,
        Better.HIGHER,
        "Output tokens a second for each GPU that writes answers; prefill GPUs are left out.",
    ),
    Metric(
        "tokensPerSecondPerUser",
        "tok/s/user",
        "tokens/s/user",
        lambda p: p.tokens_per_second_per_user,
        Better.HIGHER,
        "How fast one answer is written after its first token: the mean of 1 / ITL.",
    ),
    Metric(
        "goodput",
        "goodput",
        "requests/s",
        lambda p: p.goodput,
        Better.HIGHER,
        "Requests a second that kept every limit the run was given; empty when it had none.",
    ),
)
LATENCIES = (
    Metric(
        "ttftP50Ms",
        "TTFT p50",
        "ms",
        lambda p: p.ttft.p50,
        Better.LOWER,
        "Time to the first visible token: half of the requests had to wait less.",
    ),
    Metric(
        "ttftP90Ms",
        "TTFT p90",
        "ms",
        lambda p: p.ttft.p90,
        Better.LOWER,
        "Time to the first visible token: nine of ten requests had to wait less.",
    ),
    Metric(
        "ttftP99Ms",
        "TTFT p99",
        "ms",
        lambda p: p.ttft.p99,
        Better.LOWER,
        "Time to the first visible token: 99 of 100 requests had to wait less.",
    ),
    Metric(
        "itlP50Ms",
        "ITL p50",
        "ms",
        lambda p: p.itl.p50,
        Better.LOWER,
        "Time between tokens, the mean of a request: half of the requests were faster.",
    ),
    Metric(
        "itlP99Ms",
        "ITL p99",
        "ms",
        lambda p: p.itl.p99,
        Better.LOWER,
        "Time between tokens, the mean of a request: 99 of 100 requests were faster.",
    ),
)
LENGTHS = (
    Metric(
        "islClient",
        "ISL client",
        "tokens",
        lambda p: p.isl_client,
        Better.NEITHER,
        "Tokens of a prompt as the client made it.",
    ),
    Metric(
        "islServer",
        "ISL server",
        "tokens",
        lambda p: p.isl_server,
        Better.NEITHER,
        "Tokens of a prompt as the server counted it, chat template included.",
    ),
    Metric("osl", "OSL", "tokens", lambda p: p.osl, Better.NEITHER, "Tokens of an answer."),
)
METRICS = (*LOAD, *RATES, *LATENCIES, *LENGTHS)
COMPARED = tuple(
    metric
    for metric in METRICS
    if metric.key
    in {
        "tokensPerSecondPerGpu",
        "tokensPerSecondPerUser",
        "ttftP50Ms",
        "ttftP99Ms",
        "itlP50Ms",
        "itlP99Ms",
        "goodput",
    }
)


def shown(value: float | None) -> str:
    """A number for people: three digits that count, thousands apart; a dash for none."""
    if value is None:
        return "–"
    if isinstance(value, int) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def signed(percent: float | None, spread: float | None = None) -> str:
    """A change in percent as in "+5.1", with the run-to-run spread where it is known."""
    if percent is None:
        return "–"
    size = f"{percent:+,.0f}" if abs(percent) >= 99.95 else f"{percent:+.1f}"
    return size if spread is None else f"{size} ±{shown(spread)}"
