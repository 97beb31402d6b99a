"""Does one side of disaggregated serving wait for the other?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.benchmark.counts import capacity_of
from gptoss.rules.rule import Need, Said, Severity, rule
from gptoss.rules.speed.request_rates import PREFILL_SLOWER, flow_of, gpus_of
from gptoss.rules.subjects import BENCHMARK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.jobs import Benchmark
    from gptoss.deployment.model import Deployment
    from gptoss.facts.world import Facts
    from gptoss.rules.speed.request_rates import Flow

# Another split has to bring so much more for a word about it.
WORTH = 1.2
# How far one side may be behind the other; what is reckoned with is off by less.
STARVED = 2
# The slowest prefill that was measured, against the library's: 48.9 ms of an iteration on B200
# where 28.8 were predicted (ai-dynamo/aiconfigurator#1254).
SLOWEST_PREFILL = 1.7


@rule(
    "T001",
    "prefill-starves-decode",
    Severity.INFO,
    of=BENCHMARK,
    needs=(Need.ENGINE, Need.MODEL, Need.GPU),
)
def prefill_starves_decode(
    benchmark: Benchmark, deployment: Deployment, facts: Facts
) -> Iterator[Said]:
    """By estimate decode could answer more than twice the requests that prefill gives it.

    Decode workers then run small batches on GPUs that could take many more requests, and requests
    wait for prefill. Another split of the same GPUs answers more of them. The estimate takes the
    benchmark's lengths and the times of iterations in schema/speed.yaml.
    """
    flow = flow_of(deployment, benchmark, facts)
    if flow is None or flow.asked <= STARVED * flow.prompts:
        return
    if flow.balanced(flow.asked) < WORTH * flow.prompts:
        return
    traffic, first = flow.traffic, flow.prefill[0].worker
    held = f"{flow.decoding:,.0f} of {flow.places:,} places"
    yield Said(
        first.replicas or first.place,
        f"by estimate prefill gives {_rate(flow.prompts)} requests of {traffic.isl:,} + "
        f"{traffic.osl:,} tokens a second, and decode could answer {_rate(flow.asked)}: about "
        f"{held} in decode are taken, and the same GPUs in balance could answer "
        f"{_rate(flow.balanced(flow.asked))}",
        _split(flow),
        also=[
            (each.worker.engine["max_batch_size"], capacity_of(each.worker)) for each in flow.decode
        ],
    )


@rule(
    "T002",
    "decode-starves-prefill",
    Severity.INFO,
    of=BENCHMARK,
    needs=(Need.ENGINE, Need.MODEL, Need.GPU),
)
def decode_starves_prefill(
    benchmark: Benchmark, deployment: Deployment, facts: Facts
) -> Iterator[Said]:
    """By estimate prefill could give more than twice the requests that decode can answer.

    More than half of the time GPUs that prefill have nothing to do, even with every place in decode
    taken, and fewer would do. Prefill is reckoned as slow as the slowest that was measured.
    """
    flow = flow_of(deployment, benchmark, facts)
    if flow is None or flow.prompts * PREFILL_SLOWER / SLOWEST_PREFILL <= STARVED * flow.most:
        return
    traffic, first = flow.traffic, flow.prefill[0].worker
    if _better(flow) >= gpus_of(flow.prefill) or flow.balanced(flow.most) < WORTH * flow.most:
        return
    yield Said(
        first.replicas or first.place,
        f"by estimate decode answers at most {_rate(flow.most)} requests of {traffic.isl:,} + "
        f"{traffic.osl:,} tokens a second, and prefill could give {_rate(flow.prompts)}",
        _split(flow),
        also=[
            (each.worker.engine["max_batch_size"], capacity_of(each.worker)) for each in flow.decode
        ],
    )


def _split(flow: Flow) -> str:
    """What to do: another split, or none."""
    prefill, gpus = gpus_of(flow.prefill), gpus_of([*flow.prefill, *flow.decode])
    better = _better(flow)
    if better == prefill:
        return "let all GPUs do both, in aggregated serving, or change their number"
    return f"let about {better} of the {gpus} GPUs prefill instead of {prefill}"


def _better(flow: Flow) -> int:
    """GPUs that should prefill for both sides to give as much, each at least one."""
    prefill, decode = gpus_of(flow.prefill), gpus_of(flow.decode)
    answers = flow.asked if flow.asked > flow.prompts else flow.most
    share = flow.balanced(answers) / flow.prompts * prefill
    return min(prefill + decode - 1, max(1, round(share)))


def _rate(requests: float) -> str:
    return f"{requests:.1f}" if requests < 10 else f"{requests:,.0f}"
