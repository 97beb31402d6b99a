"""Asks a served gpt-oss model for all that clients rely on, and says what it saw.

    smoke.py URL MODEL --ready --wait 7200   until one token is answered; exit 1 when it never is
    smoke.py URL MODEL --level full          runs cases; exit 1 when one fails, 2 with no answer

A model's words vary, so the cases look at structure. Each request, and the whole, has an end in
time that a server which hangs or drips cannot move.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import re
import socket
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from xml.etree import ElementTree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

POLL_SECONDS = 2.0
REQUEST_SECONDS = 60.0
MOST_BYTES = 16 * 2**20
# Harmony's markup, and what is left of it when a parser has lost its place.
MARKUP = re.compile(r"<\|\w+\|>|assistant(final|commentary|analysis)|to=functions\.")
PREAMBLE = re.compile(r"<\|channel\|>commentary<\|message\|>.*?<\|end\|>", re.DOTALL)
ENDS = ("response.completed", "response.incomplete", "response.failed")
QUESTION = "Answer with one word: which planet do we live on?"
ANSWER = "Earth"
PUZZLE = "How many prime numbers are there between 20 and 80? Answer with the number."
WEATHER_QUESTION = "What is the weather in Paris? Use the tool."


def tool(name: str, **more: str) -> dict[str, Any]:
    """A tool that takes a city."""
    city = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    return {"type": "function", "function": {"name": name, **more, "parameters": city}}


BARE = tool("get_weather")
WEATHER = tool("get_weather", description="The weather in a city.")
CLOCK = tool("get_time", description="The time in a city.")
PLANET = {
    "type": "object",
    "properties": {"planet": {"type": "string"}, "moons": {"type": "integer"}},
    "required": ["planet", "moons"],
    "additionalProperties": False,
}
CONCURRENT = 50
STATUSES = ("passed", "failed", "known", "unknown", "skipped")
# Which facts of schema/known.yaml say why a case fails.
CALLS_LOST = ("tool-call-in-pieces", "tool-call-on-analysis")
KNOWN = {
    "effort": ("effort-at-top",),
    "effort-responses": ("effort-at-top",),
    "tools-auto": CALLS_LOST,
    "tools-stream": CALLS_LOST,
    "tools-several": CALLS_LOST,
    "tools-result": CALLS_LOST,
    "responses-tools": CALLS_LOST,
    "tools-required": ("tool-call-required-in-pieces",),
    "tools-bare": ("tool-without-description", *CALLS_LOST),
    "no-call": ("tool-message-without-call",),
    "long-prompt": ("prompt-beyond-context",),
}
# What a deployment may offer or not, and what is taken for granted.
OFFERS = {"reasoning": "yes", "tools": "yes", "structured": "no", "disaggregated": "no"}


# Asking


@dataclass
class Answer:
    """What came back.

    Attributes:
        status: The HTTP status; None when there was no whole answer.
        kind: The content type.
        text: The body.
        error: Why there is no whole answer.
    """

    status: int | None = None
    kind: str = ""
    text: str = ""
    error: str = ""

    @cached_property
    def json(self) -> Any:
        """The body as JSON; None when it is none."""
        try:
            return json.loads(self.text)
        except ValueError:
            return None

    @property
    def reason(self) -> str:
        """Why this is not the answer that was hoped for, as the server or the network tells it."""
        if self.status is None:
            return self.error
        if not self.text.strip():
            return f"HTTP {self.status} with an empty body"
        if self.json is None and (self.status < 400 or "<html" in self.text[:500].lower()):
            what = "HTML" if "<html" in self.text[:500].lower() else "no JSON"
            return f"HTTP {self.status} with {what}: {one_line(self.text)}"
        told = self.json
        for name in ("error", "detail", "message"):
            told = told.get(name) or told if isinstance(told, dict) else told
        return f"HTTP {self.status}: {one_line(told if isinstance(told, str) else self.text)}"


def base(url: str) -> str:
    """An address without the path that every request begins with."""
    return url.rstrip("/").removesuffix("/v1")


def one_line(text: str, most: int = 200) -> str:
    """A text that a terminal shows as one line, cut where it gets long."""
    text = "".join(c if c.isprintable() else "·" for c in " ".join(text.split()))
    return text if len(text) <= most else text[: most - 1] + "…"


def exchange(address: str, path: str, body: bytes | None, seconds: float) -> Answer:
    """Sends a request and reads the answer, for so many seconds at most."""
    if seconds <= 0:
        return Answer(error="no time is left")
    parts = urlsplit(address)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    link = kind(parts.hostname or "", parts.port, timeout=seconds)
    received: list[Answer] = []
    # A thread, because a timeout of a socket starts again with every byte that drips in.
    work = threading.Thread(
        target=lambda: received.append(_converse(link, parts.path.rstrip("/") + path, body)),
        daemon=True,
    )
    work.start()
    work.join(seconds)
    if received:
        return received[0]
    if link.sock:
        with contextlib.suppress(OSError):
            link.sock.shutdown(socket.SHUT_RDWR)
    return Answer(error="no whole answer in time")


def _converse(link: http.client.HTTPConnection, path: str, body: bytes | None) -> Answer:
    answer, parts, size = Answer(), [], 0
    try:
        headers = {"Content-Type": "application/json"} if body is not None else {}
        link.request("GET" if body is None else "POST", path, body, headers)
        response = link.getresponse()
        answer.kind = response.headers.get_content_type()
        while size < MOST_BYTES and (chunk := response.read1(65536)):
            parts.append(chunk)
            size += len(chunk)
        if response.length:
            raise http.client.IncompleteRead(b"", response.length)
        answer.status = response.status
    except TimeoutError:
        answer.error = "no whole answer in time"
    except http.client.IncompleteRead:
        answer.error = "the answer is cut off"
    except (OSError, http.client.HTTPException, ValueError) as error:
        told = getattr(error, "strerror", None) or str(error) or type(error).__name__
        answer.error = one_line(told)
    finally:
        link.close()
    answer.text = b"".join(parts).decode(errors="replace")
    return answer


@dataclass
class Server:
    """A server that is asked for one model.

    Attributes:
        address: Its address, without /v1.
        model: Name of the model.
        end: When there is no more time, as ``time.monotonic`` counts it.
        tries: How often what varies is asked.
        context: Tokens that fit a request.
    """

    address: str
    model: str
    end: float
    tries: int = 1
    context: int = 131072

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return max(0.0, self.end - time.monotonic())

    @property
    def room(self) -> int:
        """Tokens for an answer with much reasoning."""
        return min(4096, self.context // 2)

    def get(self, path: str) -> Answer:
        """The answer to a GET."""
        return exchange(self.address, path, None, min(REQUEST_SECONDS, self.left))

    def post(self, path: str, body: Any) -> Answer:
        """The answer to a POST of a JSON body, or of bytes as they are."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return exchange(self.address, path, data, min(REQUEST_SECONDS, self.left))

    def chat(self, text: str = QUESTION, **more: Any) -> Answer:
        """A chat completion of one question; what is given stands for what it would send."""
        body = {"messages": [{"role": "user", "content": text}], "max_tokens": 1024, **more}
        return self.post("/v1/chat/completions", {"model": self.model, **body})

    def responses(self, text: str = QUESTION, **more: Any) -> Answer:
        """An answer of the responses API to one question."""
        body = {"input": text, "max_output_tokens": 1024, **more}
        return self.post("/v1/responses", {"model": self.model, **body})


