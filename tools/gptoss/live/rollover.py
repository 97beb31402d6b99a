"""An update as an operator carries it out: what starts and what goes, and in which order.

Three orders are known:

* ``operator``: workers as Deployments (``nvidia.com/enable-grove: "false"``, or no Grove). The
  frontend rolls first, for it starts in seconds. The new workers load beside the old ones, in a
  Dynamo namespace of their own; each old worker goes when its own successor is ready, whatever
  the other roles do (ai-dynamo/dynamo docs, rolling-update.md: "prefill and decode workers are
  updated independently"; #6110, #10936).
* ``grove``: one pod at a time goes before its successor starts (maxUnavailable 1, maxSurge 0),
  old and new in one Dynamo namespace (the same page, releases 1.2 to 1.4).
* ``beside``: a second deployment is whole before clients are moved to it; takes twice the GPUs.
"""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from gptoss.live.cached import say
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from gptoss.live.clients import Load, Service
    from gptoss.live.running import Running

ORDERS = ("operator", "grove", "beside")
FRONTEND = "frontend"
START_SECONDS = 180
END_SECONDS = 90
# The operator's readiness probe looks at a frontend ten seconds after its start.
PROBE_SECONDS = 10
# Stands for the 30 seconds for which the chart's frontend serves on when it is told to go.
PRE_STOP_SECONDS = 3


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of an update.

    Attributes:
        name: What is going on.
        began, ended: When, as ``time.monotonic`` counts it.
        as_a_load: Whether it lasts, on GPUs, as long as a worker loads its model.
    """

    name: str
    began: float
    ended: float
    as_a_load: bool = False


class Rollover:
    """Moves clients from one generation to another.

    Attributes:
        stretches: What has been done.
    """

    def __init__(
        self,
        load: Load,
        service: Service,
        old: Running,
        new: Running,
        *,
        discovery: Path,
        rounds: int,
        with_frontend: bool,
    ) -> None:
        """Prepares an update.

        Args:
            load: The clients.
            service: Where they ask.
            old: The generation that runs.
            new: The one that takes over; nothing of it runs yet.
            discovery: Where workers of both register.
            rounds: Requests that are waited for before the next thing happens.
            with_frontend: Whether the frontend changes too; one that does not stays.
        """
        self.stretches: list[Stretch] = []
        self._load, self._service = load, service
        self._old, self._new = old, new
        self._discovery = discovery
        self._rounds = rounds
        self._with_frontend = with_frontend

    def run(self, order: str) -> None:
        """Carries the update out.

        Raises:
            InputError: Something does not start or end.
        """
        {"operator": self._operator, "grove": self._grove, "beside": self._beside}[order]()
        with self.stretch("what is left of the old ones ends"):
            for name in self._old.parts:
                if name != FRONTEND or self._with_frontend:
                    self._gone(name)

    @contextmanager
    def stretch(self, name: str, *, as_a_load: bool = False) -> Iterator[None]:
        """Notes what is going on."""
        say(name)
        began = time.monotonic()
        yield
        self.stretches.append(Stretch(name, began, time.monotonic(), as_a_load))

    def steady(self, name: str, *, as_a_load: bool = False) -> None:
        """Lets the clients ask for a while."""
        with self.stretch(name, as_a_load=as_a_load):
            self._load.until(self._rounds)

    def _operator(self) -> None:
        if self._with_frontend:
            with self.stretch("a new frontend starts beside the old one"):
                self._start_frontend()
                self._service.addresses = (self._new.url,)
            with self.stretch("the old frontend goes"):
                self._go_frontend()
            self.steady("the new frontend asks the old workers", as_a_load=True)
        pairs = self._pairs()
        for number, (new, old) in enumerate(pairs, 1):
            with self.stretch(f"{new or old}: the new one is ready, the old one goes"):
                if new:
                    self._start_worker(new)
                if old:
                    self._old.fault(old, "term")
            if number < len(pairs):
                left = ", ".join(after or before or "" for after, before in pairs[number:])
                self.steady(f"the new {left} still loads", as_a_load=True)

    def _grove(self) -> None:
        if self._with_frontend:
            with self.stretch("the old frontend goes, a new one starts"):
                self._service.addresses = ()
                self._go_frontend()
                self._start_frontend()
                self._service.addresses = (self._new.url,)
        for new, old in self._pairs():
            if old:
                with self.stretch(f"{old}: the old one goes"):
                    self._old.fault(old, "term")
                    self._gone(old)
            if new:
                self.steady(f"{new}: the new one loads", as_a_load=True)
                with self.stretch(f"{new}: the new one is ready"):
                    self._start_worker(new)

    def _beside(self) -> None:
        with self.stretch("a second deployment starts beside the first"):
            for name in self._new.roles:
                if name != FRONTEND:
                    self._start_worker(name)
            self._start_frontend()
            self._new.ready(START_SECONDS)
        with self.stretch("clients are moved, the first deployment goes"):
            self._service.addresses = (self._new.url,)
            self._go_frontend()
            for name in self._workers(self._old):
                self._old.fault(name, "term")

    def _pairs(self) -> list[tuple[str | None, str | None]]:
        """New workers with the old ones that they stand for."""
        new, old = self._workers(self._new), self._workers(self._old)
        names = dict.fromkeys([*new, *old])
        return [(n if n in new else None, n if n in old else None) for n in names]

    @staticmethod
    def _workers(running: Running) -> list[str]:
        return [name for name in running.roles if name != FRONTEND]

    def _start_frontend(self) -> None:
        began = time.monotonic()
        self._new.start(FRONTEND)
        self._wait(FRONTEND, lambda: _is_healthy(self._new.url))
        time.sleep(max(0.0, began + PROBE_SECONDS - time.monotonic()))

    def _go_frontend(self) -> None:
        time.sleep(PRE_STOP_SECONDS)
        self._old.fault(FRONTEND, "term")
        self._gone(FRONTEND)

    def _start_worker(self, name: str) -> None:
        before = self._registered()
        self._new.start(name)
        self._wait(name, lambda: bool(self._registered() - before))

    def _registered(self) -> set[str]:
        return {path.name for path in (self._discovery / "v1" / "instances").glob("*generate*")}

    def _wait(self, name: str, holds: Callable[[], bool]) -> None:
        """Waits until a new part is there.

        Raises:
            InputError: It has ended, or is not there in time.
        """
        end = time.monotonic() + START_SECONDS
        part = self._new.parts[name]
        while not holds():
            if not part.runs:
                raise InputError(f"the new {name} has ended:", below=part.last_words())
            if time.monotonic() > end:
                raise InputError(f"the new {name} is not ready in {START_SECONDS} s")
            time.sleep(0.1)

    def _gone(self, name: str) -> None:
        """Waits until an old part has ended, and kills it as a kubelet does when it does not."""
        part = self._old.parts[name]
        end = time.monotonic() + END_SECONDS
        while part.runs:
            if time.monotonic() > end:
                say(f"the old {name} has not ended in {END_SECONDS} s and is killed")
                self._old.fault(name, "kill")
                end += END_SECONDS
            time.sleep(0.1)


def _is_healthy(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/health", timeout=5) as response:  # noqa: S310
            return bool(response.status == HTTPStatus.OK)
    except (OSError, urllib.error.URLError):
        return False
