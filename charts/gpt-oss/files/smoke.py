"""Asks a served gpt-oss model and says what it saw.

    smoke.py URL MODEL --ready --wait 7200   until one token is answered; exit 1 when it never is
    smoke.py URL MODEL                       runs the cases; exit 1 when one fails, 2 with no answer

A model's words vary, so the cases look at structure. Each request, and the whole, has an end in
time that a server which hangs or drips cannot move.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import re
import socket
import sys
import threading
import time
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable

POLL_SECONDS = 2.0
REQUEST_SECONDS = 60.0
MOST_BYTES = 16 * 2**20
# Harmony's markup, and what is left of it when a parser has lost its place.
MARKUP = re.compile(r"<\|\w+\|>|assistantfinal|assistantcommentary|to=functions\.")
QUESTION = "Answer with one word: which planet do we live on?"
ANSWER = "Earth"


# Asking


@dataclass
class Answer:
    """What came back.

    Attributes:
        status: The HTTP status; None when there was no whole answer.
        kind: The content type.
        text: The body.
        error: Why there is no whole answer.
    """

    status: int | None = None
    kind: str = ""
    text: str = ""
    error: str = ""

    @cached_property
    def json(self) -> Any:
        """The body as JSON; None when it is none."""
        try:
            return json.loads(self.text)
        except ValueError:
            return None

    @property
    def reason(self) -> str:
        """Why this is not the answer that was hoped for, as the server or the network tells it."""
        if self.status is None:
            return self.error
        if not self.text.strip():
            return f"HTTP {self.status} with an empty body"
        if self.json is None:
            what = "HTML" if "<html" in self.text[:500].lower() else "no JSON"
            return f"HTTP {self.status} with {what}: {one_line(self.text)}"
        told = self.json
        for name in ("error", "detail", "message"):
            told = told.get(name) or told if isinstance(told, dict) else told
        return f"HTTP {self.status}: {one_line(told if isinstance(told, str) else self.text)}"


def one_line(text: str, most: int = 200) -> str:
    """A text without line breaks, cut where it gets long."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"


def exchange(address: str, path: str, body: bytes | None, seconds: float) -> Answer:
    """Sends a request and reads the answer, for so many seconds at most."""
    parts = urlsplit(address)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    link = kind(parts.hostname or "", parts.port, timeout=max(seconds, 0.001))
    received: list[Answer] = []
    # A thread, because a timeout of a socket starts again with every byte that drips in.
    work = threading.Thread(
        target=lambda: received.append(_converse(link, parts.path.rstrip("/") + path, body)),
        daemon=True,
    )
    work.start()
    work.join(max(seconds, 0))
    if received:
        return received[0]
    if link.sock:
        with contextlib.suppress(OSError):
            link.sock.shutdown(socket.SHUT_RDWR)
    return Answer(error="no whole answer in time")


def _converse(link: http.client.HTTPConnection, path: str, body: bytes | None) -> Answer:
    answer, parts, size = Answer(), [], 0
    try:
        headers = {"Content-Type": "application/json"} if body is not None else {}
        link.request("GET" if body is None else "POST", path, body, headers)
        response = link.getresponse()
        answer.kind = response.headers.get_content_type()
        while size < MOST_BYTES and (chunk := response.read1(65536)):
            parts.append(chunk)
            size += len(chunk)
        if response.length:
            raise http.client.IncompleteRead(b"", response.length)
        answer.status = response.status
    except TimeoutError:
        answer.error = "no whole answer in time"
    except http.client.IncompleteRead:
        answer.error = "the answer is cut off"
    except (OSError, http.client.HTTPException, ValueError) as error:
        told = getattr(error, "strerror", None) or str(error) or type(error).__name__
        answer.error = one_line(told)
    finally:
        link.close()
    answer.text = b"".join(parts).decode(errors="replace")
    return answer


