"""Replicas of an engine, iteration by iteration, by the rules of TensorRT-LLM's scheduler."""

from __future__ import annotations

import math
from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gptoss.planning.loops.admission import in_blocks
from gptoss.planning.steps.curves import lockstep

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.planning.layouts import Engine, Load
    from gptoss.planning.steps.curves import Curves


@dataclass(slots=True, eq=False)
class Request:
    """One request; times are milliseconds of the simulation."""

    sent: float
    prompt_left: int
    osl: int
    started: float = 0.0
    first: float = 0.0
    holder: Rank | None = None


@dataclass(slots=True, eq=False)
class Rank:
    """One rank: requests that wait, whose prompts are computed, and that are answered."""

    replica: Replica
    takes: int
    free: int
    waiting: deque[Request] = field(default_factory=deque)
    prompts: list[Request] = field(default_factory=list)
    completed: list[Request] = field(default_factory=list)
    answering: int = 0
    ending: dict[int, list[Request]] = field(default_factory=lambda: defaultdict(list))

    @property
    def requests(self) -> int:
        """All that it has."""
        return len(self.waiting) + len(self.prompts) + self.answering

    def admit(self) -> Iterator[Request]:
        """Those that get a place in the batch and room for all of their tokens, in their order."""
        while (
            self.waiting
            and self.free >= self.takes
            and self.answering + len(self.prompts) < self.replica.engine.max_batch_size
        ):
            self.free -= self.takes
            yield self.waiting.popleft()

    def compute(self, now: float) -> int:
        """Tokens of prompts of the next iteration; answers come first."""
        room = self.replica.engine.max_num_tokens - self.answering
        taken = 0
        for request in self.prompts:
            part = request.prompt_left
            if part > room - taken:
                if not self.replica.engine.chunked_prefill:
                    break
                part = room - taken
            if part <= 0:
                break
            taken += part
            request.started = request.started or now
            request.prompt_left -= part
            if not request.prompt_left:
                self.completed.append(request)
        if self.completed:
            self.prompts = [request for request in self.prompts if request.prompt_left]
        return taken


class Replica:
    """One replica: its ranks step together.

    Args:
        engine: What it is one of.
        load: Gives lengths of prompts and answers.
        curves: Its times.
        prefills: Whether it computes prompts.
        answers: Whether it answers.
        slower: How much longer than its times a pass over prompts takes.
    """

    def __init__(
        self,
        engine: Engine,
        load: Load,
        curves: Curves,
        *,
        prefills: bool = True,
        answers: bool = True,
        slower: float = 1.0,
    ) -> None:
        self.engine, self.prefills, self.answers = engine, prefills, answers
        self.running = False
        self._slower = slower
        self._load, self._curves = load, curves
        self._iteration, self._tokens = 0, 0
        self._known: dict[tuple[int, int, int], float] = {}
        takes = in_blocks(load.isl + (load.osl if answers else 0))
        room = engine.kv_tokens // takes * takes
        self.ranks = [Rank(self, takes, room) for _ in range(engine.layout.ranks)]

    @property
    def requests(self) -> int:
        """All that it has."""
        return sum(rank.requests for rank in self.ranks)

    def accept(self, request: Request) -> None:
        """Queues a request with the rank that has fewest."""
        min(self.ranks, key=lambda rank: rank.requests).waiting.append(request)

    def begin(self, now: float) -> tuple[float, list[Request]]:
        """Begins an iteration, unless there is nothing to do.

        Returns:
            Milliseconds that it takes, zero when there is none, and the requests admitted.
        """
        admitted: list[Request] = []
        for rank in self.ranks:
            for request in rank.admit():
                admitted.append(request)
                if self.prefills:
                    rank.prompts.append(request)
                else:
                    self._answer(rank, request, now)
        computed = [rank.compute(now) if self.prefills else 0 for rank in self.ranks]
        prompts = lockstep(max(computed), sum(computed) / len(computed))
        answering = sum(rank.answering for rank in self.ranks)
        self.running = bool(prompts or answering)
        if not self.running:
            return 0.0, admitted
        self._iteration += 1
        self._tokens += answering
        return self._time(prompts, answering), admitted

    def end(self, now: float) -> tuple[list[Request], list[Request]]:
        """Ends an iteration.

        Returns:
            Requests whose prompts are computed, and those that are answered.
        """
        prefilled: list[Request] = []
        answered: list[Request] = []
        for rank in self.ranks:
            done = rank.ending.pop(self._iteration, [])
            rank.answering -= len(done)
            rank.free += rank.takes * len(done)
            self._tokens -= sum(self._load.isl + request.osl - 1 for request in done)
            answered += done
            prefilled += rank.completed
            for request in rank.completed:
                if self.answers and request.osl > 1:
                    self._answer(rank, request, now)
                elif self.answers:
                    request.first = now
                    rank.free += rank.takes
                    answered.append(request)
                else:
                    request.holder = rank
            rank.completed = []
        return prefilled, answered

    def _answer(self, rank: Rank, request: Request, now: float) -> None:
        request.first = now
        rank.answering += 1
        rank.ending[self._iteration + request.osl - 1].append(request)
        self._tokens += self._load.isl

    def _time(self, prompts: float, answering: int) -> float:
        """How long an iteration takes; an eighth of a length makes no difference."""
        ranks, load = len(self.ranks), self._load
        parts = math.ceil(8 * prompts / load.isl)
        done = (self._tokens / answering - load.isl) * 8 // load.osl if answering else 0
        key = (parts, answering, int(done))
        if key not in self._known:
            length = load.isl + int((done + 0.5) * load.osl / 8)
            self._known[key] = self._asked(parts / 8, answering / ranks, length)
        return self._known[key]

    def _asked(self, prompts: float, answering: float, length: int) -> float:
        if not prompts:
            return self._curves.decode(answering, length)
        if not answering:
            return self._slower * self._curves.prefill(prompts)
        return self._curves.mixed(prompts, answering)
