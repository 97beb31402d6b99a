"""Does the benchmark measure the engine, or the queue in front of it?"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gptoss.deployment.model import Role
from gptoss.rules.benchmark.goodput import FIRST_TOKEN, limits_of
from gptoss.rules.rule import Need, Said, Severity, rule
from gptoss.rules.speed.request_rates import engines_of, flow_of, most_in_flight, traffic_of
from gptoss.rules.subjects import BENCHMARK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.jobs import Benchmark
    from gptoss.deployment.model import Deployment
    from gptoss.facts.world import Facts


class Queue(NamedTuple):
    """What waits.

    Attributes:
        wait, answer: Seconds until the first token, and from there to the last.
        rate: Requests that are answered a second.
        cause, more: What holds them up, and what would let more be in flight.
    """

    wait: float
    answer: float
    rate: float
    cause: str
    more: str


# Seconds that a request may wait where nobody says how long.
BORNE = 10.0
# A limit that is missed by less may be the estimate's fault.
MISSED = 2


@rule(
    "T003",
    "benchmark-measures-the-queue",
    Severity.INFO,
    of=BENCHMARK,
    needs=(Need.ENGINE, Need.MODEL, Need.GPU),
)
def benchmark_measures_the_queue(
    benchmark: Benchmark, deployment: Deployment, facts: Facts
) -> Iterator[Said]:
    """By estimate requests of the benchmark wait for their first token longer than they are served.

    So many requests are in flight that most of them wait: more than ten seconds, and longer than an
    answer takes; or more than twice the limit on the first token that goodput is counted with. Time
    to first token then measures the queue, and throughput does not rise with it. By Little's law
    the wait is what is in flight and not in decode, by what is answered a second.
    """
    queue = _queue(deployment, benchmark, facts)
    if queue is None:
        return
    wait, answer, rate, cause, more = queue
    limit = _limit(benchmark)
    if wait <= (MISSED * limit if limit else max(BORNE, answer)):
        return
    at = most_in_flight(benchmark)
    if at is None:
        return
    told = f", and the limit is {limit:g} s" if limit else f", and an answer takes {answer:.1f} s"
    yield Said(
        at,
        f"with {at.value:,} requests in flight the first token comes after about "
        f"{wait:,.0f} s by estimate{told}: {cause}",
        f"keep about {max(1, round(rate * (answer + (limit or 1)))):,} in flight, or {more}",
    )


def _queue(deployment: Deployment, benchmark: Benchmark, facts: Facts) -> Queue | None:
    """What waits where, by estimate; None where none waits or nothing can be said."""
    if flow := flow_of(deployment, benchmark, facts):
        rate = min(flow.prompts, flow.asked)
        cause, more = f"prefill gives {rate:.1f} requests a second", "let more GPUs prefill"
        if flow.asked < flow.prompts:
            cause = f"decode has room for {flow.places:,} and answers {rate:.1f} a second"
            more = "give decode more room"
        return Queue(flow.wait, flow.answer, rate, cause, more)
    return _aggregated_queue(deployment, benchmark, facts)


def _aggregated_queue(deployment: Deployment, benchmark: Benchmark, facts: Facts) -> Queue | None:
    """The same of aggregated serving, where a place is taken from prefill to the last token."""
    traffic = traffic_of(benchmark)
    if traffic is None or traffic.clients is None:
        return None
    workers = deployment.workers_with(Role.AGGREGATED)
    engines = engines_of(workers, traffic, deployment, facts)
    if engines is None or len(engines) < len(deployment.workers):
        return None
    places = sum(each.places for each in engines)
    if traffic.clients <= places:
        return None
    length = traffic.isl + traffic.osl / 2
    rate = 0.0
    for each in engines:
        decode = traffic.osl * each.speed.decode_time(each.batch, length) / each.batch
        rate += 1000 * each.ranks / (decode + each.prompt_time(traffic.isl))
    cause = f"there is room for {places:,}, and {rate:.1f} are answered a second"
    wait, answer = (traffic.clients - places) / rate, places / rate
    return Queue(wait, answer, rate, cause, "make room for more at once")


def _limit(benchmark: Benchmark) -> float | None:
    """Seconds that a first token may take by the limits of goodput; None where none is given."""
    goodput = benchmark.arguments["--goodput"].located if benchmark.arguments else None
    limit = limits_of(goodput.value).get(FIRST_TOKEN) if goodput else None
    return limit / 1000 if limit and limit > 0 else None
