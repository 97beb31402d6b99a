"""Can a request meet the limits that it is held against?"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from gptoss.deployment.model import Role
from gptoss.rules.readings import pieces_of
from gptoss.rules.rule import DYNAMO, Need, Said, Severity, rule
from gptoss.rules.subjects import BENCHMARK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.jobs import Benchmark
    from gptoss.deployment.model import Deployment

FIRST_TOKEN, BETWEEN_TOKENS = "time_to_first_token", "inter_token_latency"


@rule(
    "B027",
    "first-token-limit-below-the-interval",
    Severity.WARNING,
    of=BENCHMARK,
    runtimes=DYNAMO,
    needs=(Need.ENGINE, Need.MODEL),
)
def first_token_limit_below_the_interval(
    benchmark: Benchmark, deployment: Deployment
) -> Iterator[Said]:
    """The goodput limit on the first token is below stream_interval times that between tokens.

    An answer of gpt-oss begins with channel markup, which no client sees. The first token that is
    seen comes with the second piece, stream_interval tokens later. A request that just meets the
    limit between tokens then misses the other one, however fast its prefill was: the limit on the
    first token judges the interval.
    """
    goodput = benchmark.arguments["--goodput"].located if benchmark.arguments else None
    if goodput is None:
        return
    limits = limits_of(goodput.value)
    first, between = limits.get(FIRST_TOKEN), limits.get(BETWEEN_TOKENS)
    for worker in deployment.workers:
        pieces = pieces_of(worker)
        if worker.role is Role.PREFILL or pieces == 1 or first is None or between is None:
            continue
        if first < pieces * between:
            yield Said(
                goodput,
                f"{FIRST_TOKEN} is limited to {first:g} ms, but {worker.name} sends {pieces} "
                f"tokens at once, and {pieces} × {between:g} ms may pass before one is seen",
                f"allow {pieces * between:g} ms and the time for prefill, or lower stream_interval",
                also=[(worker.engine["stream_interval"], f"stream_interval is {pieces}")],
            )


def limits_of(text: str) -> dict[str, float]:
    """Milliseconds by metric, of ``metric:limit`` pairs; what is no number is left out."""
    found = {}
    for pair in text.split():
        metric, _, limit = pair.partition(":")
        try:
            found[metric] = float(limit)
        except ValueError:
            continue
    return {metric: limit for metric, limit in found.items() if isfinite(limit)}
