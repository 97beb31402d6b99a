"""What a benchmark's traffic is not, beside that of a client in production.

What aiperf does with its flags: ai-dynamo/aiperf 0.13.0, docs/cli_options.md and its timing modes.
What a server takes for what a request leaves out: Dynamo 1.3.1 hands on nothing
(dynamo/trtllm/request_handlers/handler_base.py _override_sampling_params), and TensorRT-LLM then
decodes greedily (tensorrt_llm/sampling_params.py params_imply_greedy_decoding); trtllm-serve takes
1.0 and low (tensorrt_llm/serve/openai_protocol.py ChatCompletionRequest).
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from gptoss.deployment.model import Runtime
from gptoss.deployment.traffic import begins_alike, given, is_recorded, starts_by_a_clock

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gptoss.command_lines.arguments import Arguments
    from gptoss.deployment.model import Deployment

WIDTH = 100
MEAN, DEVIATION = "--synthetic-input-tokens-mean", "--synthetic-input-tokens-stddev"
ANSWER_MEAN, ANSWER_DEVIATION = "--output-tokens-mean", "--output-tokens-stddev"
EXTRA = "--extra-inputs"


class Point(NamedTuple):
    """A way in which the benchmark is not a client in production.

    Attributes:
        because: What makes it so: a flag, or what is missing.
        here: What the benchmark does.
        production: What a client does.
    """

    because: str
    here: str
    production: str


def points(deployment: Deployment) -> list[Point]:
    """What makes the benchmark of a deployment easier or harder than production."""
    flags = deployment.benchmark.arguments if deployment.benchmark else None
    if flags is None:
        return []
    return [
        *_arrivals(flags),
        *_prompts(flags),
        *_answers(flags, serve=deployment.runtime is Runtime.SERVE),
        *_measured(flags, deployment),
    ]


def in_words(found: list[Point]) -> str:
    """The points, one paragraph each."""
    lines = ["  what a client in production does otherwise:"]
    for point in found:
        text = f"* {point.because}: {point.here}. In production {point.production}."
        lines += textwrap.wrap(
            text, WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
        )
    return "\n".join(lines)


def _arrivals(flags: Arguments) -> Iterator[Point]:
    if given(flags, "--concurrency") and not starts_by_a_clock(flags):
        yield Point(
            "--concurrency",
            "a closed loop, in which the next request waits for an answer",
            "people do not wait for each other, and queues grow",
        )


def _prompts(flags: Arguments) -> Iterator[Point]:
    if is_recorded(flags):
        return
    mean, deviation = given(flags, MEAN), _number(flags, DEVIATION)
    if mean and not begins_alike(flags):
        yield Point(
            f"{MEAN} {mean}",
            "prompts are made up and share no prefix, so no KV block is reused",
            "system prompts and earlier turns repeat",
        )
    if mean and not deviation:
        yield Point(
            _even(flags, DEVIATION),
            f"every prompt has {mean} tokens",
            "lengths spread, and the longest decide what has to fit",
        )


def _answers(flags: Arguments, *, serve: bool) -> Iterator[Point]:
    mean, extra = given(flags, ANSWER_MEAN), _extra(flags)
    if mean and not _number(flags, ANSWER_DEVIATION):
        yield Point(
            _even(flags, ANSWER_DEVIATION),
            f"every answer is asked to have {mean} tokens",
            "lengths spread, and requests end at different times",
        )
    forced = [f"{key}:{extra[key]}" for key in ("min_tokens", "ignore_eos") if key in extra]
    if forced:
        yield Point(
            f"{EXTRA} {' '.join(forced)}",
            "answers go on when the model is done",
            "the model stops by itself",
        )
    if "reasoning_effort" not in extra and given(flags, "--endpoint-type") == "chat":
        yield Point(
            "no reasoning_effort",
            "trtllm-serve takes low" if serve else "the chat template takes medium",
            "a client may ask for another, and answers grow or shrink with it",
        )
    yield from _sampling(extra, serve=serve)


def _sampling(extra: Mapping[str, str], *, serve: bool) -> Iterator[Point]:
    missing = [key for key in ("temperature", "top_p") if key not in extra]
    temperature = extra.get("temperature", "").strip()
    greedy = temperature in {"0", "0.0"}
    if greedy:
        because = f"{EXTRA} temperature:{temperature}"
    elif missing:
        because = f"no {' and no '.join(missing)}"
    else:
        return
    if greedy or not (serve or temperature or "top_p" in extra):
        here = "the engine takes the likeliest token each time"
    else:
        here = f"the server takes 1.0 for {'it' if len(missing) == 1 else 'them'}"
    yield Point(because, here, "clients bring their own")


def _measured(flags: Arguments, deployment: Deployment) -> Iterator[Point]:
    if given(flags, "--use-server-token-count"):
        yield Point(
            "--use-server-token-count",
            "tokens of the reasoning count as output",
            "a client that hides the reasoning shows fewer tokens, and the first of them later",
        )
    url = given(flags, "--url")
    if url and _in_cluster(str(url)):
        yield Point(
            f"--url {url}",
            "requests stay inside the cluster",
            "a gateway, TLS and distance come on top",
        )
    intervals = {w.engine.whole("stream_interval") or 1 for w in deployment.workers}
    if given(flags, "--streaming") and max(intervals, default=1) > 1:
        yield Point(
            f"stream_interval {max(intervals)} in the engine YAML",
            f"tokens come in chunks of {max(intervals)}, over which inter-token latency is spread",
            "a reader sees the chunks",
        )


def _number(flags: Arguments, name: str) -> float:
    found = given(flags, name)
    return float(found) if isinstance(found, int | float) else 0.0


def _even(flags: Arguments, name: str) -> str:
    """A deviation that is 0, or that nobody gives, which is the same."""
    return f"{name} 0" if flags[name].is_written else f"no {name}"


def _extra(flags: Arguments) -> Mapping[str, str]:
    """What the benchmark adds to every request, by key: ``key:value`` words."""
    pairs = (word.partition(":") for word in flags[EXTRA].words)
    return {key: value for key, _, value in pairs}


def _in_cluster(url: str) -> bool:
    """Whether an address is that of a Service: one label, or one below ``svc``."""
    host = urlsplit(url if "//" in url else f"//{url}").hostname or ""
    return host != "localhost" and ("." not in host or ".svc" in f"{host}.")
