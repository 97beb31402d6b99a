"""Shapes of the OpenAI API that the stand-in server answers in."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harmony_reading import Read


def message_of(found: Read) -> dict[str, Any]:
    """The message of an answer."""
    message: dict[str, Any] = {
        "role": "assistant",
        "content": found.content or None,
        "reasoning_content": found.reasoning or None,
    }
    if found.calls:
        message["tool_calls"] = [call_of(*call) for call in found.calls]
    return message


def delta_between(sent: Read, now: Read, *, whole: bool) -> dict[str, Any]:
    """What is new; tool calls are given whole, at the end."""
    delta: dict[str, Any] = {}
    if now.reasoning != sent.reasoning:
        delta["reasoning_content"] = now.reasoning[len(sent.reasoning) :]
    if now.content != sent.content:
        delta["content"] = now.content[len(sent.content) :]
    if whole and now.calls:
        delta["tool_calls"] = [call_of(*call) | {"index": n} for n, call in enumerate(now.calls)]
    return delta


def call_of(name: str, arguments: str) -> dict[str, Any]:
    """A call of a tool."""
    function = {"name": name, "arguments": arguments}
    return {"id": new_id("call"), "type": "function", "function": function}


def reason_of(message: dict[str, Any], reason: str) -> str:
    """Why an answer ends: a call that is whole is a reason of its own."""
    return "tool_calls" if "tool_calls" in message and reason == "stop" else reason


def usage_of(prompt: list[int], tokens: list[int]) -> dict[str, int]:
    """Tokens of a request."""
    sizes = {"prompt_tokens": len(prompt), "completion_tokens": len(tokens)}
    return sizes | {"total_tokens": len(prompt) + len(tokens)}


def new_id(kind: str) -> str:
    """A number that no other thing has."""
    return f"{kind}-{uuid.uuid4().hex}"
