"""A whole benchmark, event by event: what the closed form says is held against it."""

from __future__ import annotations

import heapq
import random
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from gptoss.planning.loops import admission
from gptoss.planning.loops.closed_loop import predict
from gptoss.planning.loops.split_loop import PREFILL_SLOWER
from gptoss.planning.loops.steady import host
from gptoss.planning.steps.curves import Curves
from tests.planning.simulated_engines import Replica, Request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.planning.layouts import Load, System
    from gptoss.planning.steps.step_times import Times


# Answers differ in length by a tenth, so that requests that met once do not meet for ever.
LENGTHS = (0.9, 1.1)


class Spread(NamedTuple):
    """Milliseconds of many requests."""

    mean: float
    p50: float
    p95: float


@dataclass(frozen=True, slots=True)
class Simulated:
    """What a benchmark would measure.

    Attributes:
        rate: Requests that are answered a second.
        decoding, prefilling, queued: Requests in each state on average.
        ttft: Milliseconds until the first token, waiting included.
        wait: Milliseconds of it in a queue, on average.
        itl: Milliseconds between two tokens; of each request its mean.
    """

    rate: float
    decoding: float
    prefilling: float
    queued: float
    ttft: Spread
    wait: float
    itl: Spread


def simulate(system: System, load: Load, times: Times, requests: int) -> Simulated:
    """Runs a benchmark until so many requests are answered.

    Clients start at any time within the first cycle of the closed form, and their first requests
    are not counted: what is left is the middle of a long benchmark.

    Raises:
        InputError: A request does not fit, or there are no times for a layout.
    """
    run = _Run(system, load, times)
    answered = run.until(load.clients + requests)
    first, counted = answered[load.clients - 1], answered[load.clients :]
    rate = len(counted) / (counted[-1].ended - first.ended) * 1000
    decoding = _mean([one.ended - one.first for one in counted])
    wait = _mean([one.started - one.sent for one in counted]) - run.host
    ttft = _spread([one.first - one.sent for one in counted])
    return Simulated(
        rate=rate,
        decoding=rate * decoding / 1000,
        prefilling=rate * (ttft.mean - wait) / 1000,
        queued=rate * wait / 1000,
        ttft=ttft,
        wait=wait,
        itl=_spread([one.itl for one in counted]),
    )


class _Answered(NamedTuple):
    sent: float
    started: float
    first: float
    ended: float
    itl: float


class _Run:
    """The clock, the clients and the replicas."""

    def __init__(self, system: System, load: Load, times: Times) -> None:
        self._load = load
        self._chance = random.Random(0)  # noqa: S311 (the same benchmark every time)
        self._events: list[tuple[float, int, Request | Replica]] = []
        self._order = count()
        self._now = 0.0
        self._answered: list[_Answered] = []
        decode, prefill = system.decode, system.prefill
        of = Curves(times.of(decode.layout), load)
        if prefill is None:
            admission.aggregated(decode, load)
            self._last = [Replica(decode, load, of) for _ in range(decode.replicas)]
            self._first = self._last
        else:
            admission.prompts(prefill, load)
            admission.answering(decode, load)
            before = Curves(times.of(prefill.layout), load)
            self._last = [Replica(decode, load, of, prefills=False) for _ in range(decode.replicas)]
            self._first = [
                Replica(prefill, load, before, answers=False, slower=PREFILL_SLOWER)
                for _ in range(prefill.replicas)
            ]
        self.host = host((prefill or decode).layout.gpu)
        self._cycle = load.clients / predict(system, load, times).rate * 1000

    def until(self, requests: int) -> list[_Answered]:
        """What was answered, in its order, until so many are."""
        for _ in range(self._load.clients):
            self._send(self._chance.uniform(0, self._cycle))
        while len(self._answered) < requests:
            self._now, _, what = heapq.heappop(self._events)
            if isinstance(what, Request):
                self._arrive(what, self._first)
            else:
                self._end(what)
        return self._answered[:requests]

    def _send(self, at: float) -> None:
        """A client sends its next request; how long the host takes varies, as it does."""
        arrives = at + self.host * self._chance.uniform(0.5, 1.5)
        osl = max(1, round(self._load.osl * self._chance.uniform(*LENGTHS)))
        self._push(arrives, Request(at, self._load.isl, osl))

    def _push(self, at: float, what: Request | Replica) -> None:
        heapq.heappush(self._events, (at, next(self._order), what))

    def _arrive(self, request: Request, pool: Sequence[Replica]) -> None:
        """The replica with fewest requests takes it."""
        replica = min(pool, key=lambda one: one.requests)
        replica.accept(request)
        if not replica.running:
            self._begin(replica)

    def _begin(self, replica: Replica) -> None:
        takes, admitted = replica.begin(self._now)
        if replica.running:
            self._push(self._now + takes, replica)
        for request in admitted:
            holder, request.holder = request.holder, None
            if holder:
                holder.free += holder.takes
                if not holder.replica.running:
                    self._begin(holder.replica)

    def _end(self, replica: Replica) -> None:
        prefilled, answered = replica.end(self._now)
        for request in answered:
            itl = (self._now - request.first) / max(1, request.osl - 1)
            found = _Answered(request.sent, request.started, request.first, self._now, itl)
            self._answered.append(found)
            self._send(self._now)
        if not replica.answers:
            for request in prefilled:
                self._arrive(request, self._last)
        self._begin(replica)


def _mean(of: Sequence[float]) -> float:
    return sum(of) / len(of)


def _spread(of: Sequence[float]) -> Spread:
    ordered = sorted(of)
    return Spread(_mean(of), ordered[len(of) // 2], ordered[len(of) * 95 // 100])