# Waiting


def why_not_ready(server: Server) -> str | None:
    """None when the model is listed and answers one token, else what is missing."""
    listing = server.get("/v1/models")
    try:
        names = [model["id"] for model in listing.json["data"]]
    except (KeyError, TypeError):
        return f"/v1/models: {listing.reason}"
    if listing.status != 200:
        return f"/v1/models: {listing.reason}"
    if server.model not in names:
        return f"it lists {', '.join(map(str, names)) or 'no model'}"
    # A frontend may list a model of which only a prefill worker is there.
    token = server.chat("Hi", max_tokens=1)
    if token.status == 200 and isinstance(token.json, dict) and token.json.get("choices"):
        return None
    return f"it lists the model, but does not answer one token: {token.reason}"


def wait(address: str, model: str, seconds: float, say: Callable[[str], None]) -> str | None:
    """Waits until a model is ready; None, or what was missing when the time was over.

    What is missing is said when it changes.
    """
    server = Server(address, model, time.monotonic() + seconds)
    told = ""
    while (why := why_not_ready(server)) is not None:
        if why != told and (server.left > 0 or not told):
            told = why
            say(f"waiting for {model} at {address}: {why}")
        if server.left < 0.5:
            return told
        time.sleep(min(POLL_SECONDS, server.left / 2))
    return None


