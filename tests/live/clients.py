"""Clients that stream answers of a known length and notice when one is cut off."""

from __future__ import annotations

import http.client
import json
import threading
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import Future

    from gptoss.live.running import Running

PATIENCE = 120
WHOLE = "whole"


def stream(running: Running, tokens: int, begun: threading.Event | None = None) -> str:
    """What becomes of an answer of so many tokens: ``whole``, or what was seen instead."""
    body = {
        "model": running.model,
        "messages": [{"role": "user", "content": "Hello"}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": tokens,
        "ignore_eos": True,
    }
    request = urllib.request.Request(  # noqa: S310
        f"{running.url}/v1/chat/completions",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    seen: dict[str, str | int] = {}
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as response:  # noqa: S310
            for line in response:
                data = line.decode().strip().removeprefix("data: ")
                if begun:
                    begun.set()
                if data == "[DONE]":
                    return WHOLE if seen == {"reason": "length", "tokens": tokens} else str(seen)
                if not line.startswith(b"data: "):
                    continue
                chunk = json.loads(data)
                if "choices" not in chunk:
                    return f"an error in the stream: {data[:300]}"
                for choice in chunk["choices"]:
                    if choice.get("finish_reason"):
                        seen["reason"] = choice["finish_reason"]
                if chunk.get("usage"):
                    seen["tokens"] = chunk["usage"]["completion_tokens"]
        return "the stream ended without [DONE]"
    except urllib.error.HTTPError as error:
        return f"HTTP {error.code} {error.read().decode(errors='replace')[:300]}"
    except (OSError, http.client.HTTPException) as error:
        return repr(error)
    finally:
        if begun:
            begun.set()


class Traffic:
    """Clients that ask again and again until the block ends.

    Attributes:
        outcomes: What became of each answer, once the block has ended.
    """

    def __init__(self, running: Running, clients: int, tokens: int) -> None:
        self.outcomes: list[str] = []
        self._running, self._tokens = running, tokens
        self._over = threading.Event()
        self._pool = ThreadPoolExecutor(clients)
        self._begun = [threading.Event() for _ in range(clients)]
        self._clients: list[Future[None]] = []

    def __enter__(self) -> Traffic:
        self._clients = [self._pool.submit(self._ask, begun) for begun in self._begun]
        for begun in self._begun:
            begun.wait(PATIENCE)
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for client in self._clients:
            client.result()
        self._pool.shutdown()

    def _ask(self, begun: threading.Event) -> None:
        while not self._over.is_set():
            self.outcomes.append(stream(self._running, self._tokens, begun))


def at_once(running: Running, clients: int, tokens: int) -> list[Future[str]]:
    """So many answers, all of which have begun."""
    pool = ThreadPoolExecutor(clients)
    begun = [threading.Event() for _ in range(clients)]
    answers = [pool.submit(stream, running, tokens, event) for event in begun]
    for event in begun:
        event.wait(PATIENCE)
    pool.shutdown(wait=False)
    return answers
