"""Does a run of the benchmark measure a steady state?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.rule import Said, Severity, rule
from gptoss.rules.subjects import BENCHMARK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.jobs import Benchmark

WARM_UP = ("--warmup-request-count", "--warmup-duration")
# A run of fewer fillings of the concurrency than this shows its last one in the averages.
FEW_WAVES = 5


@rule(
    "B017",
    "no-warm-up",
    Severity.INFO,
    of=BENCHMARK,
)
def no_warm_up(benchmark: Benchmark) -> Iterator[Said]:
    """The benchmark measures from the first request on.

    The first requests after a start pay for tuning and for memory that is allocated then. They
    count like all others and draw tail latencies up.
    """
    if benchmark.arguments is None or benchmark.concurrency is None:
        return
    arguments = benchmark.arguments
    asked = [arguments[flag] for flag in WARM_UP]
    places = [found.place for found in asked if found.place]
    if not arguments["--config"].place and all(found.value in (None, 0) for found in asked):
        yield Said(
            places[0] if places else arguments.command,
            "the benchmark sends no warm-up requests, so the first ones are measured cold",
            f"write --warmup-request-count {benchmark.concurrency.value}, the concurrency",
        )


@rule(
    "B018",
    "last-wave-half-empty",
    Severity.INFO,
    of=BENCHMARK,
)
def last_wave_half_empty(benchmark: Benchmark) -> Iterator[Said]:
    """The benchmark sends few times its concurrency, and not a whole number of times.

    For much of such a run fewer requests are in flight than it says, and the averages show it.
    """
    if benchmark.concurrency is None or benchmark.requests is None:
        return
    requests, concurrency = benchmark.requests, benchmark.concurrency
    count, flying = requests.value, concurrency.value
    if flying < 1 or not flying < count < FEW_WAVES * flying or count % flying == 0:
        return
    yield Said(
        requests,
        f"{count} requests fill a concurrency of {flying} {count // flying} times and leave "
        f"{count % flying} for the end, so much of the run has fewer in flight",
        f"write {10 * flying}, ten times the concurrency",
        also=[(concurrency, f"concurrency is {flying}")],
    )
