"""The steady state of engines that compute prompts beside answers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.planning.loops import admission
from gptoss.planning.loops.steady import BUSY, WORTH, Steady, host, waiting
from gptoss.planning.prediction import Bottleneck
from gptoss.planning.steps.curves import Curves, crossing, lockstep

if TYPE_CHECKING:
    from gptoss.planning.layouts import Engine, Load, System
    from gptoss.planning.steps.step_times import Times


def steady(system: System, load: Load, times: Times) -> Steady:
    """The steady state.

    Raises:
        InputError: A request does not fit, or there are no times for the layout.
    """
    engine = system.decode
    rank = Rank(engine, load, Curves(times.of(engine.layout), load))
    places = admission.aggregated(engine, load)
    clients = max(1.0, load.clients / engine.ranks)
    overhead = host(engine.layout.gpu)
    at, most = rank.of(clients, overhead), float(places.requests)
    full = clients - at.rate * overhead / 1000 > most
    if full:
        at = rank.of(most)
    rate = min(load.clients, engine.ranks) * at.rate
    outside = (clients - most) / at.rate * 1000 - overhead if full else 0.0
    ttft = at.ttft + overhead + outside
    decoding = rate * (load.osl - 1) * at.itl / 1000
    waits = rate * (at.wait + outside) / 1000
    bottleneck = places.because
    if at.busy > BUSY:
        bottleneck = Bottleneck.PREFILL
    elif not full:
        bottleneck = Bottleneck.CLIENTS
    elif rank.of(most * 1.5).rate < at.rate * WORTH:
        bottleneck = Bottleneck.PREFILL if at.prompts > at.answers else Bottleneck.DECODE
    return Steady(
        rate=rate,
        decoding=decoding,
        prefilling=max(0.0, load.clients - decoding - waits),
        queued=waits,
        ttft=ttft,
        wait=at.wait + outside,
        itl=at.itl,
        bottleneck=bottleneck,
    )


@dataclass(frozen=True, slots=True)
class Cycle:
    """A rank at a number of requests.

    Attributes:
        rate: Requests answered a second.
        ttft, wait, itl: Milliseconds; no wait for a place in the batch.
        busy: Share of the prompts that its iterations could take.
        prompts, answers: Shares of the time that prompts and answers take.
    """

    rate: float
    ttft: float
    wait: float
    itl: float
    busy: float
    prompts: float
    answers: float


@dataclass(frozen=True, slots=True)
class Rank:
    """One rank under a load."""

    engine: Engine
    load: Load
    curves: Curves

    def of(self, active: float, away: float = 0.0) -> Cycle:
        """What it does with so many requests in its batch, or ``away`` from it for milliseconds."""
        answers, most = self.load.osl - 1, self._most(active)
        few = min(most * (1 - 1e-9), active / self.load.osl)
        started = crossing(lambda at: self._requests(at, most, active, away), active, few)
        mixed, plain, share, parts = self._iterations(started)
        mean = share * mixed + (1 - share) * plain
        # Its own prompt is none of the iterations that its answer waits for.
        seen = (share * (answers + parts) - parts) / answers if answers else 0.0
        itl = plain + min(1.0, max(0.0, seen)) * (mixed - plain)
        queue = self._wait(started, most)
        ttft = parts * mixed + queue + self._joins(started, active)
        return Cycle(
            rate=active * 1000 / (away + ttft + answers * itl),
            ttft=ttft,
            wait=queue,
            itl=itl,
            busy=started / most,
            prompts=share * (mixed - plain) / mean,
            answers=plain / mean,
        )

    def _requests(self, started: float, most: float, active: float, away: float) -> float:
        """Requests of the batch when so many start in an iteration on average."""
        mixed, plain, share, parts = self._iterations(started)
        mean = share * mixed + (1 - share) * plain
        idle = self._wait(started, most) + self._joins(started, active) + away
        return started * (self.load.osl - 1 + parts + idle / mean)

    def _joins(self, started: float, active: float) -> float:
        """Milliseconds that are left of the iteration in which a request comes."""
        mixed, plain, share, _ = self._iterations(started)
        mean = share * mixed + (1 - share) * plain
        left = (share * mixed**2 + (1 - share) * plain**2) / (2 * mean)
        return left * (1 - 1 / max(1.0, active))

    def _wait(self, started: float, most: float) -> float:
        """Milliseconds from then until an iteration has room for a prompt.

        Iterations with prompts take longer than others, so that more requests come meanwhile.
        """
        mixed, plain, share, parts = self._iterations(started)
        longer = mixed / (share * mixed + (1 - share) * plain)
        busy = min(1.0, started / most * longer)
        return parts * mixed * busy * waiting(busy, self._together(started))

    @property
    def _busy_ranks(self) -> float:
        """Ranks of a replica that have a client."""
        return min(self.engine.layout.ranks, max(1.0, self.load.clients / self.engine.replicas))

    def _most(self, active: float) -> float:
        """Prompts that an iteration can take at most, beside the answers that this makes."""
        engine, load = self.engine, self.load
        if engine.chunked_prefill:
            return engine.max_num_tokens / (load.isl + load.osl - 1)
        return float(max(1, int((engine.max_num_tokens - active) / load.isl)))

    def _together(self, started: float) -> float:
        """Prompts that fit into an iteration; below one where a prompt takes several."""
        answers = started * (self.load.osl - 1)
        room = max(1.0, self.engine.max_num_tokens - answers) / self.load.isl
        return room if self.engine.chunked_prefill else float(max(1, int(room)))

    def _iterations(self, started: float) -> tuple[float, float, float, float]:
        """Mixed and decode-only iterations, the share of mixed ones, and those of one prompt."""
        together = self._together(started)
        answers = started * (self.load.osl - 1)
        parts = 1.0
        prompts = min(together, started / -math.expm1(-started))
        if together < 1:
            # The last piece of a prompt leaves room for the first of the next, if one waits.
            parts = min(1.0, started / together) / together
            parts += (1 - min(1.0, started / together)) * math.ceil(1 / together - 1e-9)
            prompts = 1 / parts
        # Ranks step together: an iteration has prompts when one of them has.
        busy = self._busy_ranks
        share = 1 - (1 - min(1.0, started / prompts)) ** busy
        prompts = lockstep(prompts, started / share * busy / self.engine.layout.ranks)
        return self.curves.mixed(prompts, answers), self.curves.decode(answers), share, parts
