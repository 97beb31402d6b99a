"""Ready means: one token is answered with 200, whatever else a server does."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.chart.odd_server import LISTING, MODEL, Odd, Reply, odd_server
from tests.chart.rendering import CHART

TOKEN = {"choices": [{"message": {"content": None}, "finish_reason": "length"}]}
PATIENCE = 30


@pytest.fixture
def odd() -> Iterator[Odd]:
    with odd_server(lambda path, _: LISTING if path == "/v1/models" else TOKEN) as found:
        yield found


def waited(address: str, seconds: str = "1") -> tuple[int, str]:
    """Exit code and output; a script that overshoots its time by far is an error."""
    command = [sys.executable, str(CHART / "files" / "smoke.py"), address, MODEL, "--ready"]
    done = subprocess.run(
        [*command, "--wait", seconds], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_a_model_that_answers_one_token_is_ready(odd: Odd) -> None:
    assert waited(odd.address) == (0, f"{MODEL} at {odd.address} is ready\n")
    assert odd.asked[-1][0] == "/v1/chat/completions"
    assert odd.asked[-1][1]["max_tokens"] == 1


def test_an_address_may_end_with_a_slash_or_v1(odd: Odd) -> None:
    for end in ("/", "/v1", "/v1/"):
        assert waited(odd.address + end)[0] == 0


def test_a_word_that_is_no_address_is_refused() -> None:
    code, said = waited("localhost:8000")
    assert code == 2
    assert "is no address, as in http://" in said


def test_nobody_there_is_said() -> None:
    with odd_server(lambda *_: LISTING) as gone:
        address = gone.address
    code, said = waited(address)
    assert code == 1
    assert "/v1/models: Connection refused" in said


BOOM = b'{"message": "Prefill execution failed: no instances", "type": "Internal", "code": 500}'


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(b"", 404), "HTTP 404 with an empty body"),
        (Reply(BOOM, 500), "HTTP 500: Prefill execution failed: no instances"),
        (Reply(b'{"error": {"message": "overloaded"}}', 503), "HTTP 503: overloaded"),
        (Reply(b"<html>log in</html>", kind="text/html"), "HTTP 200 with HTML: <html>log in"),
        (Reply(b'{"choices": [', short=100), "the answer is cut off"),
        (Reply(b'{"choices": ['), "HTTP 200 with no JSON"),
        ([], "HTTP 200: []"),
        ({"choices": []}, 'HTTP 200: {"choices": []}'),
    ],
)
def test_a_model_that_is_listed_but_does_not_answer_is_not_ready(
    odd: Odd, reply: Any, reason: str
) -> None:
    odd.answer = lambda path, _: LISTING if path == "/v1/models" else reply
    code, said = waited(odd.address)
    assert code == 1
    why = f"it lists the model, but does not answer one token: {reason}"
    assert f"is not ready after 1 s: {why}" in said


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ({"data": []}, "it lists no model"),
        ({"data": [{"id": "other"}, {"id": "one-more"}]}, "it lists other, one-more"),
        ([], "/v1/models: HTTP 200: []"),
        (Reply(b"<html>log in</html>", kind="text/html"), "/v1/models: HTTP 200 with HTML"),
        (Reply(BOOM, 500), "/v1/models: HTTP 500: Prefill execution failed"),
    ],
)
def test_a_model_that_is_not_listed_is_not_ready(odd: Odd, reply: Any, reason: str) -> None:
    odd.answer = lambda path, _: reply if path == "/v1/models" else TOKEN
    code, said = waited(odd.address)
    assert code == 1
    assert reason in said
    assert not [path for path, _ in odd.asked if path != "/v1/models"]


@pytest.mark.parametrize("fault", ["hang", "drip_head", "drip_body"])
@pytest.mark.parametrize("path", ["/v1/models", "/v1/chat/completions"])
def test_a_server_that_hangs_or_drips_does_not_move_the_end(
    odd: Odd, fault: str, path: str
) -> None:
    good = odd.answer
    odd.answer = lambda asked, body: getattr(odd, fault) if asked == path else good(asked, body)
    code, said = waited(odd.address)
    assert code == 1
    assert "no whole answer in time" in said


def test_why_not_is_said_once_each_time_it_changes(odd: Odd) -> None:
    empty, token = Reply(b'{"data": []}'), Reply(BOOM, 500)
    replies = iter([empty, empty, LISTING, token, LISTING, token, LISTING, TOKEN])
    odd.answer = lambda *_: next(replies)
    code, said = waited(odd.address, "20")
    assert code == 0
    start = f"waiting for {MODEL} at {odd.address}: it lists "
    reason = "HTTP 500: Prefill execution failed: no instances"
    assert said.splitlines() == [
        f"{start}no model",
        f"{start}the model, but does not answer one token: {reason}",
        f"{MODEL} at {odd.address} is ready",
    ]
