"""The steady state of engines that only prefill and engines that only answer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.planning.loops import admission
from gptoss.planning.loops.steady import BUSY, WORTH, Steady, host, waiting
from gptoss.planning.prediction import Bottleneck
from gptoss.planning.steps.curves import Curves, crossing

if TYPE_CHECKING:
    from gptoss.planning.layouts import Engine, Load, System
    from gptoss.planning.steps.step_times import Times

# Prefill engines take so much longer than the library's passes: measured where they were busy all
# the time, and the first token of an idle one. Decode engines need no such factor.
PREFILL_SLOWER = 1.4


def steady(system: System, load: Load, times: Times) -> Steady:
    """The steady state.

    Raises:
        InputError: A request does not fit, or there are no times for a layout.
    """
    prefill = system.prefill
    if prefill is None:
        raise ValueError("only for split serving")
    first = Prefill(
        prefill,
        admission.prompts(prefill, load),
        Curves(times.of(prefill.layout), load),
    )
    second = Decode(system.decode, load, Curves(times.of(system.decode.layout), load))
    places = admission.answering(system.decode, load)
    overhead = host(prefill.layout.gpu)

    def requests(batch: float) -> float:
        rate = second.rate(batch)
        joins = second.joins(batch) + overhead
        return batch * second.engine.ranks + rate * (first.time(rate) + joins) / 1000

    batch = crossing(requests, load.clients, float(places.requests))
    rate, itl = min(second.rate(batch), first.most), second.itl(batch)
    decoding = rate * (load.osl - 1) * itl / 1000
    ttft = max(0.0, load.clients - decoding) / rate * 1000
    wait = max(0.0, ttft - first.service(rate) - second.joins(batch) - overhead)
    waits = rate * wait / 1000
    bottleneck = places.because
    if rate > BUSY * first.most:
        bottleneck = Bottleneck.PREFILL
    elif batch < places.requests:
        bottleneck = Bottleneck.CLIENTS
    elif second.rate(batch * 1.5) < rate * WORTH:
        bottleneck = Bottleneck.DECODE
    return Steady(
        rate=rate,
        decoding=decoding,
        prefilling=max(0.0, load.clients - decoding - waits),
        queued=waits,
        ttft=ttft,
        wait=wait,
        itl=itl,
        bottleneck=bottleneck,
    )


@dataclass(frozen=True, slots=True)
class Prefill:
    """The ranks that prefill.

    Attributes:
        engine: Their engine.
        together: Prompts of one pass at most.
        curves: Their times.
    """

    engine: Engine
    together: float
    curves: Curves

    @property
    def most(self) -> float:
        """Prompts a second, all ranks."""
        return self.engine.ranks * self.together / self._pass(self.together) * 1000

    def service(self, rate: float) -> float:
        """Milliseconds of a pass at a rate of all ranks; prompts that came together go together."""
        if self.together < 1:
            return self._pass(1.0)
        each = rate / self.engine.ranks / 1000
        prompts = 1.0
        for _ in range(4):
            prompts = min(self.together, max(1.0, each * self._pass(prompts)))
        return self._pass(prompts)

    def time(self, rate: float) -> float:
        """Milliseconds from arrival to the end of the pass; infinite beyond what they can do."""
        busy = rate / self.most
        if busy >= 1:
            return math.inf
        service = self.service(rate)
        return service * (1 + waiting(busy, self.engine.replicas))

    def _pass(self, prompts: float) -> float:
        return PREFILL_SLOWER * self.curves.prefill(prompts)


@dataclass(frozen=True, slots=True)
class Decode:
    """The ranks that answer."""

    engine: Engine
    load: Load
    curves: Curves

    def itl(self, batch: float) -> float:
        """Milliseconds of an iteration when a rank has so many requests on average."""
        clients = max(1.0, self.load.clients / self.engine.ranks)
        # Besides itself a request meets its share of the others.
        met = min(batch + 1 - batch / clients, clients)
        return self.curves.decode(max(1.0, met))

    def joins(self, batch: float) -> float:
        """Milliseconds that are left of the iteration in which a request comes."""
        others = batch * (1 - 1 / max(1.0, self.load.clients / self.engine.ranks))
        return min(1.0, others) * self.itl(batch) / 2

    def rate(self, batch: float) -> float:
        """Requests a second, all ranks."""
        return self.engine.ranks * batch / (max(1, self.load.osl - 1) * self.itl(batch)) * 1000
