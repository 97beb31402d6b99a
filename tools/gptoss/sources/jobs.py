"""Jobs that belong to a deployment: the benchmark, and downloads of the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.model import Benchmark, Download
from gptoss.places import Located
from gptoss.pods import Command
from gptoss.sources.graph import main_container
from gptoss.sources.pod_spec import PodTemplate, read_pod
from gptoss.sources.reading import a_map

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gptoss.pods import Pod
    from gptoss.sources.reading import Scope
    from gptoss.yaml_tree import Tree

BENCHMARKS = ("aiperf", "genai-perf")
DOWNLOADERS = ("hf", "huggingface-cli")
DOWNLOAD_MARKS = ("hf download", "huggingface-cli download", "snapshot_download")
GPUS_ANNOTATION = "gpt-oss/gpus"
PER_GPU_ANNOTATION = "gpt-oss/concurrency-per-gpu"
MODEL_VARIABLES = ("MODEL_ID", "MODEL_NAME")
REVISION_VARIABLES = ("MODEL_REVISION",)

# Flags of aiperf, then variables that recipes use for the same.
NUMBERS = {
    "concurrency": (("--concurrency",), ("CONCURRENCY", "TOTAL_CONCURRENCY")),
    "requests": (
        ("--request-count", "--num-requests"),
        ("REQUEST_COUNT", "NUM_REQUESTS"),
    ),
    "input_tokens": (("--isl", "--synthetic-input-tokens-mean"), ("ISL",)),
    "output_tokens": (("--osl", "--output-tokens-mean"), ("OSL",)),
    "concurrency_per_gpu": ((), ("CONCURRENCY_PER_GPU",)),
    "gpu_count": ((), ("DEPLOYMENT_GPU_COUNT",)),
}
ANNOTATIONS = {"concurrency_per_gpu": PER_GPU_ANNOTATION, "gpu_count": GPUS_ANNOTATION}


@dataclass(frozen=True, slots=True)
class Job:
    """A Job as it is written.

    Attributes:
        name: Its name.
        template: Its pod template.
    """

    name: str
    template: PodTemplate

    @property
    def _text(self) -> str:
        return " ".join(word for word, _ in self.template.words)

    @property
    def is_benchmark(self) -> bool:
        """Whether it measures with aiperf or genai-perf."""
        keys = dict(self.template.annotations.items()) if self.template.annotations else {}
        return (
            any(f"{tool} profile" in self._text for tool in BENCHMARKS) or GPUS_ANNOTATION in keys
        )

    @property
    def is_download(self) -> bool:
        """Whether it fills the model cache."""
        container = self.template.container
        entries = container.at("env") if container else None
        names = [entry.text("name") for entry in entries.elements()] if entries else []
        return any(mark in self._text for mark in DOWNLOAD_MARKS) or "MODEL_REVISION" in names


def read_job(tree: Tree, name: str) -> Job:
    """Reads what a Job is.

    Raises:
        InputError: A field has a shape that the API server would refuse.
    """
    spec = a_map(tree.at("spec"), "spec")
    template = a_map(spec.at("template"), "template") if spec else None
    metadata = a_map(template.at("metadata"), "metadata") if template else None
    pod = a_map(template.at("spec"), "spec") if template else None
    annotations = a_map(metadata.at("annotations"), "annotations") if metadata else None
    return Job(name, PodTemplate(tree, pod, main_container(pod), annotations))


def read_benchmark(job: Job, scope: Scope) -> Benchmark:
    """The benchmark that a Job runs.

    Raises:
        InputError: A field has a shape that the API server would refuse.
    """
    pod = read_pod(job.template, scope).pod
    command = _benchmark_command(pod.commands)
    numbers = {name: _number(name, pod, command, scope) for name in NUMBERS}
    return Benchmark(name=job.name, place=pod.place, pod=pod, command=command, **numbers)


def read_download(job: Job, scope: Scope) -> Download:
    """The download that a Job runs.

    Raises:
        InputError: A field has a shape that the API server would refuse.
    """
    pod = read_pod(job.template, scope).pod
    command = _download_command(pod.commands)
    model = _repository(command) if command else None
    revision = command.flag("--revision") if command else None
    return Download(
        name=job.name,
        place=pod.place,
        pod=pod,
        model=scope.moved("model", model or _variable(pod, MODEL_VARIABLES)),
        revision=scope.moved("revision", revision or _variable(pod, REVISION_VARIABLES)),
    )


def _benchmark_command(commands: Iterable[Command]) -> Command | None:
    for command in commands:
        for position, word in enumerate(command.words[:-1]):
            is_tool = word.value.rpartition("/")[2] in BENCHMARKS
            if is_tool and command.words[position + 1].value == "profile":
                return Command(command.words[position:])
    return None


def _download_command(commands: Iterable[Command]) -> Command | None:
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


def _number(name: str, pod: Pod, command: Command | None, scope: Scope) -> Located[int] | None:
    flags, names = NUMBERS[name]
    annotation = pod.annotations.get(ANNOTATIONS.get(name, ""))
    candidates = [
        command.flag(*flags) if command else None,
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