# Reading answers


class CaseError(Exception):
    """A case saw something else than it expects; the text says what."""


class UnknownError(Exception):
    """Whether a case holds cannot be told; the text says why."""


def need(holds: object, seen: str) -> None:
    """Fails a case, with what was seen, unless something holds."""
    if not holds:
        raise CaseError(one_line(seen))


def body_of(answer: Answer) -> Any:
    """The JSON object of a good answer."""
    need(answer.status == 200 and isinstance(answer.json, dict), answer.reason)
    return answer.json


def choice_of(answer: Answer) -> Any:
    """The first choice of a completion."""
    return body_of(answer)["choices"][0]


def events_of(answer: Answer) -> list[Any]:
    """The events of a stream that came to its end."""
    need(answer.status == 200, answer.reason)
    need(answer.kind == "text/event-stream", f"{answer.kind} instead of an event stream")
    lines = [line for line in answer.text.splitlines() if line.startswith("data:")]
    found = [line[5:].strip() for line in lines]
    events = [json.loads(data) for data in found if data != "[DONE]"]
    wrong = [e for e in events if not isinstance(e, dict) or e.get("error") or e.get("code")]
    need(not wrong and "\nevent: error" not in answer.text, f"an error in the stream: {wrong[:1]}")
    ended = found[-1:] == ["[DONE]"] or (events and events[-1].get("type") in ENDS)
    need(ended, f"cut off after {len(events)} events, without [DONE]")
    return events


def streamed(answer: Answer) -> Any:
    """A streamed chat completion put together as the choice that it would be in one piece."""
    message: dict[str, Any] = {"content": "", "reasoning": ""}
    calls: dict[int, dict[str, str]] = {}
    finished = []
    for choice in (c for event in events_of(answer) for c in event.get("choices") or ()):
        delta = choice["delta"]
        message["content"] += delta.get("content") or ""
        message["reasoning"] += reasoning_of(delta)
        for part in delta.get("tool_calls") or ():
            call = calls.setdefault(part["index"], {"name": "", "arguments": ""})
            for name in call:
                call[name] += part["function"].get(name) or ""
        finished += [choice["finish_reason"]] if choice.get("finish_reason") else []
    need(len(finished) == 1, f"finish_reason {finished} in one stream")
    message["tool_calls"] = [{"function": calls[index]} for index in sorted(calls)]
    return {"message": message, "finish_reason": finished[0]}


def reasoning_of(message: Any) -> str:
    """The reasoning of a message: one field in Dynamo, another in trtllm-serve."""
    return str(message.get("reasoning_content") or message.get("reasoning") or "")


def plain(text: object) -> str:
    """A text that holds words and no markup."""
    need(isinstance(text, str) and text.strip(), f"no text: {text!r}")
    need(not MARKUP.search(str(text)), f"raw harmony markup: {text!r}")
    return str(text)


def final(choice: Any) -> str:
    """The content of an answer that came to its end."""
    message, reason = choice["message"], choice["finish_reason"]
    if not message.get("content") and reasoning_of(message):
        raise CaseError(f"no content, only reasoning; finish_reason {reason!r}")
    content = plain(message.get("content"))
    need(reason == "stop", f"finish_reason {reason!r}")
    return content


def counted(usage: Any, before: str = "prompt_tokens", after: str = "completion_tokens") -> str:
    """Token counts that add up."""
    need(isinstance(usage, dict), f"usage {usage!r}")
    numbers = usage[before], usage[after], usage["total_tokens"]
    need(min(numbers) > 0 and numbers[0] + numbers[1] == numbers[2], f"usage {usage}")
    return "{} + {} = {}".format(*numbers)


def output_of(body: Any, kind: str) -> list[Any]:
    """The items of one kind in an answer of the responses API."""
    need(body["status"] == "completed", f"status {body['status']!r}")
    return [item for item in body["output"] if item["type"] == kind]


def said(body: Any) -> str:
    """The text of an answer of the responses API."""
    parts = [part for item in output_of(body, "message") for part in item["content"]]
    return plain("".join(part["text"] for part in parts if part["type"] == "output_text"))


def called(choice: Any, tools: list[Any]) -> list[str]:
    """The tools that a choice calls with arguments that fit them."""
    message, reason = choice["message"], choice["finish_reason"]
    calls = message.get("tool_calls") or []
    need(calls, f"no call; finish_reason {reason!r}, content {message.get('content')!r}")
    need(reason == "tool_calls", f"a call with finish_reason {reason!r}")
    # trtllm-serve keeps a preamble as such a message, for the next round.
    content = PREAMBLE.sub("", message.get("content") or "")
    need(not MARKUP.search(content), f"raw harmony markup beside the call: {content!r}")
    return [fitting(call["function"], tools) for call in calls]


