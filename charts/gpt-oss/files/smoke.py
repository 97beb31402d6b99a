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
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit
from xml.etree import ElementTree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

POLL_SECONDS = 2.0
REQUEST_SECONDS = 60.0
MOST_BYTES = 16 * 2**20
CONCURRENT = 50
# Known: broken in this release; unknown: it cannot be told; skipped: not offered.
STATUSES = ("passed", "failed", "known", "unknown", "skipped")
# What a deployment may offer or not, and what is taken for granted.
OFFERS = {
    "reasoning": "yes",
    "tools": "yes",
    "structured": "no",
    "disaggregated": "no",
    "names": "yes",  # trtllm-serve answers whatever model is asked for
}
LATE, CUT_OFF = "no whole answer in time", "the answer is cut off"
FAULTS = {TimeoutError: LATE, http.client.IncompleteRead: CUT_OFF}
# Harmony's markup, and what is left of it when a parser has lost its place.
MARKUP = re.compile(r"<\|\w+\|>|assistant(final|commentary|analysis)|to=functions\.")
PREAMBLE = re.compile(r"<\|channel\|>commentary<\|message\|>.*?<\|end\|>", re.DOTALL)
ENDS = ("response.completed", "response.incomplete", "response.failed")
QUESTION = "Answer with one word: which planet do we live on?"
ANSWER = "Earth"
PUZZLE = "How many prime numbers are there between 20 and 80? Answer with the number."
WEATHER_QUESTION = "What is the weather in Paris? Use the tool."
RESULT = {"role": "tool", "tool_call_id": "none", "content": "21 degrees"}
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
BARE = {"name": "get_weather", "parameters": CITY}
WEATHER = {"name": "get_weather", "description": "The weather in a city.", "parameters": CITY}
CLOCK = {"name": "get_time", "description": "The time in a city.", "parameters": CITY}
USAGE = {"include_usage": True}
PARTS = {"planet": {"type": "string"}, "moons": {"type": "integer"}}
SHAPE = {"type": "object", "additionalProperties": False}
PLANET = {**SHAPE, "properties": PARTS, "required": [*PARTS]}


class CaseError(Exception):
    """A case saw something else than it expects; the text says what."""


class UnknownError(Exception):
    """Whether a case holds cannot be told; the text says why."""


def need(holds: object, seen: str) -> None:
    """Fails a case, with what was seen, unless something holds."""
    if not holds:
        raise CaseError(one_line(seen))


def one_line(text: str, most: int = 200) -> str:
    """A text that a terminal shows as one line, cut where it gets long."""
    text = "".join(c if c.isprintable() else "·" for c in " ".join(text.split()))
    text = text.replace("##[", "#·[")  # runners of GitHub obey it wherever it stands
    return text if len(text) <= most else text[: most - 1] + "…"


