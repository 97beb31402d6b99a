"""Command lines of other load generators, in the words of ``aiperf profile``.

genai-perf's flags are aiperf's, save for those behind ``--``, which are perf_analyzer's
(ai-dynamo/aiperf docs/migrating.md). benchmark_serving is TensorRT-LLM's own script
(NVIDIA/TensorRT-LLM tensorrt_llm/serve/scripts/benchmark_serving.py @0228a71,
benchmark_dataset.py @0bf6dbc). What it becomes is the same load (lengths, clients, requests,
endpoint, sampling) with other prompts: its random ones are runs of token ids, aiperf's are prose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.command_lines.plain_words import plain_flags
from gptoss.facts.programs import AIPERF, newest
from gptoss.text.command import Command
from gptoss.text.places import Located

if TYPE_CHECKING:
    from collections.abc import Sequence

GENAI_PERF = "genai-perf"
BENCHMARK_SERVING = "benchmark_serving"
LOAD_GENERATORS = (AIPERF, GENAI_PERF, BENCHMARK_SERVING)

# perf_analyzer's flags that aiperf has.
PASSED_ON = {"-v": "--verbose", "-H": "--header"}
SERVING = {
    "--tokenizer": "--tokenizer",
    "--base-url": "--url",
    "--random-input-len": "--synthetic-input-tokens-mean",
    "--random-output-len": "--output-tokens-mean",
    "--num-prompts": "--request-count",
    "--max-concurrency": "--concurrency",
    "--request-rate": "--request-rate",
    "--seed": "--random-seed",
    "--result-dir": "--artifact-dir",
}
# It asks for temperature 0 unless told (backend_request_func.py beside it).
SAMPLING = ("--temperature", "--top-p", "--top-k", "--min-p")
METRICS = {
    "ttft": "time_to_first_token",
    "tpot": "inter_token_latency",
    "e2el": "request_latency",
}
# What flags without an equal do.
WITHOUT_EQUAL = {
    "--random-ids": "prompts are runs of token ids there; aiperf sends prose, and has the like "
    "from 0.13 on (--prompt-corpus random)",
    "--tokenize-on-client": "prompts are sent as token ids there, which the server need not make; "
    "aiperf sends text",
}
PREFIX = "--random-prefix-len"
# What aiperf does anyway, and what is read together with another flag.
IMPLIED = (
    *("--backend", "--endpoint", "--host", "--port", "--model", "--served-model-name"),
    *("--percentile-metrics", "--metric-percentiles", "--save-result", "--result-filename"),
    *("--disable-tqdm", "--trust-remote-code", "--no-test-input", "--non-streaming"),
)
# Values that make a flag do nothing, or what aiperf does anyway.
NEUTRAL = {
    "--dataset-name": "random",
    PREFIX: "0",
    "--random-range-ratio": "0",
    "--request-rate": "inf",
}


@dataclass(frozen=True, slots=True)
class Measurement:
    """A load generator's command line.

    Attributes:
        tool: ``aiperf``, ``genai-perf`` or ``benchmark_serving``, and where it stands.
        command: The same in aiperf's words, from ``aiperf profile`` on.
        lost: Flags that aiperf has no equal of.
    """

    tool: Located[str]
    command: Command
    lost: tuple[Located[str], ...] = ()


def measurement(command: Command) -> Measurement | None:
    """What a command measures; None when it is no load generator's."""
    words = command.words
    for position, word in enumerate(words):
        name = word.value.rpartition("/")[2].removesuffix(".py").rpartition(".")[2]
        if name not in LOAD_GENERATORS:
            continue
        rest = words[position + 1 :]
        profiles = bool(rest) and rest[0].value == "profile"
        if name == AIPERF and profiles:
            return Measurement(Located(name, word.place), Command(words[position:]))
        if name == GENAI_PERF and profiles:
            return _from_genai_perf(Located(name, word.place), rest[1:])
        if name == BENCHMARK_SERVING and rest:
            return _from_serving(Located(name, word.place), rest)
    return None


class _Words:
    """aiperf's command line in the making."""

    def __init__(self, tool: Located[str]) -> None:
        self._tool = tool
        self._words = [Located(AIPERF, tool.place), Located("profile", tool.place)]
        self._lost: list[Located[str]] = []

    def add(self, at: Located[str], flag: str, *values: str) -> None:
        """Adds a flag, at the place of the one that it stands for."""
        self._words += [Located(word, at.place) for word in (flag, *values)]

    def lose(self, flag: Located[str]) -> None:
        """Notes a flag that has no equal."""
        self._lost.append(flag)

    @property
    def measurement(self) -> Measurement:
        """What was made."""
        return Measurement(self._tool, Command(tuple(self._words)), tuple(self._lost))


def _from_genai_perf(tool: Located[str], words: Sequence[Located[str]]) -> Measurement:
    made = _Words(tool)
    known = newest(AIPERF).spellings
    split = next((n for n, word in enumerate(words) if word.value == "--"), len(words))
    for name, value in plain_flags(words[:split]):
        if name.value in known:
            made.add(name, name.value, *([value.value] if value else []))
        else:
            made.lose(name)
    for name, value in plain_flags(words[split + 1 :]):
        if name.value in PASSED_ON:
            made.add(name, PASSED_ON[name.value], *([value.value] if value else []))
        else:
            made.lose(name)
    return made.measurement


def _from_serving(tool: Located[str], words: Sequence[Located[str]]) -> Measurement:
    made = _Words(tool)
    given = {name.value: value or Located("", name.place) for name, value in plain_flags(words)}
    _add_endpoint(made, tool, given)
    for name, value in given.items():
        flag = Located(name, value.place)
        if name in IMPLIED or NEUTRAL.get(name) == value.value:
            continue
        if name in SERVING:
            made.add(flag, SERVING[name], value.value)
        elif name in SAMPLING:
            made.add(flag, "--extra-inputs", f"{name[2:].replace('-', '_')}:{value.value}")
        elif name == PREFIX:
            made.add(flag, "--prompt-prefix-pool-size", "1")
            made.add(flag, "--prompt-prefix-length", value.value)
        elif name == "--ignore-eos":
            made.add(flag, "--extra-inputs", "ignore_eos:true")
        elif name == "--goodput":
            metric, _, limit = value.value.partition(":")
            made.add(flag, "--goodput", f"{METRICS.get(metric, metric)}:{limit}")
        else:
            made.lose(flag)
    if "--temperature" not in given:
        # It decodes greedily unless it is told otherwise.
        made.add(tool, "--extra-inputs", "temperature:0")
    return made.measurement


def _add_endpoint(made: _Words, tool: Located[str], given: dict[str, Located[str]]) -> None:
    """What is asked, and where: several flags here, or none where they have their defaults."""

    def text(name: str, default: str) -> str:
        return given[name].value if name in given else default

    served = given.get("--served-model-name") or given.get("--model")
    if served:
        made.add(served, "--model", served.value)
    if "--tokenizer" not in given and "--model" in given:
        made.add(given["--model"], "--tokenizer", given["--model"].value)
    chat = text("--backend", "openai") == "openai-chat"
    path = "/v1/chat/completions" if chat else text("--endpoint", "/v1/completions")
    at = given.get("--backend", tool)
    made.add(at, "--endpoint-type", "chat" if chat else "completions")
    made.add(given.get("--endpoint", at), "--endpoint", path)
    if "--base-url" not in given:
        where = given.get("--host") or given.get("--port") or tool
        made.add(where, "--url", f"http://{text('--host', '127.0.0.1')}:{text('--port', '8000')}")
    if "--non-streaming" not in given:
        made.add(at, "--streaming")
