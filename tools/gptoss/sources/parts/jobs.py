"""What runs beside a server and ends: benchmark, evaluation and downloads of the model."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from gptoss.command_lines.plain_words import plain_value
from gptoss.deployment.jobs import Accuracy, Benchmark, BenchmarkStep, Download
from gptoss.sources.parts.load_generators import measurement
from gptoss.sources.parts.sweeps import runs
from gptoss.text.command import Command
from gptoss.text.places import Located

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gptoss.command_lines.arguments import Arguments
    from gptoss.deployment.pods import Pod
    from gptoss.sources.parts.reading import Scope

EVALUATES = "gpt_oss.evals"
EFFORTS = "low,medium,high"
DOWNLOADERS = ("hf", "huggingface-cli")
GPUS_ANNOTATION = "gpt-oss/gpus"
PER_GPU_ANNOTATION = "gpt-oss/concurrency-per-gpu"
MODEL_VARIABLES = ("MODEL_ID", "MODEL_NAME")
REVISION_VARIABLES = ("MODEL_REVISION",)

Number = Literal[
    "concurrency", "requests", "input_tokens", "output_tokens", "concurrency_per_gpu", "gpu_count"
]  # fmt: skip
# The flag of aiperf, then variables that recipes use for the same.
NUMBERS: dict[Number, tuple[str, tuple[str, ...]]] = {
    "concurrency": ("--concurrency", ("CONCURRENCY", "TOTAL_CONCURRENCY")),
    "requests": ("--request-count", ("REQUEST_COUNT", "NUM_REQUESTS")),
    "input_tokens": ("--isl", ("ISL",)),
    "output_tokens": ("--osl", ("OSL",)),
    "concurrency_per_gpu": ("", ("CONCURRENCY_PER_GPU",)),
    "gpu_count": ("", ("DEPLOYMENT_GPU_COUNT",)),
}
ANNOTATIONS: dict[Number, str] = {
    "concurrency_per_gpu": PER_GPU_ANNOTATION,
    "gpu_count": GPUS_ANNOTATION,
}


def benchmark_of(name: str, pod: Pod, scope: Scope) -> Benchmark:
    """The benchmark that a pod runs.

    Raises:
        InputError: The concurrencies of a sweep are no numbers.
    """
    found = runs(pod.commands, pod.environment)
    first = found[0] if found else None
    arguments = first.arguments if first else None
    numbers = {number: _number(number, pod, arguments, scope) for number in NUMBERS}
    steps = tuple(
        BenchmarkStep(
            each.arguments,
            _number("concurrency", pod, each.arguments, scope),
            _number("requests", pod, each.arguments, scope),
        )
        for each in found
    )
    if len(steps) > 1:
        numbers |= {"concurrency": None, "requests": None}
    return Benchmark(
        name=name,
        place=pod.place,
        pod=pod,
        arguments=arguments,
        steps=steps,
        tool=first.tool if first else None,
        lost=first.lost if first else (),
        is_job=True,
        **numbers,
    )


def accuracy_of(name: str, pod: Pod, scope: Scope) -> Accuracy | None:
    """The evaluation that a pod runs; None when its command is not to be found."""
    command = accuracy_command(pod.commands)
    if command is None:
        return None
    listed = plain_value(command.words, "--reasoning-effort")
    listed = listed or Located(EFFORTS, command.place)
    place = scope.at("efforts", listed.place)
    efforts = tuple(Located(effort, place) for effort in listed.value.split(","))
    return Accuracy(name, pod.place, pod, command, efforts)


def download_of(name: str, pod: Pod, scope: Scope) -> Download:
    """The download that a pod runs."""
    command = download_command(pod.commands)
    model = _repository(command) if command else None
    revision = plain_value(command.words, "--revision") if command else None
    return Download(
        name=name,
        place=pod.place,
        pod=pod,
        model=scope.moved("model", model or _variable(pod, MODEL_VARIABLES)),
        revision=scope.moved("revision", revision or _variable(pod, REVISION_VARIABLES)),
    )


def is_measured(commands: Iterable[Command]) -> bool:
    """Whether a command is a load generator's."""
    return any(measurement(command) for command in commands)


def accuracy_command(commands: Iterable[Command]) -> Command | None:
    """The first command that evaluates answers, from the module's name on."""
    for command in commands:
        texts = [word.value for word in command.words]
        for at, pair in enumerate(pairwise(texts), 1):
            if pair == ("-m", EVALUATES):
                return Command(command.words[at:])
    return None


def fills_the_cache(commands: Sequence[Command]) -> bool:
    """Whether a command downloads the model, with Hugging Face's client or the chart's script."""
    if download_command(commands):
        return True
    words = [word.value for command in commands for word in command.words]
    # Charts before 0.2 had one script for the cache.
    is_old = any(word.endswith("model_cache.py") for word in words) and "fill" in words
    return is_old or any(word.endswith("model_download.py") for word in words)


def download_command(commands: Iterable[Command]) -> Command | None:
    """The first command that downloads with Hugging Face's client, from its name on."""
    for command in commands:
        for position, word in enumerate(command.words[:-1]):
            is_tool = word.value.rpartition("/")[2] in DOWNLOADERS
            if is_tool and command.words[position + 1].value == "download":
                return Command(command.words[position:])
    return None


def _repository(command: Command) -> Located[str] | None:
    """The first word after ``download`` that is neither a flag nor a flag's value."""
    after_flag = False
    for word in command.words[2:]:
        is_flag = word.value.startswith("-")
        if not is_flag and not after_flag:
            return word
        after_flag = is_flag and "=" not in word.value
    return None


def _number(
    name: Number, pod: Pod, arguments: Arguments | None, scope: Scope
) -> Located[int] | None:
    flag, names = NUMBERS[name]
    annotation = pod.annotations.get(ANNOTATIONS.get(name, ""))
    candidates = [
        arguments[flag].located if arguments else None,
        annotation,
        *(_variable(pod, (variable,)) for variable in names),
    ]
    for candidate in candidates:
        if candidate and candidate.value.isascii() and candidate.value.isdecimal():
            return Located(int(candidate.value[:18]), scope.at(name, candidate.place))
    return None


def _variable(pod: Pod, names: Iterable[str]) -> Located[str] | None:
    for name in names:
        variable = pod.environment.get(name)
        if variable and variable.value:
            return Located(variable.value, variable.place)
    return None