@dataclass
class Answer:
    """What came back; its status is None, and there is an error, when it is not whole."""

    status: int | None = None
    kind: str = ""
    text: str = ""
    error: str = ""

    @cached_property
    def json(self) -> Any:
        """The body as JSON; None when it is none."""
        try:
            return json.loads(self.text)
        except (ValueError, RecursionError):
            return None

    @property
    def reason(self) -> str:
        """Why this is not the answer that was hoped for, as the server or the network tells it."""
        if self.status is None:
            return self.error
        if not self.text.strip():
            return f"HTTP {self.status} with an empty body"
        is_html = "<html" in self.text[:500].lower()
        if self.json is None and (self.status < 400 or is_html):
            what = "HTML" if is_html else "no JSON"
            return f"HTTP {self.status} with {what}: {one_line(self.text)}"
        told = self.json
        for name in ("error", "detail", "message"):
            told = told.get(name) or told if isinstance(told, dict) else told
        return f"HTTP {self.status}: {one_line(told if isinstance(told, str) else self.text)}"

    @property
    def body(self) -> Any:
        """The JSON object of a good answer."""
        need(self.status == 200 and isinstance(self.json, dict), self.reason)
        return self.json

    @property
    def names(self) -> list[Any]:
        """The names of models that it lists."""
        listed = self.body.get("data")
        need(isinstance(listed, list), self.reason)
        return [model["id"] for model in listed]

    @property
    def events(self) -> list[Any]:
        """The events of a stream that came to its end."""
        need(self.status == 200, self.reason)
        need(self.kind == "text/event-stream", f"{self.kind} instead of an event stream")
        lines = [line for line in self.text.splitlines() if line.startswith("data:")]
        found = [line[5:].strip() for line in lines]
        events = [json.loads(data) for data in found if data != "[DONE]"]
        wrong = [e for e in events if not isinstance(e, dict) or e.get("error") or e.get("code")]
        is_wrong = wrong or "\nevent: error" in self.text
        need(not is_wrong, f"an error in the stream: {wrong[:1]}")
        ended = found[-1:] == ["[DONE]"] or (events and events[-1].get("type") in ENDS)
        need(ended, f"cut off after {len(events)} events, without [DONE]")
        return events


def base(url: str) -> str:
    """An address without the path that every request begins with."""
    return url.rstrip("/").removesuffix("/v1")


def is_address(url: str) -> bool:
    """Whether requests can be sent there; a user's name and password would not be."""
    with contextlib.suppress(ValueError):  # of a host or a port that cannot be
        has_port = urlsplit(url).port != 0
        form = r"https?://(\[[\da-fA-F:]+\]|[\w.-]+)(:\d+)?(/[!-~]*)?"
        return has_port and bool(re.fullmatch(form, url))
    return False


def exchange(address: str, path: str, body: bytes | None, seconds: float) -> Answer:
    """Sends a request, GET without a body, and reads the answer, for so many seconds at most."""
    if seconds <= 0:
        return Answer(error="no time is left")
    parts = urlsplit(address)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    link = kind(parts.hostname or "", parts.port, timeout=seconds)
    path = parts.path.rstrip("/") + path
    got: list[Answer] = []
    # A thread, because a timeout of a socket starts again with every byte that drips in.
    work = threading.Thread(target=lambda: got.append(_converse(link, path, body)), daemon=True)
    work.start()
    work.join(seconds)
    if got:
        return got[0]
    if link.sock:
        with contextlib.suppress(OSError):
            link.sock.shutdown(socket.SHUT_RDWR)
    return Answer(error=LATE)


def _converse(link: http.client.HTTPConnection, path: str, body: bytes | None) -> Answer:
    headers = {"Content-Type": "application/json"} if body is not None else {}
    try:
        link.request("GET" if body is None else "POST", path, body, headers)
        response = link.getresponse()
        text = response.read(MOST_BYTES).decode(errors="replace")
        if response.length:
            raise http.client.IncompleteRead(b"", response.length)
        return Answer(response.status, response.headers.get_content_type(), text)
    except (OSError, http.client.HTTPException, ValueError) as error:
        told = FAULTS.get(type(error)) or getattr(error, "strerror", None) or str(error)
        return Answer(error=one_line(told or type(error).__name__))
    finally:
        link.close()


