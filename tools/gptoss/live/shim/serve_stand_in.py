"""A stand-in for trtllm-serve: its routes on a simulated engine, and honest about what it is."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
from aiohttp import web
from harmony_reading import read
from openai_shapes import delta_between, message_of, new_id, reason_of, usage_of
from serve_metrics import Metrics
from tensorrt_llm import LLM
from tensorrt_llm.llmapi import SamplingParams

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

NAME = "gptoss stand-in for trtllm-serve, without a GPU"


class RefusedError(Exception):
    """A request that the server refuses: the status and why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class Server:
    """The routes."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.name = settings["name"]
        self.engine = LLM(**settings["engine"])
        folder = Path(settings["engine"]["model"])
        config = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
        templates = jinja2.Environment(autoescape=False, trim_blocks=True, lstrip_blocks=True)  # noqa: S701 (no HTML)
        templates.filters["tojson"] = lambda value, **_: json.dumps(value, ensure_ascii=False)
        templates.globals |= {"strftime_now": time.strftime, "raise_exception": _refuse}
        self.template = templates.from_string(config["chat_template"])
        self.metrics = Metrics(settings["engine"], self.name)
        self.is_measured = bool(settings["engine"].get("return_perf_metrics"))

    def routes(self) -> web.Application:
        """The application."""
        made = web.Application(client_max_size=2**28, middlewares=[self.errors])
        made.add_routes(
            [
                web.get("/health", self.health),
                web.get("/version", self.version),
                web.get("/v1/models", self.models),
                web.get("/metrics", self.statistics),
                web.post("/v1/chat/completions", self.chat),
                web.post("/v1/completions", self.completions),
                web.post("/v1/responses", self.responses),
            ]
        )
        if self.is_measured:
            made.router.add_get("/prometheus/metrics", self.prometheus)
        return made

    @web.middleware  # type: ignore[untyped-decorator]
    async def errors(self, request: web.Request, handler: Any) -> web.StreamResponse:
        """Answers what is refused with an error in OpenAI's form."""
        try:
            answer: web.StreamResponse = await handler(request)
        except RefusedError as refused:
            self.metrics.refused(refused.status)
            error = {"object": "error", "message": str(refused), "type": "BadRequestError"}
            return web.json_response(error | {"code": refused.status}, status=refused.status)
        return answer

    async def health(self, _: web.Request) -> web.Response:
        """Whether it lives."""
        return web.Response()

    async def version(self, _: web.Request) -> web.Response:
        """What it is."""
        return web.json_response({"version": NAME})

    async def models(self, _: web.Request) -> web.Response:
        """The one model."""
        model = {"id": self.name, "object": "model", "created": 0, "owned_by": NAME}
        return web.json_response({"object": "list", "data": [model]})

    async def statistics(self, _: web.Request) -> web.Response:
        """What the engine does, as JSON."""
        return web.json_response([{"numActiveRequests": self.engine.waiting}])

    async def prometheus(self, _: web.Request) -> web.Response:
        """Counters."""
        text = self.metrics.text(self.engine.waiting)
        return web.Response(body=f"# {NAME}\n".encode() + text, content_type="text/plain")

    async def chat(self, request: web.Request) -> web.StreamResponse:
        """Chat completions, whole or as a stream."""
        body = await self._body(request)
        if not isinstance(body.get("messages"), list) or not body["messages"]:
            raise RefusedError(400, "messages: a list that is not empty is needed")
        prompt = self._prompt(body["messages"], body.get("tools"), body.get("reasoning_effort"))
        most = body.get("max_completion_tokens") or body.get("max_tokens")
        if body.get("stream"):
            return await self._stream_chat(request, body, prompt, most)
        tokens, reason = await self._whole(prompt, body, most)
        message = message_of(read(self._text(tokens)))
        choice = {"index": 0, "message": message, "finish_reason": reason_of(message, reason)}
        made = {"object": "chat.completion", "choices": [choice]}
        return web.json_response(self._made(made) | {"usage": usage_of(prompt, tokens)})

    async def completions(self, request: web.Request) -> web.StreamResponse:
        """Completions of a raw prompt."""
        body = await self._body(request)
        if not isinstance(body.get("prompt"), str):
            raise RefusedError(400, "prompt: a string is needed")
        prompt = self.engine.encode(body["prompt"])
        tokens, reason = await self._whole(prompt, body, body.get("max_tokens") or 16)
        choice = {"index": 0, "text": self._text(tokens), "finish_reason": reason}
        made = {"object": "text_completion", "choices": [choice]}
        return web.json_response(self._made(made) | {"usage": usage_of(prompt, tokens)})

    async def responses(self, request: web.Request) -> web.StreamResponse:
        """The responses API, without tools and streams."""
        body = await self._body(request)
        given = body.get("input")
        messages = [{"role": "user", "content": given}] if isinstance(given, str) else given
        if not messages:
            raise RefusedError(400, "input: a text or a list of messages is needed")
        effort = (body.get("reasoning") or {}).get("effort")
        prompt = self._prompt(messages, None, effort)
        tokens, reason = await self._whole(prompt, body, body.get("max_output_tokens"))
        found = read(self._text(tokens))
        output: list[dict[str, Any]] = []
        if found.reasoning:
            text = {"type": "reasoning_text", "text": found.reasoning}
            output.append(
                {"type": "reasoning", "id": new_id("rs"), "summary": [], "content": [text]}
            )
        if found.content:
            said = {"type": "output_text", "text": found.content, "annotations": []}
            message = {
                "type": "message",
                "id": new_id("msg"),
                "role": "assistant",
                "content": [said],
            }
            output.append(message | {"status": "completed"})
        usage = usage_of(prompt, tokens)
        return web.json_response(
            {
                "id": new_id("resp"),
                "object": "response",
                "model": self.name,
                "created_at": int(time.time()),
                "status": "incomplete" if reason == "length" else "completed",
                "output": output,
                "usage": {
                    "input_tokens": usage["prompt_tokens"],
                    "output_tokens": usage["completion_tokens"],
                    "total_tokens": usage["total_tokens"],
                },
            }
        )

    async def _body(self, request: web.Request) -> dict[str, Any]:
        try:
            body = json.loads(await request.read())
        except ValueError as error:
            raise RefusedError(400, f"no JSON: {error}") from None
        if not isinstance(body, dict):
            raise RefusedError(400, "a JSON object is needed")
        for name, kind in (("max_tokens", int), ("temperature", int | float), ("stream", bool)):
            if body.get(name) is not None and not isinstance(body[name], kind):
                raise RefusedError(400, f"{name} is of the wrong type")
        return body

    def _prompt(self, messages: Any, tools: Any, effort: str | None) -> list[int]:
        try:
            text = self.template.render(
                messages=messages,
                tools=tools,
                reasoning_effort=effort or "medium",
                add_generation_prompt=True,
            )
        except (jinja2.TemplateError, TypeError) as error:
            raise RefusedError(400, str(error)) from None
        return list(self.engine.encode(text))

    async def _results(
        self, prompt: list[int], body: dict[str, Any], most: int | None
    ) -> AsyncIterator[tuple[list[int], str | None]]:
        """All tokens so far, and why they end when they do."""
        sampling = SamplingParams(
            max_tokens=most,
            min_tokens=body.get("min_tokens"),
            ignore_eos=bool(body.get("ignore_eos")),
        )
        result = self.engine.generate_async(prompt, sampling, streaming=bool(body.get("stream")))
        tokens: list[int] = []
        reason: str | None = None
        began = time.monotonic()
        first = None
        try:
            async for step in result:
                first = first or time.monotonic()
                tokens, reason = step.outputs[0].token_ids, step.outputs[0].finish_reason
                yield tokens, reason
        except RuntimeError as error:
            raise RefusedError(400, str(error)) from None
        finally:
            result.abort()
        self.metrics.answered(began, first or began, len(prompt), len(tokens), reason or "stop")

    async def _whole(
        self, prompt: list[int], body: dict[str, Any], most: int | None
    ) -> tuple[list[int], str]:
        tokens: list[int] = []
        reason: str | None = None
        async for tokens, reason in self._results(prompt, body, most):  # noqa: B007 (the last one)
            pass
        return tokens, reason or "stop"

    async def _stream_chat(
        self, request: web.Request, body: dict[str, Any], prompt: list[int], most: int | None
    ) -> web.StreamResponse:
        steps = self._results(prompt, body, most)
        first = await anext(steps)  # a refusal is an answer of its own, not a broken stream
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        made = self._made({"object": "chat.completion.chunk"})

        async def send(choices: list[Any], **more: Any) -> None:
            line = json.dumps(made | {"choices": choices} | more)
            await response.write(f"data: {line}\n\n".encode())

        sent = read("")
        tokens, reason = first
        while True:
            now = read(self._text(tokens))
            delta = delta_between(sent, now, whole=reason is not None)
            if delta or reason:
                ended = reason_of(message_of(now), reason) if reason else None
                await send([{"index": 0, "delta": delta, "finish_reason": ended}])
            sent = now
            try:
                tokens, reason = await anext(steps)
            except StopAsyncIteration:
                break
        if (body.get("stream_options") or {}).get("include_usage"):
            await send([], usage=usage_of(prompt, tokens))
        await response.write(b"data: [DONE]\n\n")
        return response

    def _text(self, tokens: list[int]) -> str:
        return str(self.engine.tokenizer.decode(tokens, skip_special_tokens=False))

    def _made(self, what: dict[str, Any]) -> dict[str, Any]:
        return {"id": new_id("cmpl"), "created": int(time.time()), "model": self.name} | what


def _refuse(why: str) -> None:
    raise RefusedError(400, why)


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    sys.stderr.write(f"{NAME}: serving {given['name']} on {given['host']}:{given['port']}\n")
    web.run_app(Server(given).routes(), host=given["host"], port=given["port"], print=None)
