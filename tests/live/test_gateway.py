"""The gateway of examples/gateway in front of a real frontend: keys are checked, streams flow."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import subprocess
import time
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from gptoss.live.simulation import simulate
from gptoss.sources.request import Request
from tests.chart.rendering import ROOT
from tests.live.clients import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from gptoss.live.running import Running

pytestmark = pytest.mark.live

CADDY = ROOT / ".tools" / "bin" / "caddy"
CADDYFILE = ROOT / "examples" / "gateway" / "Caddyfile"
KEY, OTHER = "a-key-of-alice-0123456789", "a-key-of-bob-0123456789"
CHAT = "/v1/chat/completions"
INFLIGHT = re.compile(r"^dynamo_frontend_inflight_requests\S* (\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class Gateway:
    """Caddy with the Caddyfile of the example."""

    address: str
    process: subprocess.Popen[bytes]
    log: Path

    def ask(
        self, path: str, key: str | None = KEY, body: dict[str, object] | None = None
    ) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        """Asks with a key, and returns when the answer begins."""
        connection = http.client.HTTPConnection(self.address, timeout=PATIENCE)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        if body:
            headers["Content-Type"] = "application/json"
        sent = json.dumps(body) if body else None
        connection.request("POST" if body else "GET", path, sent, headers)
        return connection, connection.getresponse()

    def status(self, path: str, key: str | None = KEY) -> int:
        connection, response = self.ask(path, key)
        response.read()
        connection.close()
        return response.status


@contextmanager
def gateway(running: Running, folder: Path) -> Iterator[Gateway]:
    assert CADDY.exists(), f"{CADDY} is missing: run `tools/setup/go_tools.sh caddy`"
    (folder / "keys").write_text(f"{KEY} alice\n{OTHER} bob\n", encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    variables = {
        "HOME": str(folder),
        "API_KEYS": str(folder / "keys"),
        "UPSTREAM": urlsplit(running.url).netloc,
        "ADDRESS": "127.0.0.1",
        "PORT": str(port),
        "SHUTDOWN_DELAY": "0s",
    }
    log = folder / "caddy.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [CADDY, "run", "--config", CADDYFILE], env=variables, stderr=output, cwd=folder
        )
    try:
        made = Gateway(f"127.0.0.1:{port}", process, log)
        wait_until(lambda: listens(port), log)
        yield made
    finally:
        process.kill()
        process.wait()


def listens(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def wait_until(is_so: Callable[[], bool], log: Path) -> None:
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, log.read_text(encoding="utf-8")
        time.sleep(0.1)


def in_flight(running: Running) -> int:
    """Answers that the frontend is at work on."""
    with urllib.request.urlopen(f"{running.url}/metrics", timeout=PATIENCE) as response:  # noqa: S310
        return sum(map(int, INFLIGHT.findall(response.read().decode())))


def question(running: Running, tokens: int) -> dict[str, object]:
    return {
        "model": running.model,
        "messages": [{"role": "user", "content": "Hello"}],
        "stream": True,
        "max_tokens": tokens,
        "ignore_eos": True,
    }


def first_piece(response: http.client.HTTPResponse) -> str:
    """The first piece of a streamed answer."""
    for line in response:
        if line.startswith(b"data: "):
            return line.decode()
    raise AssertionError("the stream has no piece")


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    """A target whose longest answers take a quarter of an hour."""
    with simulate(Request(("agg-gb200",)), itl=1000, speed=1) as target:
        target.ready(PATIENCE)
        yield target


def test_only_known_keys_pass_and_only_to_the_api(running: Running, tmp_path: Path) -> None:
    with gateway(running, tmp_path) as asked:
        assert asked.status("/v1/models") == 200
        assert asked.status("/v1/models", OTHER) == 200
        for stranger in (None, "", KEY[:-1], f"{KEY}x", "{api_key}"):
            assert asked.status("/v1/models", stranger) == 401, stranger
            assert asked.status("/metrics", stranger) == 401, stranger
        for path in ("/metrics", "/health", "/busy_threshold", "/v1/models/../../metrics"):
            assert asked.status(path) == 404, path
        assert asked.status("/healthz", None) == 200
    log = tmp_path.joinpath("caddy.log").read_text(encoding="utf-8")
    assert '"client":"alice"' in log
    assert KEY not in log


def test_pieces_arrive_while_the_answer_is_written_and_end_with_its_client(
    running: Running, tmp_path: Path
) -> None:
    with gateway(running, tmp_path) as asked:
        connection, response = asked.ask(CHAT, body=question(running, 1000))
        assert response.status == 200
        assert "chat.completion.chunk" in first_piece(response)
        assert in_flight(running) == 1
        response.close()
        connection.close()
        wait_until(lambda: in_flight(running) == 0, asked.log)


def test_a_gateway_that_is_told_to_go_finishes_what_it_has_begun(
    running: Running, tmp_path: Path
) -> None:
    with gateway(running, tmp_path) as asked:
        _, response = asked.ask(CHAT, body=question(running, 3))
        first_piece(response)
        asked.process.send_signal(signal.SIGTERM)
        assert response.read().rstrip().endswith(b"data: [DONE]")
        assert asked.process.wait(PATIENCE) == 0
