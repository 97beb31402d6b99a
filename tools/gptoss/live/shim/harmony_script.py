"""What the simulated model says: harmony with reasoning, tool calls and the effort it was asked."""

from __future__ import annotations

import json
import re
import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tensorrt_llm.llmapi import GuidedDecodingParams

EFFORT = re.compile(r"Reasoning: (\w+)")
# The template says it; an answer is the same tomorrow.
DATE = re.compile(r"Current date: \S+")
MESSAGE = re.compile(r"<\|start\|>(.*?)(?=<\|start\|>|\Z)", re.DOTALL)
TOOL = re.compile(r"^type (\w+) = \((?:_: \{(.*?)\n?\})?\) => any;", re.DOTALL | re.MULTILINE)
PROPERTY = re.compile(r"^\s*(\w+)(\??): ([^,\n]+)", re.MULTILINE)
WORDS = {"low": 8, "medium": 40, "high": 120}


def answer(prompt: str, guided: GuidedDecodingParams | None) -> str:
    """The answer to a prompt in harmony, or a document when one is asked for by its schema."""
    if guided is not None and guided.json is not None:
        schema = json.loads(guided.json) if isinstance(guided.json, str) else guided.json
        return json.dumps(instance(schema)) + "<|return|>"
    messages = MESSAGE.findall(prompt)[:-1]
    user = next((m for m in reversed(messages) if m.startswith("user")), "")
    reasoning = _reasoning(prompt)
    tool = _tool_to_call(prompt, messages, user)
    if tool is not None:
        name, arguments = tool
        call = f"to=functions.{name} <|constrain|>json<|message|>{json.dumps(arguments)}<|call|>"
        return f"{reasoning}<|channel|>commentary {call}"
    return f"{reasoning}<|channel|>final<|message|>{_final(messages, user)}<|return|>"


def _reasoning(prompt: str) -> str:
    """Reasoning that says which effort was asked for; its length varies with the prompt."""
    found = EFFORT.search(prompt)
    effort = found[1] if found else "unknown"
    words = WORDS.get(effort, 8) + zlib.crc32(DATE.sub("", prompt).encode()) % 30
    text = f"The effort is {effort}; thinking{' on' * words}."
    return f"<|channel|>analysis<|message|>{text}<|end|><|start|>assistant"


def _final(messages: list[str], user: str) -> str:
    last = messages[-1] if messages else ""
    if last.startswith("functions."):
        body = last.partition("<|message|>")[2].replace("<|end|>", "")
        return f"The tool answered: {body.strip()[:200]}"
    return "Earth" if "planet" in user.lower() else "Hello! How can I help?"


def _tool_to_call(prompt: str, messages: list[str], user: str) -> tuple[str, Any] | None:
    """The first tool that the user names, or the first of all, unless it was called since then."""
    tools = {name: properties or "" for name, properties in TOOL.findall(prompt)}
    if not tools:
        return None
    since = messages[max((n for n, m in enumerate(messages) if m == user), default=0) :]
    called = {name for name in tools if any(m.startswith(f"functions.{name}") for m in since)}
    wanted = [name for name in tools if _names(user, name)] or list(tools)[:1]
    left = [name for name in wanted if name not in called]
    return (left[0], _arguments(tools[left[0]], user)) if left else None


def _names(user: str, tool: str) -> bool:
    """Whether a message names a tool, or the last word of its name."""
    text = user.lower()
    return tool.lower() in text or tool.lower().rsplit("_", 1)[-1] in text


def _arguments(properties: str, user: str) -> dict[str, Any]:
    names = re.findall(r"\b[A-Z][a-z]+\b", user.partition("<|message|>")[2])
    word = names[-1] if names else "Paris"
    return {
        name: _value(kind, word)
        for name, optional, kind in PROPERTY.findall(properties)
        if not optional
    }


def _value(kind: str, word: str) -> Any:
    if literal := re.match(r'"([^"]*)"', kind):
        return literal[1]
    plain = {"number": 1, "boolean": True, "string": word}
    found = plain.get(kind.strip())
    return [] if found is None and kind.strip().endswith("[]") else word if found is None else found


def instance(schema: Any) -> Any:
    """A document that fits a JSON schema of the usual words."""
    if not isinstance(schema, dict):
        return None
    for chosen in ("const", "default"):
        if chosen in schema:
            return schema[chosen]
    if schema.get("enum"):
        return schema["enum"][0]
    for several in ("anyOf", "oneOf", "allOf"):
        if schema.get(several):
            return instance(schema[several][0])
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object" or "properties" in schema:
        return {name: instance(value) for name, value in schema.get("properties", {}).items()}
    if kind == "array":
        return [instance(schema.get("items", {}))] * max(1, schema.get("minItems", 1))
    return {"string": "Paris", "integer": 1, "number": 1, "boolean": True}.get(kind or "")