@dataclass
class Server:
    """A server that is asked for one model."""

    address: str
    model: str
    end: float  # as time.monotonic counts it
    tries: int = 1  # of what varies
    context: int = 131072  # tokens that fit a request

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return max(0.0, self.end - time.monotonic())

    @property
    def room(self) -> int:
        """Tokens for an answer with much reasoning."""
        return min(4096, self.context // 2)

    def ask(self, path: str, body: Any = None) -> Answer:
        """The answer to a POST of a JSON body, of bytes as they are, or to a GET without one."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        return exchange(self.address, path, data, min(REQUEST_SECONDS, self.left))

    def chat(self, text: str = QUESTION, **more: Any) -> Answer:
        """A chat completion of one question; what is given stands for what it would send."""
        body = {"messages": [{"role": "user", "content": text}], "max_tokens": 1024, **more}
        return self.ask("/v1/chat/completions", {"model": self.model, **body})

    def choice(self, text: str = QUESTION, **more: Any) -> Any:
        """The first choice of a chat completion, put together when a stream is asked for."""
        answer = self.chat(text, **more)
        return streamed(answer.events) if more.get("stream") else answer.body["choices"][0]

    def responses(self, text: str = QUESTION, **more: Any) -> Answer:
        """An answer of the responses API to one question."""
        body = {"input": text, "max_output_tokens": 1024, **more}
        return self.ask("/v1/responses", {"model": self.model, **body})


def why_not_ready(server: Server) -> str | None:
    """None when the model is listed and answers one token, else what is missing."""
    listing = server.ask("/v1/models")
    try:
        names = listing.names
    except (CaseError, LookupError, TypeError):
        return f"/v1/models: {listing.reason}"
    if server.model not in names:
        return f"it lists {', '.join(map(str, names)) or 'no model'}"
    # A frontend may list a model of which only a prefill worker is there.
    token = server.chat("Hi", max_tokens=1)
    if token.status == 200 and isinstance(token.json, dict) and token.json.get("choices"):
        return None
    return f"it lists the model, but does not answer one token: {token.reason}"


def wait(address: str, model: str, seconds: float, say: Callable[[str], None]) -> str | None:
    """Waits until a model is ready; None, or what was missing at the end, said when it changes."""
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


def parsed(text: str, what: str = "") -> Any:
    """What a model wrote as JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise CaseError(one_line(f"{what}no JSON: {text!r}")) from None


def streamed(events: list[Any]) -> Any:
    """A streamed chat completion put together as the choice that it would be in one piece."""
    message: dict[str, Any] = {"content": "", "reasoning": ""}
    calls: dict[int, dict[str, str]] = {}
    finished = []
    for choice in (c for event in events for c in event.get("choices") or ()):
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
    is_thought = not message.get("content") and reasoning_of(message)
    need(not is_thought, f"no content, only reasoning; finish_reason {reason!r}")
    content = plain(message.get("content"))
    need(reason == "stop", f"finish_reason {reason!r}")
    return content


def right(text: str) -> str:
    """A text that answers the question."""
    need(ANSWER.lower() in text.lower(), f"another answer: {text!r}")
    return repr(text)


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


def called(choice: Any, *tools: Any) -> list[str]:
    """The tools that a choice calls with arguments that fit them."""
    message, reason = choice["message"], choice["finish_reason"]
    calls = message.get("tool_calls") or []
    need(calls, f"no call; finish_reason {reason!r}, content {message.get('content')!r}")
    need(reason == "tool_calls", f"a call with finish_reason {reason!r}")
    # trtllm-serve keeps a preamble as such a message, for the next round.
    content = PREAMBLE.sub("", message.get("content") or "")
    need(not MARKUP.search(content), f"raw harmony markup beside the call: {content!r}")
    return [fitting(call["function"], *tools) for call in calls]


def fitting(call: Any, *tools: Any) -> str:
    """The name of a tool that is called as its schema says."""
    schemas = {tool["name"]: tool["parameters"] for tool in tools}
    need(call["name"] in schemas, f"a call of {call['name']!r}, which is no tool")
    given = parsed(call["arguments"], "arguments that are ")
    need(fits(given, schemas[call["name"]]), f"arguments that do not fit: {given}")
    return str(call["name"])


def fits(value: Any, schema: Any) -> bool:
    """Whether a value fits one of the schemas above: objects of strings and integers."""
    types = {"string": str, "integer": int}
    kinds = {name: types[part["type"]] for name, part in schema["properties"].items()}
    is_whole = isinstance(value, dict) and set(value) == set(kinds)
    return is_whole and all(isinstance(value[name], kind) for name, kind in kinds.items())


def refused(answer: Answer, *statuses: int) -> str:
    """The reason of an answer that refuses a request as the client's fault."""
    need(answer.status in (statuses or (400, 413, 422)), answer.reason)
    return answer.reason


def rated(once: Callable[[Server], object]) -> Callable[[Server], str]:
    """How often something is right, of several tries; wrong when it is not most of the time."""

    def run(server: Server) -> str:
        wrong = []
        for _ in range(server.tries):
            try:
                once(server)
            except CaseError as error:
                wrong.append(str(error))
        count = server.tries - len(wrong)
        seen = "; else ".join([f"{count} of {server.tries} right", *wrong[:1]])
        need(3 * count >= 2 * server.tries, seen)
        return seen

    return run


# What cases do: each gives what was seen, or raises CaseError or UnknownError


def _models(server: Server) -> str:
    names = server.ask("/v1/models").names
    need(server.model in names, f"lists {names}")
    return f"lists {', '.join(names)}"


def _length(server: Server) -> str:
    body = server.chat(max_tokens=4).body
    reason, tokens = body["choices"][0]["finish_reason"], body["usage"]["completion_tokens"]
    need(reason == "length" and tokens <= 4, f"{tokens} tokens, finish_reason {reason!r}")
    return f"{tokens} tokens"


def _completions(server: Server) -> str:
    request = {"model": server.model, "prompt": "Once upon a time", "max_tokens": 8}
    body = server.ask("/v1/completions", request).body
    need(isinstance(body["choices"][0]["text"], str), f"choices {body['choices']}")
    return counted(body["usage"])


def _responses(server: Server) -> str:
    body = server.responses().body
    parts = [part for item in output_of(body, "message") for part in item["content"]]
    text = plain("".join(part["text"] for part in parts if part["type"] == "output_text"))
    return f"{right(text)}, {counted(body['usage'], 'input_tokens', 'output_tokens')}"


def _responses_stream(server: Server) -> str:
    events = server.responses(stream=True).events
    kinds = [event.get("type") for event in events]
    need(kinds[-1] == "response.completed", f"ends with {kinds[-1]}")
    parts = [e["delta"] for e in events if e.get("type") == "response.output_text.delta"]
    return f"{plain(''.join(parts))!r} in {len(parts)} parts"


def _top_p(server: Server) -> str:
    refused(server.chat(top_p=7))
    return f"refused, and {final(server.choice(top_p=0.5))!r}"


def _apart(server: Server, effort: str) -> str:
    choice = server.choice(PUZZLE, reasoning_effort=effort, max_tokens=server.room)
    content, reasoning = final(choice), reasoning_of(choice["message"])
    # With low effort a model may well answer at once.
    need(reasoning or effort == "low", "no reasoning beside the content")
    need(not MARKUP.search(reasoning), f"raw harmony markup in the reasoning: {reasoning!r}")
    return f"{len(reasoning)} characters of reasoning, {content!r}"


def _reaches(server: Server, ask: Callable[[Server, str], tuple[str, int, int]]) -> str:
    """Whether effort changes what the model does; lengths vary, so several tries count."""
    low, high = ([ask(server, effort) for _ in range(3)] for effort in ("low", "high"))
    tokens = [median(tokens for _, _, tokens in tries) for tries in (low, high)]
    text = "{:g} tokens at low, {:g} at high effort".format(*tokens)
    prompts = [{prompt for _, prompt, _ in tries} for tries in (low, high)]
    words = [{(words, tokens) for words, _, tokens in tries} for tries in (low, high)]
    if prompts[0].isdisjoint(prompts[1]):
        return f"{text}; prompts of {min(prompts[0])} and {min(prompts[1])} tokens"
    need(len(words[0] | words[1]) > 1, f"the same answer {len(low + high)} times: {text}")
    # A server that repeats itself within an effort, and not across, was told of it.
    if len(words[0]) == len(words[1]) == 1 or tokens[1] >= 1.3 * tokens[0]:
        return text
    raise UnknownError(f"{text}: too close to tell")


def _chat_effort(server: Server, effort: str, field: str = "") -> tuple[str, int, int]:
    told: dict[str, Any] = {"reasoning_effort": effort}
    more = {"temperature": 0, "max_tokens": server.room, **({field: told} if field else told)}
    answer = server.chat(PUZZLE, **more)
    if field and answer.status in (400, 422):
        raise UnknownError(f"this server does not take {field}")
    body = answer.body
    reasoning, usage = reasoning_of(body["choices"][0]["message"]), body["usage"]
    return reasoning, usage["prompt_tokens"], usage["completion_tokens"]


def _responses_effort(server: Server, effort: str) -> tuple[str, int, int]:
    more = {"temperature": 0, "max_output_tokens": server.room, "reasoning": {"effort": effort}}
    body = server.responses(PUZZLE, **more).body
    reasoning = json.dumps([item.get("summary") for item in output_of(body, "reasoning")])
    return reasoning, body["usage"]["input_tokens"], body["usage"]["output_tokens"]


def _offer(*tools: Any) -> list[Any]:
    return [{"type": "function", "function": tool} for tool in tools]


def _calls(*tools: Any, **more: Any) -> Callable[[Server], str]:
    @rated
    def run(server: Server) -> None:
        found = called(server.choice(WEATHER_QUESTION, tools=_offer(*tools), **more), *tools)
        need(found[0] == "get_weather", f"calls {found}")

    return run


def _tools_none(server: Server) -> str:
    choice = server.choice(tools=_offer(WEATHER), tool_choice="none")
    calls = choice["message"].get("tool_calls")
    need(not calls, f"calls {calls}")
    return repr(final(choice))


@rated
def _tools_result(server: Server) -> None:
    first = server.choice(WEATHER_QUESTION, tools=_offer(WEATHER))
    called(first, WEATHER)
    message = {name: value for name, value in first["message"].items() if value is not None}
    results = [{**RESULT, "tool_call_id": call["id"]} for call in message["tool_calls"]]
    messages = [{"role": "user", "content": WEATHER_QUESTION}, message, *results]
    content = final(server.choice(messages=messages, tools=_offer(WEATHER)))
    need("21" in content, f"an answer without the result: {content!r}")


@rated
def _responses_tools(server: Server) -> None:
    body = server.responses(WEATHER_QUESTION, tools=[{"type": "function", **WEATHER}]).body
    calls = output_of(body, "function_call")
    need(calls, f"no function_call: {body['output']}")
    fitting(calls[0], WEATHER)


def _structured(server: Server) -> str:
    wanted = {"name": "planet", "strict": True, "schema": PLANET}
    shape = {"type": "json_schema", "json_schema": wanted}
    question = "Our planet's name and its number of moons, as JSON."
    content = final(server.choice(question, response_format=shape))
    need(fits(parsed(content), PLANET), f"another shape: {content!r}")
    return repr(content)


def _concurrent(server: Server) -> str:
    def lost(_: int) -> str:
        try:
            server.choice(reasoning_effort="low")
        except (CaseError, LookupError, TypeError) as error:
            return str(error)
        return ""

    with ThreadPoolExecutor(CONCURRENT) as pool:
        wrong = [why for why in pool.map(lost, range(CONCURRENT)) if why]
    need(not wrong, f"{len(wrong)} of {CONCURRENT} lost: {''.join(wrong[:1])}")
    return f"{CONCURRENT} answered"


def _disaggregated(server: Server) -> str:
    body = server.chat(max_tokens=8, nvext={"extra_fields": ["worker_id"]}).body
    workers = (body.get("nvext") or {}).get("worker_id") or {}
    if workers:
        need(workers.get("prefill_worker_id"), f"no prefill worker: {workers}")
        return f"prefilled by {workers['prefill_worker_id']}"
    counts = server.ask("/metrics").text
    if re.search(r'^dynamo_frontend_worker_\w+\{.*worker_type="prefill"', counts, re.MULTILINE):
        return "the frontend's metrics have a prefill worker"
    raise UnknownError("neither the answer (router mode kv) nor /metrics names the workers")


class Case(NamedTuple):
    """One thing to ask for."""

    id: str
    level: str  # the least that runs it
    expected: str
    run: Callable[[Server], str]
    needs: str = ""  # what a deployment must offer for it
    facts: tuple[str, ...] = ()  # of schema/known.yaml: why it may fail in a release


APART = "reasoning apart from the content"
EFFORT = "effort reaches the prompt: high reasons otherwise than low"
AT_TOP = ("effort-at-top",)
CALL = "a call of the right tool, arguments as its schema says"
LOST = ("tool-call-in-pieces", "tool-call-on-analysis")
REFUSED = "refused with 400 or 422"
# fmt: off
CASES = (
    Case("models", "quick", "/v1/models lists the model", _models),
    Case("chat", "quick", f"a plain answer that says {ANSWER}, finished by stop",
         lambda s: right(final(s.choice()))),
    Case("usage", "quick", "prompt and completion tokens add up to the total",
         lambda s: counted(s.chat().body["usage"])),
    Case("stream", "quick", "the same answer in parts, one finish_reason, [DONE] at the end",
         lambda s: right(final(s.choice(stream=True)))),
    Case("stream-usage", "full", "usage in the last part, when it is asked for",
         lambda s: counted(s.chat(stream=True, stream_options=USAGE).events[-1].get("usage"))),
    Case("length", "full",
         "max_tokens ends an answer with finish_reason length, also amid reasoning", _length),
    Case("completions", "quick", "a text without chat, its tokens counted", _completions),
    Case("responses", "quick", f"the responses API completes a plain text that says {ANSWER}",
         _responses),
    Case("responses-stream", "full", "the parts of the text, then response.completed",
         _responses_stream),
    Case("top-p", "full", "top_p of 0.5 is taken, one of 7 refused", _top_p),
    Case("reasoning-low", "full", APART, lambda s: _apart(s, "low"), "reasoning"),
    Case("reasoning-medium", "quick", APART, lambda s: _apart(s, "medium"), "reasoning"),
    Case("reasoning-high", "full", APART, lambda s: _apart(s, "high"), "reasoning"),
    Case("effort", "full", EFFORT, lambda s: _reaches(s, _chat_effort), "reasoning", AT_TOP),
    Case("effort-template", "full", EFFORT,
         lambda s: _reaches(s, partial(_chat_effort, field="chat_template_args")), "reasoning"),
    Case("effort-responses", "full", EFFORT, lambda s: _reaches(s, _responses_effort),
         "reasoning", AT_TOP),
    Case("tools-auto", "quick", CALL, _calls(WEATHER), "tools", LOST),
    Case("tools-stream", "full", CALL, _calls(WEATHER, stream=True), "tools", LOST),
    Case("tools-required", "full", CALL, _calls(WEATHER, tool_choice="required"),
         "tools", ("tool-call-required-in-pieces",)),
    Case("tools-several", "full", CALL, _calls(CLOCK, WEATHER), "tools", LOST),
    Case("tools-bare", "full", CALL, _calls(BARE),
         "tools", ("tool-without-description", *LOST)),
    Case("tools-none", "full", "tool_choice none gives an answer without a call", _tools_none,
         "tools"),
    Case("tools-result", "full", "a call, its result sent back, then an answer", _tools_result,
         "tools", LOST),
    Case("responses-tools", "full", "a function_call item with fitting arguments",
         _responses_tools, "tools", LOST),
    Case("structured", "full", "content that fits the JSON schema of response_format",
         _structured, "structured"),
    Case("unknown-model", "quick", "a model that is not served: refused with 404",
         lambda s: refused(s.chat(model="no"), 404), "names"),
    Case("responses-model", "full", "the same there: refused with 404",
         lambda s: refused(s.responses(model="no"), 404), "names"),
    Case("unknown-path", "full", "a path that is not: refused with 404",
         lambda s: refused(s.ask("/v1/no-path", {}), 404)),
    Case("bad-json", "quick", f"no JSON: {REFUSED}",
         lambda s: refused(s.ask("/v1/chat/completions", b'{"model": '))),
    Case("bad-messages", "full", f"a text as messages: {REFUSED}",
         lambda s: refused(s.chat(messages="text"))),
    Case("bad-max-tokens", "full", f"a word as max_tokens: {REFUSED}",
         lambda s: refused(s.chat(max_tokens="many"))),
    Case("bad-temperature", "full", f"a word as temperature: {REFUSED}",
         lambda s: refused(s.chat(temperature="hot"))),
    Case("no-call", "full", f"the result of no call: {REFUSED}",
         lambda s: refused(s.chat(messages=[RESULT])), "", ("tool-message-without-call",)),
    Case("long-prompt", "full", f"a prompt beyond the context: {REFUSED}",
         lambda s: refused(s.chat("word " * (s.context + 1000), max_tokens=8)),
         "", ("prompt-beyond-context",)),
    Case("concurrent", "full", f"{CONCURRENT} requests at once, each answered", _concurrent),
    Case("disaggregated", "full", "a prefill worker has a part in an answer", _disaggregated,
         "disaggregated"),
    Case("no-prefill", "killed", "without a prefill worker a request is refused",
         lambda s: refused(s.chat(max_tokens=8), *range(400, 600))),
)
# fmt: on


@dataclass
class Result:
    """What came of a case."""

    id: str
    status: str  # one of STATUSES
    expected: str
    seen: str
    seconds: float = 0
    known: str = ""  # that it is broken in this release, and where it is right


def run_case(case: Case, server: Server, known: str) -> Result:
    """Runs a case; an answer of another shape than it reads is a failure too."""
    started = time.monotonic()
    try:
        status, seen = "passed", case.run(server)
    except (CaseError, UnknownError) as error:
        status, seen = "failed" if isinstance(error, CaseError) else "unknown", str(error)
    except (LookupError, TypeError, AttributeError, ValueError, RecursionError) as error:
        status, seen = "failed", f"an answer of another shape: {type(error).__name__} {error}"
    seconds = round(time.monotonic() - started, 2)
    if known and status in ("failed", "unknown"):
        status = "known"
    return Result(case.id, status, case.expected, one_line(seen), seconds, known)


def known_in(release: str | None) -> dict[str, str]:
    """What is known to be broken in a release, by case, as the chart's facts have it."""
    path = Path(__file__).with_name("facts.json")
    facts = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    told = {}
    for fact in facts.get("known") or ():
        if release in fact["broken"]:
            mended = f"right from {fact['right']}" if fact["right"] else "not right yet"
            told[fact["id"]] = f"{fact['what']} ({mended})"
    found = {case.id: [told[fact] for fact in case.facts if fact in told] for case in CASES}
    return {name: f"known in {release}: {'; '.join(why)}" for name, why in found.items() if why}


def run(server: Server, given: argparse.Namespace) -> Iterator[Result]:
    """Runs the cases that are asked for, one after the other."""
    known = known_in(given.release)
    levels = ("killed",) if given.prefill_killed else ("quick", given.level)
    for case in (case for case in CASES if case.level in levels):
        if getattr(given, case.needs, "yes") == "no":
            why = f"not offered here, as --{case.needs} no says"
            yield Result(case.id, "skipped", case.expected, why)
        else:
            yield run_case(case, server, known.get(case.id, ""))


def row(result: Result) -> str:
    """A result as a line, with what was expected below when it was not seen."""
    line = f"{result.status:7} {result.id:17} {result.seconds:6.1f} s  "
    line += one_line(result.seen, 100 - len(line))
    more = [result.known] if result.status == "known" else []
    if result.status == "failed":
        more = [f"expected: {result.expected}"]
        more += [] if line.endswith(result.seen) else [f"seen: {result.seen}"]
    wrap = partial(textwrap.wrap, width=100, initial_indent=" " * 8, subsequent_indent=" " * 10)
    return "\n".join([line, *(part for text in more for part in wrap(text))])


def report(given: argparse.Namespace, results: list[Result]) -> str:
    """All results: the counts below the rows, a JSON document, or JUnit's XML."""
    counts = {s: sum(r.status == s for r in results) for s in STATUSES}
    counts = {status: n for status, n in counts.items() if n or status == "failed"}
    if given.format == "text":
        return ", ".join(f"{count} {status}" for status, count in counts.items())
    if given.format == "json":
        about = {name: getattr(given, name) for name in ("url", "model", "release", "level")}
        cases = [vars(result) for result in results]
        told = json.dumps({"version": 1, **about, "counts": counts, "cases": cases}, indent=2)
        return told.replace("##[", "#\\u0023[")
    suite = ElementTree.Element("testsuite", name=f"smoke {given.url}", tests=str(len(results)))
    suite.set("failures", str(counts["failed"]))
    suite.set("skipped", str(len(results) - counts["failed"] - counts.get("passed", 0)))
    for result in results:
        shown = {"classname": "smoke", "name": result.id, "time": f"{result.seconds:.2f}"}
        element = ElementTree.SubElement(suite, "testcase", shown)
        if result.status == "failed":
            text = f"expected: {result.expected}\nseen: {result.seen}"
            ElementTree.SubElement(element, "failure", message=result.seen).text = text
        elif result.status != "passed":
            told = result.known if result.status == "known" else result.seen
            ElementTree.SubElement(element, "skipped", message=f"{result.status}: {told}")
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True)


