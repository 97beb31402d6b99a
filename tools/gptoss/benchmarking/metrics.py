"""The numbers that reports show: what they are called, their unit, and which way is better."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from gptoss.benchmarking.runs import Latency, Point


class Better(Enum):
    """Which way a number is better."""

    HIGHER = 1
    LOWER = -1
    NEITHER = 0


@dataclass(frozen=True)
class Metric:
    """One number of a point.

    ``key`` is its name in JSON and CSV, ``head`` in tables; ``about`` says what it is; ``aiperf``
    and ``serving`` are what aiperf and benchmark_serving call it, '' where they have none.
    """

    key: str
    head: str
    unit: str
    of: Callable[[Point], float | None]
    better: Better
    about: str
    aiperf: str = ""
    serving: str = ""


LOAD = (
    Metric(
        "concurrency",
        "concurrency",
        "requests",
        lambda p: p.concurrency,
        Better.NEITHER,
        "Requests that the client keeps in flight.",
        "--concurrency",
        "max_concurrency",
    ),
    Metric(
        "effectiveConcurrency",
        "effective",
        "requests",
        lambda p: p.effective_concurrency,
        Better.NEITHER,
        "Requests that were in flight on the mean, start and end included.",
        "effective_concurrency",
    ),
    Metric(
        "requests",
        "answered",
        "requests",
        lambda p: p.requests,
        Better.NEITHER,
        "Requests that got a whole answer; only these are in rates and latencies.",
        "request_count",
        "completed",
    ),
    Metric(
        "errors",
        "errors",
        "requests",
        lambda p: p.errors,
        Better.LOWER,
        "Requests that failed.",
        "error_request_count",
        "num_prompts - completed",
    ),
)
RATES = (
    Metric(
        "requestsPerSecond",
        "req/s",
        "requests/s",
        lambda p: p.requests_per_second,
        Better.HIGHER,
        "Request throughput: answered requests by the time they all took.",
        "request_throughput",
        "request_throughput",
    ),
    Metric(
        "tokensPerSecond",
        "tok/s",
        "tokens/s",
        lambda p: p.tokens_per_second,
        Better.HIGHER,
        "Output token throughput: tokens of all answers by the time they all took.",
        "output_token_throughput",
        "output_throughput",
    ),
    Metric(
        "totalTokensPerSecond",
        "total tok/s",
        "tokens/s",
        lambda p: p.total_tokens_per_second,
        Better.HIGHER,
        "Total token throughput: tokens of prompts and answers by the time they all took.",
        "total_token_throughput",
        "total_token_throughput",
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
        "tok/s/decode",
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
        "How fast one answer is written after its first token: the mean of 1 / TPOT.",
        "output_token_throughput_per_user",
    ),
    Metric(
        "tokensPerSecondPerRequest",
        "tok/s/request",
        "tokens/s/user",
        lambda p: p.tokens_per_second_per_request,
        Better.HIGHER,
        "How fast one answer comes with its TTFT: the mean of its tokens / E2EL.",
        "e2e_output_token_throughput",
        "user_throughput",
    ),
    Metric(
        "goodput",
        "goodput",
        "requests/s",
        lambda p: p.goodput,
        Better.HIGHER,
        "Requests a second that kept every limit the run was given; empty when it had none.",
        "goodput",
        "request_goodput",
    ),
)


def _latencies(
    key: str, head: str, of: Callable[[Point], Latency], about: str, aiperf: str, serving: str
) -> tuple[Metric, ...]:
    """Mean and percentiles of a latency."""
    return tuple(
        Metric(
            f"{key}{statistic.capitalize()}Ms",
            f"{head} {statistic}",
            "ms",
            lambda point, statistic=statistic: getattr(of(point), statistic),  # type: ignore[misc]
            Better.LOWER,
            f"{about}; {said}.",
            aiperf,
            serving,
        )
        for statistic, said in STATISTICS_SAID.items()
    )


STATISTICS_SAID = {
    "mean": "the mean of all requests",
    "p50": "half of the requests had less: the median",
    "p90": "nine of ten requests had less",
    "p99": "99 of 100 requests had less",
}
TTFT = _latencies(
    "ttft",
    "TTFT",
    lambda p: p.ttft,
    "Time to the first token: from sending a request to its first chunk",
    "time_to_first_token",
    "ttft",
)
TPOT = _latencies(
    "itl",
    "ITL (TPOT)",
    lambda p: p.itl,
    "Time per output token after the first, the mean of a request: (E2EL - TTFT) / (OSL - 1)",
    "inter_token_latency",
    "tpot",
)
ICL = _latencies(
    "icl",
    "ICL",
    lambda p: p.icl,
    "Inter-chunk latency: time between two chunks of an answer, each gap for itself",
    "inter_chunk_latency",
    "itl",
)
E2EL = _latencies(
    "e2el",
    "E2EL",
    lambda p: p.e2el,
    "End-to-end latency: from sending a request to the end of its answer",
    "request_latency",
    "e2el",
)
LATENCIES = (*TTFT, *TPOT, *ICL, *E2EL)
LENGTHS = (
    Metric(
        "islClient",
        "ISL client",
        "tokens",
        lambda p: p.isl_client,
        Better.NEITHER,
        "Tokens of a prompt as the client made it.",
        "input_sequence_length",
        "total_input_tokens / completed",
    ),
    Metric(
        "islServer",
        "ISL server",
        "tokens",
        lambda p: p.isl_server,
        Better.NEITHER,
        "Tokens of a prompt as the server counted it, chat template included.",
        "usage_prompt_tokens",
    ),
    Metric(
        "osl",
        "OSL",
        "tokens",
        lambda p: p.osl,
        Better.NEITHER,
        "Tokens of an answer.",
        "output_sequence_length",
        "total_output_tokens / completed",
    ),
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