def fitting(call: Any, tools: list[Any]) -> str:
    """The name of a tool that is called as its schema says."""
    by_name = {tool["function"]["name"]: tool["function"]["parameters"] for tool in tools}
    need(call["name"] in by_name, f"a call of {call['name']!r}, which is no tool")
    try:
        given = json.loads(call["arguments"])
    except ValueError:
        raise CaseError(f"arguments that are no JSON: {call['arguments']!r}") from None
    need(fits(given, by_name[call["name"]]), f"arguments that do not fit: {given}")
    return str(call["name"])


def fits(value: Any, schema: Any) -> bool:
    """Whether a value fits one of the schemas below: objects of strings and integers."""
    if schema["type"] != "object":
        return isinstance(value, {"string": str, "integer": int}[schema["type"]])
    known = schema["properties"]
    return (
        isinstance(value, dict)
        and set(schema.get("required", ())) <= set(value) <= set(known)
        and all(fits(item, known[name]) for name, item in value.items())
    )


# Cases


@dataclass
class Case:
    """One thing to ask for.

    Attributes:
        id: Its name.
        expected: What a right server does.
        run: Asks, and gives what was seen; raises CaseError or UnknownError.
        level: The least level that runs it.
        needs: What the deployment must offer for it, as an option says.
    """

    id: str
    expected: str
    run: Callable[[Server], str]
    level: str
    needs: str


CASES: list[Case] = []


def case(
    name: str, expected: str, level: str = "full", needs: str = ""
) -> Callable[[Callable[[Server], str]], Callable[[Server], str]]:
    """Makes a function a case."""

    def register(run: Callable[[Server], str]) -> Callable[[Server], str]:
        CASES.append(Case(name, expected, run, level, needs))
        return run

    return register


@case("models", "/v1/models lists the model", "quick")
def _models(server: Server) -> str:
    names = [model["id"] for model in body_of(server.get("/v1/models"))["data"]]
    need(server.model in names, f"lists {names}")
    return f"lists {', '.join(names)}"


@case("chat", f"a plain answer that says {ANSWER}, finished by stop", "quick")
def _chat(server: Server) -> str:
    content = final(choice_of(server.chat()))
    need(ANSWER.lower() in content.lower(), f"another answer: {content!r}")
    return repr(content)


@case("usage", "prompt and completion tokens add up to the total", "quick")
def _usage(server: Server) -> str:
    return counted(body_of(server.chat())["usage"])


@case("stream", "the same answer in parts, one finish_reason, [DONE] at the end", "quick")
def _stream(server: Server) -> str:
    content = final(streamed(server.chat(stream=True)))
    need(ANSWER.lower() in content.lower(), f"another answer: {content!r}")
    return repr(content)


@case("stream-usage", "usage in the last part, when it is asked for")
def _stream_usage(server: Server) -> str:
    options = {"include_usage": True}
    return counted(events_of(server.chat(stream=True, stream_options=options))[-1].get("usage"))


@case("length", "max_tokens ends an answer with finish_reason length, also amid reasoning")
def _length(server: Server) -> str:
    body = body_of(server.chat(max_tokens=4))
    reason, tokens = body["choices"][0]["finish_reason"], body["usage"]["completion_tokens"]
    need(reason == "length" and tokens <= 4, f"{tokens} tokens, finish_reason {reason!r}")
    return f"{tokens} tokens"


@case("completions", "a text without chat, its tokens counted", "quick")
def _completions(server: Server) -> str:
    request = {"model": server.model, "prompt": "Once upon a time", "max_tokens": 8}
    body = body_of(server.post("/v1/completions", request))
    need(isinstance(body["choices"][0]["text"], str), f"choices {body['choices']}")
    return counted(body["usage"])


@case("responses", f"the responses API completes a plain text that says {ANSWER}", "quick")
def _responses(server: Server) -> str:
    body = body_of(server.responses())
    text = said(body)
    need(ANSWER.lower() in text.lower(), f"another answer: {text!r}")
    return f"{text!r}, {counted(body['usage'], 'input_tokens', 'output_tokens')}"