def options() -> argparse.ArgumentParser:
    """What the script takes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add = parser.add_argument
    add("url", help="address of the frontend or server, as http://host:8000")
    add("model", help="name under which the model is served")
    add("--ready", action="store_true", help="only wait for one token")
    add("--wait", type=float, default=10, help="seconds until it must be ready")
    add("--timeout", type=float, help="seconds for all (120; level full: 900)")
    add("--level", choices=("quick", "full"), default="quick")
    add("--format", choices=("text", "json", "junit"), default="text")
    add("--release", help="release of Dynamo, for what is known to be broken in it")
    add("--context", type=int, default=131072, help="tokens that fit a request")
    for name, usual in OFFERS.items():
        add(f"--{name}", choices=("yes", "no"), default=usual, help="is it offered?")
    add("--prefill-killed", action="store_true", help="only see that it refuses")
    return parser


def main(words: list[str], show: Callable[[Result], str] = row) -> int:
    """The exit code: 0, 1 when a case fails or nothing is ready in time, 2 when nobody answers.

    In the form of text, show says what is printed of a result.
    """
    parser = options()
    given = parser.parse_args(words)
    given.url = base(given.url)
    if not is_address(given.url):
        parser.error("URL is no address, as in http://127.0.0.1:8000")
    total = given.timeout or (900 if given.level == "full" else 120)
    server = Server(given.url, given.model, time.monotonic() + total, context=given.context)
    server.tries = 5 if given.level == "full" else 3
    seconds = given.wait if given.ready else min(given.wait, total)
    is_text = given.format == "text"
    say = partial(print, file=sys.stdout if is_text else sys.stderr, flush=True)
    if given.prefill_killed:
        listing = server.ask("/v1/models")
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
    results = []
    for result in run(server, given):
        results.append(result)
        say(show(result) if is_text else f"{result.status} {result.id}")
    print(report(given, results))
    return int(any(result.status == "failed" for result in results))


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
