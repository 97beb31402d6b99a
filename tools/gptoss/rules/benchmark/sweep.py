"""Does a concurrency sweep find what it looks for? Is the load generator one that is kept up?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.model import Role
from gptoss.rules.benchmark.counts import capacity_of
from gptoss.rules.readings import quoted
from gptoss.rules.rule import Need, Said, Severity, rule
from gptoss.rules.subjects import BENCHMARK
from gptoss.sources.parts.load_generators import GENAI_PERF

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.jobs import Benchmark
    from gptoss.deployment.model import Deployment, Worker
    from gptoss.text.places import Located

ROUNDS = 5


@rule(
    "B023",
    "sweep-above-capacity",
    Severity.INFO,
    of=BENCHMARK,
    needs=(Need.ENGINE,),
)
def sweep_above_capacity(benchmark: Benchmark, deployment: Deployment) -> Iterator[Said]:
    """A sweep goes on to concurrencies that the workers cannot decode at once.

    In those steps the excess waits in the queue: throughput does not rise any more, and time to
    first token measures the queue. They cost the most time of all.
    """
    steps, capacity = _concurrencies(benchmark), deployment.capacity
    above = [step for step in steps if capacity is not None and step.value > capacity]
    if not above:
        return
    decoding = _decoding(deployment)
    yield Said(
        above[0],
        f"the sweep goes on to {above[-1].value}, but the workers decode at most {capacity} at "
        f"once ({quoted(capacity_of(w) for w in decoding)}), so requests wait in "
        f"{len(above)} of its {len(steps)} steps",
        f"end it with {capacity}",
        also=[(w.engine["max_batch_size"], capacity_of(w)) for w in decoding],
    )


@rule(
    "B024",
    "sweep-ends-below-capacity",
    Severity.INFO,
    of=BENCHMARK,
    needs=(Need.ENGINE,),
)
def sweep_ends_below_capacity(benchmark: Benchmark, deployment: Deployment) -> Iterator[Said]:
    """A sweep of workers with attention data parallelism ends before they are full.

    The highest throughput of such a configuration is at max_batch_size times its GPUs; the sweep
    does not see it.
    """
    steps, capacity = _concurrencies(benchmark), deployment.capacity
    decoding = _decoding(deployment)
    if not steps or capacity is None or not all(worker.attention_dp for worker in decoding):
        return
    last = max(steps, key=lambda step: step.value)
    if last.value < capacity:
        yield Said(
            last,
            f"the sweep ends with {last.value}, but the workers decode {capacity} at once "
            f"({quoted(capacity_of(w) for w in decoding)})",
            f"end it with {capacity}, to see the highest throughput",
            also=[(w.engine["max_batch_size"], capacity_of(w)) for w in decoding],
        )


@rule(
    "B025",
    "sweep-steps-short",
    Severity.INFO,
    of=BENCHMARK,
)
def sweep_steps_short(benchmark: Benchmark) -> Iterator[Said]:
    """A step of a sweep sends less than five times its concurrency.

    Filling up and running empty then are a good part of the step, and its averages show them.
    """
    for step in benchmark.steps if benchmark.is_sweep else ():
        if step.concurrency is None or step.requests is None:
            continue
        concurrency, requests = step.concurrency, step.requests
        if requests.value < ROUNDS * concurrency.value:
            yield Said(
                requests,
                f"the step with concurrency {concurrency.value} sends {requests.value} requests, "
                f"{requests.value / concurrency.value:g} times the concurrency",
                f"send {ROUNDS} times the concurrency",
            )
            return


@rule(
    "B026",
    "genai-perf-superseded",
    Severity.INFO,
    of=BENCHMARK,
)
def genai_perf_superseded(benchmark: Benchmark) -> Iterator[Said]:
    """The benchmark runs genai-perf, which is deprecated in favour of aiperf.

    aiperf takes the same flags, and needs no ``--`` before headers. Flags of perf_analyzer behind
    ``--`` that aiperf has no equal of can go: it sizes its own workers.
    """
    if benchmark.tool is None or benchmark.tool.value != GENAI_PERF:
        return
    lost = [flag.value for flag in benchmark.lost]
    without = f", without {quoted(lost)}, which it has no equal of" if lost else ""
    yield Said(
        benchmark.tool,
        "the benchmark runs genai-perf, which is deprecated in favour of aiperf",
        f"run aiperf profile with the same flags{without}",
        also=[(flag, f"aiperf has no {flag.value}") for flag in benchmark.lost],
    )


def _concurrencies(benchmark: Benchmark) -> list[Located[int]]:
    """The concurrencies of a sweep; none for a fixed one."""
    steps = benchmark.steps if benchmark.is_sweep else ()
    return [step.concurrency for step in steps if step.concurrency]


def _decoding(deployment: Deployment) -> list[Worker]:
    return [worker for worker in deployment.workers if worker.role is not Role.PREFILL]
