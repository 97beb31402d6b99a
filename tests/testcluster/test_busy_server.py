"""What is played on a cluster outlives an API server that has too much to do."""

from __future__ import annotations

import json
import ssl
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING

import pytest

from testcluster.access import kubeconfig, make_keys
from testcluster.api import Api

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATH = "/api/v1/namespaces"
EVENT = {"type": "ADDED", "object": {"metadata": {"name": "a"}}}


@pytest.fixture
def busy(tmp_path: Path) -> Iterator[Path]:
    """A kubeconfig of a server that answers every other request only, the first one not."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Says nothing."""

        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(429 if len(asked) % 2 else 200)
            self.send_header("Retry-After", "0")
            text = json.dumps(EVENT if "watch" in self.path else {"items": [EVENT]}).encode()
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

    make_keys(tmp_path)
    server = HTTPServer(("127.0.0.1", 0), Handler)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    server.socket = tls.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield kubeconfig(tmp_path, server.server_port)
    server.shutdown()
    server.server_close()


def test_it_asks_again_when_it_is_told_to_come_later(busy: Path) -> None:
    asking = Api(busy, "test")
    assert asking.get(PATH) == {"items": [EVENT]}
    events = asking.events(PATH)
    assert next(events) == EVENT
