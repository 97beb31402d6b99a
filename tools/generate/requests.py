"""The requests that a target's page shows."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

QUESTION = "Is everything up and running?"
TOOL = {
    "type": "function",
    "function": {
        "name": "get_system_health",
        "description": "Says whether the service is healthy.",
        "parameters": {"type": "object", "properties": {}},
    },
}
CALL = {
    "id": "call-1",
    "type": "function",
    "function": {"name": "get_system_health", "arguments": "{}"},
}


@dataclass(frozen=True, slots=True)
class Example:
    """A request.

    Attributes:
        about: What it shows.
        path: Path of the endpoint.
        body: The body, as JSON that stands between single quotes in a shell.
    """

    about: str
    path: str
    body: str


def examples(model: str, *, serve: bool) -> list[Example]:
    """A chat, a response, reasoning effort, and a tool call in its two rounds.

    Args:
        model: The name that clients ask for.
        serve: Whether ``trtllm-serve`` answers; it takes the reasoning effort at the top of a
            request, the Dynamo frontend as an argument of the chat template.
    """

    def effort(level: str) -> dict[str, Any]:
        if serve:
            return {"reasoning_effort": level}
        return {"chat_template_args": {"reasoning_effort": level}}

    def chat(about: str, content: list[dict[str, Any]], **more: Any) -> Example:
        body = {"model": model, "messages": content, **more}
        return Example(about, "/v1/chat/completions", _body(body))

    user = {"role": "user", "content": QUESTION}
    called = {"role": "assistant", "tool_calls": [CALL]}
    result = {"role": "tool", "tool_call_id": "call-1", "content": '{"status": "ok"}'}
    tools = {"tools": [TOOL], "max_tokens": 300, **effort("low")}
    return [
        chat(
            "A chat completion:",
            [{"role": "user", "content": "Where is New York?"}],
            max_tokens=1024,
        ),
        Example(
            "The same through the responses API:",
            "/v1/responses",
            _body({"model": model, "input": "Where is New York?", "max_output_tokens": 1024}),
        ),
        chat(
            "Reasoning effort is low, medium or high. High makes long answers and needs `top_p` 1, "
            "or tokens may repeat without an end:",
            [{"role": "user", "content": "Why did Rome fall?"}],
            **effort("high"),
            top_p=1,
            max_tokens=8192,
        ),
        chat("A tool, first round; the answer holds the call:", [user], **tools),
        chat(
            "Second round, with the call and what the tool returned; the answer is a text:",
            [user, called, result],
            **tools,
        ),
    ]


def _body(body: dict[str, Any]) -> str:
    """One key a line, short enough to read."""
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in body.items()]
    return "{\n" + ",\n".join(lines) + "\n}"