@case("responses-stream", "the parts of the text, then response.completed")
def _responses_stream(server: Server) -> str:
    events = events_of(server.responses(stream=True))
    kinds = [event.get("type") for event in events]
    need(kinds[-1] == "response.completed", f"ends with {kinds[-1]}")
    parts = [e["delta"] for e in events if e.get("type") == "response.output_text.delta"]
    return f"{plain(''.join(parts))!r} in {len(parts)} parts"


@case("top-p", "top_p of 0.5 is taken, one of 7 refused")
def _top_p(server: Server) -> str:
    refused(server.chat(top_p=7))
    return f"refused, and {final(choice_of(server.chat(top_p=0.5)))!r}"


def _apart(server: Server, effort: str) -> str:
    choice = choice_of(server.chat(PUZZLE, reasoning_effort=effort, max_tokens=server.room))
    content, reasoning = final(choice), reasoning_of(choice["message"])
    # With low effort a model may well answer at once.
    need(reasoning or effort == "low", "no reasoning beside the content")
    need(not MARKUP.search(reasoning), f"raw harmony markup in the reasoning: {reasoning!r}")
    return f"{len(reasoning)} characters of reasoning, {content!r}"


for _effort, _level in {"low": "full", "medium": "quick", "high": "full"}.items():
    case(f"reasoning-{_effort}", "reasoning apart from the content", _level, "reasoning")(
        partial(_apart, effort=_effort)
    )


def _reaches(server: Server, ask: Callable[[Server, str], tuple[str, int, int]]) -> str:
    """Whether effort changes what the model does; lengths vary, so several tries count."""
    low, high = ([ask(server, effort) for _ in range(3)] for effort in ("low", "high"))
    text = "{:g} tokens at low, {:g} at high effort".format(
        *(median(tokens for _, _, tokens in tries) for tries in (low, high))
    )
    prompts = [{prompt for _, prompt, _ in tries} for tries in (low, high)]
    words = [{(words, tokens) for words, _, tokens in tries} for tries in (low, high)]
    if prompts[0].isdisjoint(prompts[1]):
        return f"{text}; prompts of {min(prompts[0])} and {min(prompts[1])} tokens"
    need(len(words[0] | words[1]) > 1, f"the same answer {len(low + high)} times: {text}")
    # A server that repeats itself within an effort, and not across, was told of it.
    repeats = len(words[0]) == len(words[1]) == 1
    if repeats or median(t for *_, t in high) >= 1.3 * median(t for *_, t in low):
        return text
    raise UnknownError(f"{text}: too close to tell")


def _chat_effort(server: Server, effort: str, field: str = "") -> tuple[str, int, int]:
    given: dict[str, Any] = {"reasoning_effort": effort}
    answer = server.chat(
        PUZZLE, temperature=0, max_tokens=server.room, **({field: given} if field else given)
    )
    if field and answer.status in (400, 422):
        raise UnknownError(f"this server does not take {field}")
    body = body_of(answer)
    message, usage = body["choices"][0]["message"], body["usage"]
    return reasoning_of(message), usage["prompt_tokens"], usage["completion_tokens"]


def _responses_effort(server: Server, effort: str) -> tuple[str, int, int]:
    more = {"temperature": 0, "max_output_tokens": server.room, "reasoning": {"effort": effort}}
    body = body_of(server.responses(PUZZLE, **more))
    reasoning = json.dumps([item.get("summary") for item in output_of(body, "reasoning")])
    return reasoning, body["usage"]["input_tokens"], body["usage"]["output_tokens"]


for _name, _ask in (
    ("effort", _chat_effort),
    ("effort-template", partial(_chat_effort, field="chat_template_args")),
    ("effort-responses", _responses_effort),
):
    case(_name, "effort reaches the prompt: high reasons otherwise than low", "full", "reasoning")(
        partial(_reaches, ask=_ask)
    )


def rate(server: Server, once: Callable[[], object]) -> str:
    """How often something is right, of several tries; wrong when it is not most of the time."""
    wrong = []
    for _ in range(server.tries):
        try:
            once()
        except CaseError as error:
            wrong.append(str(error))
    right = server.tries - len(wrong)
    seen = "; else ".join([f"{right} of {server.tries} right", *wrong[:1]])
    need(3 * right >= 2 * server.tries, seen)
    return seen


