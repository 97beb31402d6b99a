"""Clients that ask a served model without pause, and what each of their requests came to.

No request is asked again: what a client sees is what is counted.
"""

from __future__ import annotations

import http.client
import itertools
import json
import socket
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from gptoss.live.completions import Answer, Reader

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from gptoss.live.questions import Question

CHAT = "/v1/chat/completions"
# A client that was refused does not knock again at once.
PAUSE_SECONDS = 0.2
DETAIL = 300


class Kind(StrEnum):
    """What a request came to."""

    OK = "ok"
    REFUSED = "refused"
    CUT = "cut off"
    ERROR = "error in the stream"
    UNREACHABLE = "no connection"
    SLOW = "no end in time"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one request came to.

    Attributes:
        question: What was asked.
        address: Where.
        began: When, as ``time.monotonic`` counts it.
        ended: When it was over.
        first: Seconds to the first token of a stream; None without one.
        kind: How it ended.
        status: The HTTP status; None when there was none.
        detail: What the server or the network said, when it went wrong.
        answer: What was answered, when it went well.
    """

    question: Question
    address: str
    began: float
    ended: float
    first: float | None
    kind: Kind
    status: int | None = None
    detail: str = ""
    answer: Answer | None = None

    @property
    def title(self) -> str:
        """How it ended, with the status of a refusal."""
        return f"{self.kind} {self.status}" if self.kind is Kind.REFUSED else str(self.kind)

    @property
    def is_lost(self) -> bool:
        """Whether an answer was begun, or at least taken on, and never came to its end."""
        return self.kind in (Kind.CUT, Kind.ERROR, Kind.SLOW)


class Service:
    """One name for several frontends, as a Kubernetes Service: each new connection takes the next.

    Attributes:
        addresses: Where new connections go.
    """

    def __init__(self, *addresses: str) -> None:
        self.addresses = addresses
        self._turn = itertools.count()

    def address(self) -> str:
        """Where the next request goes; empty when there is nobody."""
        found = self.addresses
        return found[next(self._turn) % len(found)] if found else ""


class Load:
    """Clients that ask in a loop, each its next question when the last one is answered.

    Use it as a context: the clients are told to stop when it is left, and have answered then.

    Attributes:
        outcomes: What the requests came to, in the order in which they ended.
        in_a_row: Requests that have been answered since the last one that was not.
    """

    def __init__(
        self,
        service: Service,
        model: str,
        questions: Sequence[Question],
        *,
        clients: int,
        seconds: float = 60,
        note: Callable[[Outcome], None] | None = None,
    ) -> None:
        """Prepares the clients.

        Args:
            service: Where they ask.
            model: Name of the model.
            questions: What they ask, in turn.
            clients: How many ask at a time.
            seconds: For how long they wait for the end of an answer.
            note: Takes each outcome instead of ``outcomes``, from the thread of its client.
        """
        self.outcomes: list[Outcome] = []
        self.in_a_row = 0
        self._note = note or self.outcomes.append
        self._service = service
        self._model = model
        self._questions = itertools.cycle(questions)
        self._turn = threading.Lock()
        self._seconds = seconds
        self._over = threading.Event()
        self._asked = [0] * clients
        self._clients = [
            threading.Thread(target=self._work, args=(n,), daemon=True) for n in range(clients)
        ]

    def __enter__(self) -> Load:
        for client in self._clients:
            client.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        # After an error the servers go at once, and the daemon threads with the process.
        if kind is None:
            for client in self._clients:
                client.join()

    @property
    def count(self) -> int:
        """Requests that have ended."""
        return sum(self._asked)

    def until(self, requests: int, seconds: float = 120) -> None:
        """Waits until so many more requests have ended, for so many seconds at most."""
        goal, end = self.count + requests, time.monotonic() + seconds
        while self.count < goal and time.monotonic() < end:
            time.sleep(0.05)

    def _work(self, number: int) -> None:
        while not self._over.is_set():
            with self._turn:
                question = next(self._questions)
            outcome = ask(self._service.address(), self._model, question, self._seconds)
            self._note(outcome)
            self._asked[number] += 1
            went_well = outcome.kind is Kind.OK
            with self._turn:
                self.in_a_row = self.in_a_row + 1 if went_well else 0
            if not went_well:
                self._over.wait(PAUSE_SECONDS)


def ask(address: str, model: str, question: Question, seconds: float = 60) -> Outcome:
    """Asks once and reads the answer to its end."""
    began = time.monotonic()
    reader = Reader()
    kind, status, detail = _converse(address, {"model": model} | question.body, reader, seconds)
    answer = reader.answer() if kind is Kind.OK else None
    first = reader.first - began if reader.first and question.body.get("stream") else None
    return Outcome(
        question, address, began, time.monotonic(), first, kind, status, detail[:DETAIL], answer
    )


def _converse(
    address: str, body: Any, reader: Reader, seconds: float
) -> tuple[Kind, int | None, str]:
    """How a request ended, with its status and what was said of it."""
    if not address:
        return Kind.UNREACHABLE, None, "the service has no frontend"
    place = urlsplit(address)
    link = http.client.HTTPConnection(place.hostname or "", place.port, timeout=seconds)
    # A timeout of a socket starts again with each byte; the end in time does not move.
    alarm = threading.Timer(seconds, lambda: _hang_up(connection))
    end = time.monotonic() + seconds
    status = None
    try:
        link.connect()
        connection = link.sock
        alarm.start()
        link.request("POST", CHAT, json.dumps(body), {"Content-Type": "application/json"})
        response = link.getresponse()
        status = response.status
        if status != http.HTTPStatus.OK:
            return Kind.REFUSED, status, response.read().decode(errors="replace")
        problem = reader.read(response, streamed=bool(body.get("stream")))
    except ConnectionRefusedError as error:
        return Kind.UNREACHABLE, None, str(error)
    except TimeoutError:
        return Kind.SLOW, status, f"no end in {seconds:g} s"
    except (OSError, http.client.HTTPException, ValueError) as error:
        return _broken(end), status, f"{type(error).__name__}: {error}"
    finally:
        alarm.cancel()
        link.close()
    if problem:
        return Kind.ERROR, status, problem
    if not reader.is_complete:
        return _broken(end), status, "no [DONE]"
    return Kind.OK, status, ""


def _broken(end: float) -> Kind:
    return Kind.CUT if time.monotonic() < end else Kind.SLOW


def _hang_up(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
