"""What the GPUs of deployments could do under the same traffic."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gptoss.planning.layouts import KvType
from gptoss.planning.searching.front import front_of
from gptoss.planning.searching.kv_rooms import room_for
from gptoss.planning.searching.neighbours import neighbours
from gptoss.planning.searching.search import search
from gptoss.planning.searching.space import MOST_GPUS, Wish

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gptoss.facts.models import Model
    from gptoss.facts.world import Facts
    from gptoss.planning.prediction import Prediction
    from gptoss.planning.searching.neighbours import Neighbour
    from gptoss.planning.searching.search import Found
    from gptoss.planning.steps.step_times import Times

# Up to so many systems each is predicted: an answer within seconds.
FEW = 4000


@dataclass(frozen=True, slots=True)
class CouldDo:
    """The best of some GPUs.

    Attributes:
        front: Systems that none beats in speed and throughput, the fastest answers first.
        neighbours: What is near a deployment and better at its load; of one deployment alone.
        predicted, systems: How many systems were predicted of how many there are.
    """

    front: tuple[Prediction, ...]
    neighbours: tuple[Neighbour, ...]
    predicted: int
    systems: int


def could_do(
    every: Sequence[Prediction], model: Model, facts: Facts, times: Times
) -> CouldDo | None:
    """What the GPUs of predicted systems could do.

    Args:
        every: Predictions, those of one deployment in the order of their loads.
        model: What is served.
        facts: What is known about GPUs.
        times: Step times.

    Returns:
        None where they have different GPUs or traffic, so that there is no front for them all, or
        more GPUs than a search ends with.

    Raises:
        InputError: A prediction fails.
    """
    wishes = _wishes(every, facts)
    if wishes is None:
        return None
    found = [search(wish, room_for(wish, model), times, exhaustive=FEW) for wish in wishes]
    front = front_of(_all(found))
    last, near = every[-1], []
    if len({one.system.name for one in every}) == 1:
        # A neighbour may keep its cache in another type too.
        types = KvType if not wishes[0].gpu.is_hopper else (wishes[0].kv,)
        same = [replace(wishes[0], kv=kv, clients=last.load.clients) for kv in types]
        near = neighbours(last, _all(search(one, room_for(one, model), times) for one in same))
    return CouldDo(
        front,
        tuple(near),
        sum(len(each.predicted) for each in found),
        sum(each.systems for each in found),
    )


def _wishes(every: Sequence[Prediction], facts: Facts) -> list[Wish] | None:
    """What to search for, one a type of KV cache that is in use; None where GPUs differ."""
    engines = [engine for one in every for engine in one.system.engines]
    kinds = {engine.layout.gpu for engine in engines}
    traffics = {(one.load.isl, one.load.osl) for one in every}
    counts = {one.system.gpus for one in every}
    if len(kinds) != 1 or len(traffics) != 1 or len(counts) != 1 or max(counts) > MOST_GPUS:
        return None
    gpu, trtllm = facts.gpu(kinds.pop()), every[0].system.trtllm
    (isl, osl), count = traffics.pop(), counts.pop()
    types = dict.fromkeys(engine.layout.kv for engine in engines)
    return [Wish(gpu, count, isl, osl, kv, trtllm=trtllm) for kv in types]


def _all(found: Iterable[Found]) -> list[Prediction]:
    return [one for each in found for one in each.predicted]