def _tools(server: Server, tools: list[Any], more: dict[str, Any]) -> str:
    def once() -> None:
        answer = server.chat(WEATHER_QUESTION, tools=tools, **more)
        found = called(streamed(answer) if "stream" in more else choice_of(answer), tools)
        need(found[0] == "get_weather", f"calls {found}")

    return rate(server, once)


for _name, _level, _offered, _choice in (
    ("tools-auto", "quick", [WEATHER], {}),
    ("tools-stream", "full", [WEATHER], {"stream": True}),
    ("tools-required", "full", [WEATHER], {"tool_choice": "required"}),
    ("tools-several", "full", [CLOCK, WEATHER], {}),
    ("tools-bare", "full", [BARE], {}),
):
    case(_name, "a call of the right tool, arguments as its schema says", _level, "tools")(
        partial(_tools, tools=_offered, more=_choice)
    )


@case("tools-none", "tool_choice none gives an answer without a call", "full", "tools")
def _tools_none(server: Server) -> str:
    choice = choice_of(server.chat(tools=[WEATHER], tool_choice="none"))
    calls = choice["message"].get("tool_calls")
    need(not calls, f"calls {calls}")
    return repr(final(choice))


@case("tools-result", "a call, its result sent back, then an answer", "full", "tools")
def _tools_result(server: Server) -> str:
    def once() -> None:
        first = choice_of(server.chat(WEATHER_QUESTION, tools=[WEATHER]))
        called(first, [WEATHER])
        calls = first["message"]["tool_calls"]
        result = [{"role": "tool", "tool_call_id": c["id"], "content": "21 degrees"} for c in calls]
        message = {name: value for name, value in first["message"].items() if value is not None}
        messages = [{"role": "user", "content": WEATHER_QUESTION}, message, *result]
        content = final(choice_of(server.chat(messages=messages, tools=[WEATHER])))
        need("21" in content, f"an answer without the result: {content!r}")

    return rate(server, once)


@case("responses-tools", "a function_call item with fitting arguments", "full", "tools")
def _responses_tools(server: Server) -> str:
    flat = {"type": "function", **WEATHER["function"]}

    def once() -> None:
        body = body_of(server.responses(WEATHER_QUESTION, tools=[flat]))
        calls = output_of(body, "function_call")
        need(calls, f"no function_call: {body['output']}")
        fitting(calls[0], [WEATHER])

    return rate(server, once)


@case("structured", "content that fits the JSON schema of response_format", "full", "structured")
def _structured(server: Server) -> str:
    wanted = {"name": "planet", "strict": True, "schema": PLANET}
    shape = {"type": "json_schema", "json_schema": wanted}
    question = "Our planet's name and its number of moons, as JSON."
    content = final(choice_of(server.chat(question, response_format=shape)))
    try:
        found = json.loads(content)
    except ValueError:
        raise CaseError(f"no JSON: {content!r}") from None
    need(fits(found, PLANET), f"another shape: {content!r}")
    return repr(content)


def refused(answer: Answer, *statuses: int) -> str:
    """The reason of an answer that refuses a request as the client's fault."""
    need(answer.status in (statuses or (400, 413, 422)), answer.reason)
    return answer.reason


def _refused(server: Server, ask: Callable[[Server], Answer], statuses: tuple[int, ...]) -> str:
    return refused(ask(server), *statuses)


ORPHAN = [{"role": "tool", "tool_call_id": "none", "content": "21 degrees"}]
for _name, _what, _level, _send, _statuses in (
    ("unknown-model", "a model that is not served", "quick", lambda s: s.chat(model="no"), (404,)),
    ("responses-model", "the same there", "full", lambda s: s.responses(model="no"), (404,)),
    ("unknown-path", "a path that is not", "full", lambda s: s.post("/v1/no-path", {}), (404,)),
    ("bad-json", "no JSON", "quick", lambda s: s.post("/v1/chat/completions", b'{"model": '), ()),
    ("bad-messages", "a text as messages", "full", lambda s: s.chat(messages="text"), ()),
    ("bad-max-tokens", "a word as max_tokens", "full", lambda s: s.chat(max_tokens="many"), ()),
    ("bad-temperature", "a word as temperature", "full", lambda s: s.chat(temperature="hot"), ()),
    ("no-call", "the result of no call", "full", lambda s: s.chat(messages=ORPHAN), ()),
    ("long-prompt", "a prompt beyond the context", "full",
     lambda s: s.chat("word " * (s.context + 1000), max_tokens=8), ()),
):  # fmt: skip
    case(_name, f"{_what}: refused with {_statuses[0] if _statuses else '400 or 422'}", _level)(
        partial(_refused, ask=_send, statuses=_statuses)
    )


