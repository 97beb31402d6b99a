"""A server that answers as a test says, well or badly; hanging ends with the server."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "openai/gpt-oss-120b"
LISTING = {"object": "list", "data": [{"id": MODEL}]}


@dataclass
class Reply:
    """What is sent, after the head; ``short`` bytes of the length that is promised are left out."""

    body: bytes
    status: int = 200
    kind: str = "application/json"
    short: int = 0


@dataclass
class Odd:
    """A running server; an answer is made from the path and the request's JSON.

    An answer is a value for JSON, a Reply, or how bytes are sent to a connection.
    """

    address: str
    answer: Callable[[str, Any], Any]
    asked: list[tuple[str, Any]] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    def hang(self, _: Any) -> None:
        """Sends nothing."""
        self.ended.wait()

    def drip_head(self, send: Callable[[bytes], Any]) -> None:
        """Sends a head that has no end, a byte at a time."""
        send(b"HTTP/1.1 200 OK\r\n")
        self._drip(send, b"X-Odd: 1\r\n")

    def drip_body(self, send: Callable[[bytes], Any]) -> None:
        """Sends an answer that has no end, a byte at a time."""
        send(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        self._drip(send, b" ")

    def _drip(self, send: Callable[[bytes], Any], part: bytes) -> None:
        while not self.ended.wait(0.02):
            send(part)


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


@contextmanager
def odd_server(answer: Callable[[str, Any], Any]) -> Iterator[Odd]:
    """A server that answers so, at a free port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Says nothing."""

        def do_GET(self) -> None:
            self.reply(None)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            try:
                self.reply(json.loads(body))
            except ValueError:
                self.reply(body)

        def reply(self, body: Any) -> None:
            odd.asked.append((self.path, body))
            found = odd.answer(self.path, body)
            if callable(found):
                with suppress(OSError):
                    found(self.wfile.write)  # unbuffered
                return
            if not isinstance(found, Reply):
                found = Reply(json.dumps(found).encode())
            self.send_response(found.status)
            self.send_header("Content-Type", found.kind)
            self.send_header("Content-Length", str(len(found.body) + found.short))
            self.end_headers()
            self.wfile.write(found.body)

    server = Server(("127.0.0.1", 0), Handler)
    odd = Odd(f"http://127.0.0.1:{server.server_port}", answer)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield odd
    finally:
        odd.ended.set()
        server.shutdown()
        thread.join()
        server.server_close()
