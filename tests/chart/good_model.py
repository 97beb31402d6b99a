"""A small gpt-oss that answers as a right server does, in the form of Dynamo's frontend."""

import json
from typing import Any

from tests.chart.odd_server import LISTING, MODEL, Reply

USAGE = {"prompt_tokens": 70, "completion_tokens": 30, "total_tokens": 100}
RESPONSES_USAGE = {"input_tokens": 70, "output_tokens": 30, "total_tokens": 100}
CALL = {"id": "call-1", "type": "function"}
THOUGHTS = {"low": "a", "medium": "a b", "high": "a b c d e f"}


def good(path: str, body: Any) -> Any:
    """The right answer to a request."""
    if path == "/v1/models":
        return LISTING
    if path == "/metrics":
        return Reply(b'dynamo_frontend_worker_last_x{worker_type="prefill"} 7\n', kind="text/plain")
    if path not in ROUTES:
        return Reply(b"", 404)
    if isinstance(body, bytes):
        return Reply(b"Failed to parse the request body as JSON", 400, "text/plain")
    if body["model"] != MODEL:
        return Reply(b'{"message": "Model not found", "code": 404}', 404)
    return ROUTES[path](body)


def chat(body: Any) -> Any:
    messages = body["messages"]
    shapes = isinstance(messages, list) and isinstance(body["max_tokens"], int)
    if not shapes or isinstance(body.get("temperature"), str) or body.get("top_p", 1) > 1:
        return Reply(b'{"message": "wrong"}', 400)
    if (messages[0]["role"] == "tool") or len(str(messages)) > 600_000:
        return Reply(b'{"message": "no call before, or too long"}', 400)
    choice = chosen(body, messages)
    if body.get("stream"):
        return Reply(stream(choice), kind="text/event-stream")
    workers = {"prefill_worker_id": 1, "decode_worker_id": 2}
    usage = {**USAGE, "completion_tokens": min(30, body["max_tokens"])}
    usage["total_tokens"] = 70 + usage["completion_tokens"]
    return {"choices": [choice], "usage": usage, "nvext": {"worker_id": workers}}


def chosen(body: Any, messages: list[Any]) -> Any:
    given = body.get("chat_template_args", body)
    thought = THOUGHTS[given.get("reasoning_effort", "medium")]
    message: dict[str, Any] = {"role": "assistant", "reasoning_content": thought}
    if body["max_tokens"] <= 8:
        return {"message": message | {"content": None}, "finish_reason": "length"}
    names = [tool["function"]["name"] for tool in body.get("tools", ())]
    asks = "weather" in str(messages[0]) and messages[-1]["role"] == "user"
    if asks and "get_weather" in names and body.get("tool_choice") != "none":
        call = {**CALL, "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'}}
        return {
            "message": message | {"content": None, "tool_calls": [call]},
            "finish_reason": "tool_calls",
        }
    text = "It is 21 degrees." if messages[-1]["role"] == "tool" else "Earth"
    if "response_format" in body:
        text = '{"planet": "Earth", "moons": 1}'
    return {"message": message | {"content": text}, "finish_reason": "stop"}


def stream(choice: Any) -> bytes:
    message = choice["message"]
    calls = [{**call, "index": n} for n, call in enumerate(message.get("tool_calls", ()))]
    deltas: list[dict[str, Any]] = [{"reasoning_content": message["reasoning_content"]}]
    deltas += [{"content": letter} for letter in message["content"] or ""]
    deltas += [{"tool_calls": [call]} for call in calls]
    choices = [{"delta": delta, "finish_reason": None} for delta in deltas]
    choices.append({"delta": {}, "finish_reason": choice["finish_reason"]})
    events: list[Any] = [{"choices": [found]} for found in choices]
    return sse([*events, {"choices": [], "usage": USAGE}]) + b"data: [DONE]\n\n"


def sse(events: list[Any]) -> bytes:
    return b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events)


def completions(_: Any) -> Any:
    return {"choices": [{"text": "there was"}], "usage": USAGE}


def responses(body: Any) -> Any:
    effort = body.get("reasoning", {}).get("effort", "medium")
    thought = {"type": "reasoning", "summary": [{"type": "summary_text", "text": THOUGHTS[effort]}]}
    item: dict[str, Any]
    if body.get("tools"):
        item = {"type": "function_call", "name": "get_weather", "arguments": '{"city": "Paris"}'}
    else:
        item = {"type": "message", "content": [{"type": "output_text", "text": "Earth"}]}
    whole = {"status": "completed", "output": [thought, item], "usage": RESPONSES_USAGE}
    if not body.get("stream"):
        return whole
    parts = [{"type": "response.output_text.delta", "delta": letter} for letter in "Earth"]
    return Reply(sse([*parts, {"type": "response.completed", "response": whole}]), kind=STREAM)


STREAM = "text/event-stream"
ROUTES = {"/v1/chat/completions": chat, "/v1/completions": completions, "/v1/responses": responses}