@case("concurrent", f"{CONCURRENT} requests at once, each answered")
def _concurrent(server: Server) -> str:
    def lost(_: int) -> str:
        try:
            choice_of(server.chat(reasoning_effort="low"))
        except (CaseError, LookupError, TypeError) as error:
            return str(error)
        return ""

    with ThreadPoolExecutor(CONCURRENT) as pool:
        wrong = [why for why in pool.map(lost, range(CONCURRENT)) if why]
    need(not wrong, f"{len(wrong)} of {CONCURRENT} lost: {''.join(wrong[:1])}")
    return f"{CONCURRENT} answered"


@case("disaggregated", "a prefill worker has a part in an answer", "full", "disaggregated")
def _disaggregated(server: Server) -> str:
    body = body_of(server.chat(max_tokens=8, nvext={"extra_fields": ["worker_id"]}))
    workers = (body.get("nvext") or {}).get("worker_id") or {}
    if workers:
        need(workers.get("prefill_worker_id"), f"no prefill worker: {workers}")
        return f"prefilled by {workers['prefill_worker_id']}"
    counts = server.get("/metrics").text
    if re.search(r'^dynamo_frontend_worker_\w+\{.*worker_type="prefill"', counts, re.MULTILINE):
        return "the frontend's metrics have a prefill worker"
    raise UnknownError("neither the answer (router mode kv) nor /metrics names the workers")


@case("no-prefill", "without a prefill worker a request is refused", "killed")
def _no_prefill(server: Server) -> str:
    answer = server.chat(max_tokens=8)
    need(answer.status is not None and answer.status >= 400, f"{answer.status} {answer.reason}")
    return answer.reason


# Running


@dataclass
class Result:
    """What came of a case.

    Attributes:
        status: passed, failed, known (broken in this release), unknown (it cannot be told) or
            skipped (the deployment does not offer it).
        known: Where it is known to be broken, and where it is right.
    """

    id: str
    status: str
    expected: str
    seen: str
    seconds: float = 0
    known: str = ""


def run_case(found: Case, server: Server, known: str) -> Result:
    """Runs a case; an answer of another shape than it reads is a failure too."""
    started = time.monotonic()
    try:
        status, seen = "passed", found.run(server)
    except UnknownError as error:
        status, seen = "unknown", str(error)
    except CaseError as error:
        status, seen = "failed", str(error)
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        status, seen = "failed", f"an answer of another shape: {type(error).__name__} {error}"
    seconds = round(time.monotonic() - started, 2)
    if known and status in ("failed", "unknown"):
        status = "known"
    return Result(found.id, status, found.expected, one_line(seen), seconds, known)


def known_in(release: str | None) -> dict[str, str]:
    """What is known to be broken in a release, by case, as the chart's facts have it."""
    path = Path(__file__).with_name("facts.json")
    facts = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    told = {
        fact[
            "id"
        ]: f"{fact['what']} ({'right from ' + fact['right'] if fact['right'] else 'not right yet'})"
        for fact in facts.get("known") or ()
        if release in fact["broken"]
    }
    found = {name: [told[fact] for fact in ids if fact in told] for name, ids in KNOWN.items()}
    return {name: f"known in {release}: {'; '.join(w)}" for name, w in found.items() if w}


def row(result: Result) -> str:
    """A result as a line, with what was expected below when it was not seen."""
    lines = [f"{result.status:7} {result.id:17} {result.seconds:6.1f} s  "]
    lines[0] += one_line(result.seen, 100 - len(lines[0]))
    more = [result.known] if result.status == "known" else []
    if result.status == "failed":
        more = [f"expected: {result.expected}"]
        more += [] if lines[0].endswith(result.seen) else [f"seen: {result.seen}"]
    for text in more:
        lines += textwrap.wrap(text, 100, initial_indent=" " * 8, subsequent_indent=" " * 10)
    return "\n".join(lines)


def tally(results: list[Result]) -> dict[str, int]:
    """How many results there are of each status."""
    return {s: n for s in STATUSES if (n := sum(r.status == s for r in results)) or s == "failed"}


def as_json(given: argparse.Namespace, results: list[Result]) -> str:
    """The results as a JSON document."""
    about = {name: getattr(given, name) for name in ("url", "model", "release", "level")}
    cases = [vars(result) for result in results]
    return json.dumps({"version": 1, **about, "counts": tally(results), "cases": cases}, indent=2)


