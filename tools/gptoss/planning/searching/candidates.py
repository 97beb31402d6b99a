"""The systems of a space, each predicted once."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from gptoss.deployment.model import Role
from gptoss.planning.layouts import Load, System
from gptoss.planning.loops.closed_loop import predict
from gptoss.planning.searching.space import (
    MOST_A_RANK,
    PREFILL_BATCH,
    batches,
    engine_of,
    with_headroom,
)
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gptoss.planning.layouts import Layout
    from gptoss.planning.prediction import Prediction
    from gptoss.planning.searching.space import Room, Shape, Wish
    from gptoss.planning.steps.step_times import Times


class Candidate(NamedTuple):
    """A system under a load, and the requests a rank for which it was made."""

    batch: int
    system: System
    load: Load


class Candidates:
    """The systems of a wish, and what was predicted of them."""

    def __init__(self, wish: Wish, room: Room, times: Times) -> None:
        self.wish = wish
        self.known: dict[Candidate, Prediction] = {}
        self._room = room
        self._times = times
        self._has_data: dict[Layout, bool] = {}

    @property
    def without_data(self) -> tuple[Layout, ...]:
        """Layouts that the library has no data of."""
        return tuple(layout for layout, has in self._has_data.items() if not has)

    def of(self, shape: Shape) -> list[Candidate]:
        """A shape with each load, fewest requests a rank first.

        None where the library has no data of a layout or a request does not fit.
        """
        parts = [shape.decode] + ([shape.prefill] if shape.prefill else [])
        if not all(self._is_known(part.layout) for part in parts):
            return []
        free = self.wish.clients is None
        found = []
        for batch, limit in self._limits(shape.decode.ranks):
            system = self._system(shape, limit)
            if system is None or (free and system.decode.max_batch_size < batch):
                break
            clients = self.wish.clients or batch * shape.decode.ranks
            found.append(Candidate(batch, system, Load(clients, self.wish.isl, self.wish.osl)))
        return found

    def predicted(self, those: Sequence[Candidate]) -> list[Prediction]:
        """What is predicted of candidates."""
        for one in those:
            if one not in self.known:
                self.known[one] = predict(one.system, one.load, self._times)
        return [self.known[one] for one in those]

    def _limits(self, ranks: int) -> Iterator[tuple[int, int]]:
        """Requests a rank with the batch limit for them."""
        clients = self.wish.clients
        if clients is None:
            yield from ((batch, with_headroom(batch)) for batch in batches())
            return
        share = min(MOST_A_RANK, math.ceil(clients / ranks))
        # Fewer at a time answer each of them faster, and let the others wait.
        if self.wish.limits.itl < math.inf:
            yield from ((batch, batch) for batch in batches() if batch < share)
        yield share, with_headroom(share)

    def _system(self, shape: Shape, limit: int) -> System | None:
        role = Role.DECODE if shape.prefill else Role.AGGREGATED
        decode = engine_of(shape.decode, role, limit, self.wish, self._room)
        prefill = None
        if shape.prefill is not None:
            prefill = engine_of(shape.prefill, Role.PREFILL, PREFILL_BATCH, self.wish, self._room)
        if decode is None or (shape.prefill is not None and prefill is None):
            return None
        system = System(str(shape), decode, prefill, self.wish.trtllm)
        return replace(system, unused=self.wish.gpus - system.gpus)

    def _is_known(self, layout: Layout) -> bool:
        if layout not in self._has_data:
            try:
                self._times.of(layout).decode(1, self.wish.isl)
            except InputError:
                self._has_data[layout] = False
            else:
                self._has_data[layout] = True
        return self._has_data[layout]
