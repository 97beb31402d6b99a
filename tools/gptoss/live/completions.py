"""Chat completions read as they come, in one piece or as a stream."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from http.client import HTTPResponse

DONE = b"data: [DONE]"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model answered, as a client reads it.

    Attributes:
        content: The text.
        reasoning: The reasoning, apart from it.
        calls: Tools that it calls, each with its arguments as they are written.
        finish: Why it ended.
    """

    content: str
    reasoning: str
    calls: tuple[tuple[str, str], ...]
    finish: str | None


class Reader:
    """Puts an answer together.

    Attributes:
        first: When the first token came, as ``time.monotonic`` counts it.
        is_complete: Whether the answer came to its end.
    """

    def __init__(self) -> None:
        self.first: float | None = None
        self.is_complete = False
        self._content = ""
        self._reasoning = ""
        self._calls: dict[int, list[str]] = {}
        self._finish: str | None = None

    def answer(self) -> Answer:
        """What has come."""
        calls = (self._calls[index] for index in sorted(self._calls))
        return Answer(
            self._content,
            self._reasoning,
            tuple((name, arguments) for name, arguments in calls),
            self._finish,
        )

    def read(self, response: HTTPResponse, *, streamed: bool) -> str:
        """Reads a response to its end; what the stream reports as an error, or an empty text.

        Raises:
            OSError: The connection broke, or gave no byte for too long.
            HTTPException: The response was cut off.
            ValueError: It is not what a chat completion is.
        """
        if not streamed:
            self._take(json.loads(response.read()), "message")
            self.is_complete = True
            return ""
        comment = b""
        while line := response.readline():
            text = line.strip()
            if text.startswith(b":"):
                comment = text
            if text == DONE:
                self.is_complete = True
                return ""
            if text.startswith(b"event: error"):
                return (comment or response.readline()).decode(errors="replace").strip(": \n")
            if text.startswith(b"data:"):
                event = json.loads(text[5:])
                if "choices" not in event:
                    return text[5:].decode(errors="replace").strip()
                self._take(event, "delta")
        return ""

    def _take(self, body: Any, part: str) -> None:
        for choice in body["choices"]:
            message = choice.get(part) or {}
            content = message.get("content") or ""
            reasoning = message.get("reasoning_content") or ""
            calls = message.get("tool_calls") or ()
            if self.first is None and (content or reasoning or calls):
                self.first = time.monotonic()
            self._content += content
            self._reasoning += reasoning
            for number, call in enumerate(calls):
                known = self._calls.setdefault(call.get("index", number), ["", ""])
                known[0] += call["function"].get("name") or ""
                known[1] += call["function"].get("arguments") or ""
            self._finish = choice.get("finish_reason") or self._finish