@dataclass
class Server:
    """A server that is asked for one model.

    Attributes:
        address: Its address, without /v1.
        model: Name of the model.
        end: When there is no more time, as ``time.monotonic`` counts it.
    """

    address: str
    model: str
    end: float

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return max(0.0, self.end - time.monotonic())

    def get(self, path: str) -> Answer:
        """The answer to a GET."""
        return exchange(self.address, path, None, min(REQUEST_SECONDS, self.left))

    def post(self, path: str, body: Any) -> Answer:
        """The answer to a POST of a JSON body, or of bytes as they are."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return exchange(self.address, path, data, min(REQUEST_SECONDS, self.left))

    def chat(self, text: str = QUESTION, **more: Any) -> Answer:
        """A chat completion of one question."""
        body = {"messages": [{"role": "user", "content": text}], "max_tokens": 1024, **more}
        return self.post("/v1/chat/completions", {"model": self.model, **body})


# Waiting


def why_not_ready(server: Server) -> str | None:
    """None when the model is listed and answers one token, else what is missing."""
    listing = server.get("/v1/models")
    try:
        names = [model["id"] for model in listing.json["data"]]
    except (KeyError, TypeError):
        return f"/v1/models: {listing.reason}"
    if listing.status != 200:
        return f"/v1/models: {listing.reason}"
    if server.model not in names:
        return f"it lists {', '.join(map(str, names)) or 'no model'}"
    # A frontend may list a model of which only a prefill worker is there.
    token = server.chat("Hi", max_tokens=1)
    if token.status == 200 and isinstance(token.json, dict) and token.json.get("choices"):
        return None
    return f"it lists the model, but does not answer one token: {token.reason}"


def wait(address: str, model: str, seconds: float, say: Callable[[str], None]) -> str | None:
    """Waits until a model is ready; None, or what was missing when the time was over.

    What is missing is said when it changes.
    """
    server = Server(address, model, time.monotonic() + seconds)
    told = ""
    while (why := why_not_ready(server)) is not None:
        if why != told and (server.left > 0 or not told):
            told = why
            say(f"waiting for {model} at {address}: {why}")
        if server.left < 0.5:
            return told
        time.sleep(min(POLL_SECONDS, server.left / 2))
    return None


# Cases


class CaseError(Exception):
    """A case saw something else than it expects; the text says what."""


@dataclass
class Case:
    """One thing to ask for.

    Attributes:
        id: Its name.
        expected: What a right server does.
        run: Asks, and gives what was seen; raises CaseError.
    """

    id: str
    expected: str
    run: Callable[[Server], str]


@dataclass
class Result:
    """What came of a case: ``status`` is passed or failed."""

    id: str
    status: str
    expected: str
    seen: str
    seconds: float = field(default=0.0)


CASES: list[Case] = []


def case(name: str, expected: str) -> Callable[[Callable[[Server], str]], Callable[[Server], str]]:
    """Makes a function a case."""

    def register(run: Callable[[Server], str]) -> Callable[[Server], str]:
        CASES.append(Case(name, expected, run))
        return run

    return register


def need(holds: object, seen: str) -> None:
    """Fails a case, with what was seen, unless something holds."""
    if not holds:
        raise CaseError(one_line(seen))


def body_of(answer: Answer) -> Any:
    """The JSON object of a good answer."""
    need(answer.status == 200 and isinstance(answer.json, dict), answer.reason)
    return answer.json


def choice_of(answer: Answer) -> Any:
    """The first choice of a completion."""
    return body_of(answer)["choices"][0]


def plain(text: object) -> str:
    """A text that holds words and no markup."""
    need(isinstance(text, str) and text.strip(), f"no text: {text!r}")
    need(not MARKUP.search(str(text)), f"raw harmony markup: {text!r}")
    return str(text)


@case("models", "/v1/models lists the model")
def _models(server: Server) -> str:
    names = [model["id"] for model in body_of(server.get("/v1/models"))["data"]]
    need(server.model in names, f"lists {names}")
    return f"lists {', '.join(names)}"


@case("chat", f"a plain answer that says {ANSWER}, finished by stop")
def _chat(server: Server) -> str:
    choice = choice_of(server.chat())
    need(choice["finish_reason"] == "stop", f"finish_reason {choice['finish_reason']!r}")
    content = plain(choice["message"]["content"])
    need(ANSWER.lower() in content.lower(), f"another answer: {content!r}")
    return repr(one_line(content, 60))


@case("unknown-model", "404 for a model that is not served")
def _unknown_model(server: Server) -> str:
    answer = server.chat(model="no-such-model")
    need(answer.status == 404, answer.reason)
    return answer.reason


@case("bad-json", "400 or 422 for a body that is no JSON")
def _bad_json(server: Server) -> str:
    answer = server.post("/v1/chat/completions", b'{"model": ')
    need(answer.status in (400, 422), answer.reason)
    return answer.reason


def run_case(found: Case, server: Server) -> Result:
    """Runs a case; an answer of another shape than it reads is a failure too."""
    started = time.monotonic()
    try:
        status, seen = "passed", found.run(server)
    except CaseError as failed:
        status, seen = "failed", str(failed)
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        status, seen = "failed", f"an answer of another shape: {type(error).__name__} {error}"
    return Result(found.id, status, found.expected, seen, time.monotonic() - started)


def table(results: list[Result]) -> str:
    """A line a case, and what was expected below one that failed."""
    lines = []
    for result in results:
        lines.append(f"{result.status:8} {result.id:16} {one_line(result.seen, 74)}")
        if result.status == "failed":
            lines.append(f"{'':8} {'':16} expected: {result.expected}")
    failed = sum(result.status == "failed" for result in results)
    return "\n".join([*lines, f"{len(results) - failed} passed, {failed} failed"])


# The command


def options() -> argparse.ArgumentParser:
    """What the script takes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("url", help="address of the frontend or server, as http://host:8000")
    parser.add_argument("model", help="name under which the model is served")
    parser.add_argument("--ready", action="store_true", help="only wait for one token")
    parser.add_argument("--wait", type=float, default=10, help="seconds until it must be ready")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for all of it")
    return parser


def main(words: list[str]) -> int:
    """The exit code: 0, 1 when a case fails or nothing is ready in time, 2 when nobody answers."""
    parser = options()
    given = parser.parse_args(words)
    address = given.url.rstrip("/").removesuffix("/v1")
    if not re.match(r"https?://[^/]", address):
        parser.error(f"{given.url} is no address, as in http://127.0.0.1:8000")
    end = time.monotonic() + given.timeout
    seconds = given.wait if given.ready else min(given.wait, given.timeout)
    why = wait(address, given.model, seconds, lambda line: print(line, flush=True))
    if why is not None:
        text = f"{given.model} at {address} is not ready after {seconds:g} s: {why}"
        print(text, file=sys.stderr)
        return 1 if given.ready else 2
    if given.ready:
        print(f"{given.model} at {address} is ready", flush=True)
        return 0
    server = Server(address, given.model, end)
    results = [run_case(found, server) for found in CASES]
    print(table(results), flush=True)
    return int(any(result.status == "failed" for result in results))


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
