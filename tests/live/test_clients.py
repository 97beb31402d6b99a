"""What clients make of servers that misbehave, each real on a port of its own."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from gptoss.live.clients import Kind, Load, Outcome, Service, ask
from gptoss.live.questions import questions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BY_KIND = {question.kind: question for question in reversed(questions(100, 10))}
CHAT, STREAM, TOOL = BY_KIND["chat"], BY_KIND["stream"], BY_KIND["tool in a stream"]


@contextmanager
def server(serve: Callable[[BaseHTTPRequestHandler], None]) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            serve(self)

        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            pass

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listening.daemon_threads = True
    threading.Thread(target=listening.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listening.server_port}"
    finally:
        listening.shutdown()
        listening.server_close()


def answering(status: int, body: bytes) -> Callable[[BaseHTTPRequestHandler], None]:
    def serve(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.end_headers()
        handler.wfile.write(body)

    return serve


def events(*found: Any) -> bytes:
    return b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in found)


def delta(finish: str | None = None, **message: Any) -> dict[str, Any]:
    return {"choices": [{"delta": message, "finish_reason": finish}]}


WORDS = events(delta(reasoning_content="Think."), delta(content="Earth"), delta("stop"))
DONE = b"data: [DONE]\n\n"


def outcome_of(status: int, body: bytes, question: Any = STREAM) -> Outcome:
    with server(answering(status, body)) as address:
        return ask(address, "m", question)


def test_a_whole_stream_is_an_answer_with_its_time_to_the_first_token() -> None:
    outcome = outcome_of(200, WORDS + DONE)
    assert outcome.kind is Kind.OK
    assert outcome.first is not None
    assert outcome.answer is not None
    assert (outcome.answer.content, outcome.answer.reasoning) == ("Earth", "Think.")
    assert outcome.question.wrong(outcome.answer) is None


def test_a_tool_call_in_pieces_is_put_together() -> None:
    parts = [
        delta(reasoning_content="Think."),
        delta(tool_calls=[{"index": 0, "function": {"name": "get_weather", "arguments": ""}}]),
        delta(tool_calls=[{"index": 0, "function": {"arguments": '{"city":'}}]),
        delta("tool_calls", tool_calls=[{"index": 0, "function": {"arguments": '"Paris"}'}}]),
    ]
    outcome = outcome_of(200, events(*parts) + DONE, TOOL)
    assert outcome.answer is not None
    assert outcome.answer.calls == (("get_weather", '{"city":"Paris"}'),)
    assert outcome.question.wrong(outcome.answer) is None


def test_a_lost_tool_call_is_a_wrong_answer_though_it_came_whole() -> None:
    left = delta("stop", content="_weather <|constrain|>json<|message|>{}", reasoning_content="x")
    outcome = outcome_of(200, events(left) + DONE, TOOL)
    assert outcome.kind is Kind.OK
    assert outcome.answer is not None
    assert "no tool call" in str(outcome.question.wrong(outcome.answer))


def test_a_stream_without_its_end_is_lost() -> None:
    outcome = outcome_of(200, WORDS)
    assert (outcome.kind, outcome.is_lost) == (Kind.CUT, True)


@pytest.mark.parametrize(
    "error",
    [
        events({"error": {"message": "worker gone"}}),
        b": worker gone\n\nevent: error\n\n",
        b"event: error\n: worker gone\n\n",
    ],
)
def test_an_error_in_a_stream_is_lost_with_its_reason(error: bytes) -> None:
    outcome = outcome_of(200, WORDS + error + DONE)
    assert (outcome.kind, outcome.is_lost) == (Kind.ERROR, True)
    assert "worker gone" in outcome.detail


def test_a_refusal_keeps_its_status_and_reason_and_loses_no_answer() -> None:
    outcome = outcome_of(503, b"no instances")
    assert (outcome.title, outcome.detail) == ("refused 503", "no instances")
    assert not outcome.is_lost


def test_nobody_listening_is_no_connection() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert ask(f"http://127.0.0.1:{port}", "m", CHAT).kind is Kind.UNREACHABLE
    assert ask("", "m", CHAT).kind is Kind.UNREACHABLE


def test_html_instead_of_json_is_a_lost_answer() -> None:
    assert outcome_of(200, b"<html>", CHAT).is_lost


def test_a_server_that_drips_forever_is_left_after_the_given_time() -> None:
    over = threading.Event()

    def drip(handler: BaseHTTPRequestHandler) -> None:
        answering(200, WORDS)(handler)
        while not over.wait(0.01):
            handler.wfile.write(b": still here\n\n")

    with server(drip) as address:
        outcome = ask(address, "m", STREAM, seconds=0.3)
    over.set()
    assert (outcome.kind, outcome.is_lost) == (Kind.SLOW, True)


def test_no_client_asks_again_what_was_refused() -> None:
    with server(answering(500, b"no")) as address:
        with Load(Service(address), "m", [CHAT, STREAM], clients=1) as load:
            load.until(4)
        asked = [outcome.question.kind for outcome in load.outcomes]
    assert asked[:4] == ["chat", "stream", "chat", "stream"]


def test_a_service_hands_connections_to_its_frontends_in_turn() -> None:
    service = Service("a", "b")
    assert [service.address() for _ in range(4)] == ["a", "b", "a", "b"]
    service.addresses = ()
    assert service.address() == ""