def as_junit(given: argparse.Namespace, results: list[Result]) -> str:
    """The results as JUnit's XML; what is known, unknown or skipped counts as skipped."""
    counts = tally(results)
    suite = ElementTree.Element("testsuite", name=f"smoke {given.url}", tests=str(len(results)))
    suite.set("failures", str(counts["failed"]))
    suite.set("skipped", str(len(results) - counts["failed"] - counts.get("passed", 0)))
    for result in results:
        shown = {"classname": "smoke", "name": result.id, "time": f"{result.seconds:.2f}"}
        element = ElementTree.SubElement(suite, "testcase", shown)
        text = f"expected: {result.expected}\nseen: {result.seen}"
        if result.status == "failed":
            ElementTree.SubElement(element, "failure", message=result.seen).text = text
        elif result.status != "passed":
            told = result.known if result.status == "known" else result.seen
            ElementTree.SubElement(element, "skipped", message=f"{result.status}: {told}")
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True)


# The command


def options() -> argparse.ArgumentParser:
    """What the script takes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("url", help="address of the frontend or server, as http://host:8000")
    parser.add_argument("model", help="name under which the model is served")
    parser.add_argument("--ready", action="store_true", help="only wait for one token")
    parser.add_argument("--wait", type=float, default=10, help="seconds until it must be ready")
    parser.add_argument("--timeout", type=float, help="seconds for all (120; level full: 900)")
    parser.add_argument("--level", choices=("quick", "full"), default="quick")
    parser.add_argument("--format", choices=("text", "json", "junit"), default="text")
    parser.add_argument("--release", help="release of Dynamo, for what is known to be broken in it")
    parser.add_argument("--context", type=int, default=131072, help="tokens that fit a request")
    for name, usual in OFFERS.items():
        parser.add_argument(
            f"--{name}", choices=("yes", "no"), default=usual, help="is it offered?"
        )
    parser.add_argument("--prefill-killed", action="store_true", help="only see that it refuses")
    return parser


def main(words: list[str], show: Callable[[Result], str] = row) -> int:
    """The exit code: 0, 1 when a case fails or nothing is ready in time, 2 when nobody answers.

    Args:
        words: The arguments.
        show: What is printed of a result in the form of text.
    """
    parser = options()
    given = parser.parse_args(words)
    given.url = base(given.url)
    if not re.fullmatch(r"https?://(\[[\da-fA-F:]+\]|[^/\s:]+)(:\d{1,5})?(/\S*)?", given.url):
        parser.error(f"{given.url} is no address, as in http://127.0.0.1:8000")
    total = given.timeout or (900 if given.level == "full" else 120)
    end = time.monotonic() + total
    seconds = given.wait if given.ready else min(given.wait, total)
    progress = sys.stdout if given.format == "text" else sys.stderr
    say = partial(print, file=progress, flush=True)
    if given.prefill_killed:
        listing = Server(given.url, given.model, end).get("/v1/models")
        why = None if listing.status else listing.reason
    else:
        why = wait(given.url, given.model, seconds, say)
    if why is not None:
        text = f"{given.model} at {given.url} is not ready after {seconds:g} s: {why}"
        print(text, file=sys.stderr)
        return 1 if given.ready else 2
    if given.ready:
        print(f"{given.model} at {given.url} is ready", flush=True)
        return 0
    server = Server(given.url, given.model, end, 5 if given.level == "full" else 3, given.context)
    results = []
    for result in run(server, given):
        results.append(result)
        say(show(result) if given.format == "text" else f"{result.status} {result.id}")
    if given.format == "text":
        print(", ".join(f"{count} {status}" for status, count in tally(results).items()))
    else:
        print({"json": as_json, "junit": as_junit}[given.format](given, results))
    return int(any(result.status == "failed" for result in results))


def run(server: Server, given: argparse.Namespace) -> Iterator[Result]:
    """Runs the cases that are asked for, one after the other."""
    known = known_in(given.release)
    levels = ("killed",) if given.prefill_killed else ("quick", given.level)
    for found in CASES:
        if found.level not in levels:
            continue
        if getattr(given, found.needs, "yes") == "no":
            why = f"not offered here, as --{found.needs} no says"
            yield Result(found.id, "skipped", found.expected, why)
        else:
            yield run_case(found, server, known.get(found.id, ""))


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
