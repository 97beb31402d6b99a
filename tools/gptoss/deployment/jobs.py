"""Jobs beside a deployment: benchmark, evaluation and download."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gptoss.command_lines.arguments import Arguments
    from gptoss.deployment.pods import Pod
    from gptoss.text.command import Command
    from gptoss.text.places import Located, Place


@dataclass(frozen=True, slots=True)
class BenchmarkStep:
    """One run of the load generator.

    Attributes:
        arguments: What ``aiperf profile`` makes of its command line.
        concurrency: Requests in flight, when found.
        requests: Requests in all, when found.
    """

    arguments: Arguments
    concurrency: Located[int] | None
    requests: Located[int] | None

    @property
    def command(self) -> Command:
        """Its command line, in the words of ``aiperf profile``."""
        return self.arguments.command


@dataclass(frozen=True, slots=True)
class Benchmark:
    """The benchmark Job.

    Attributes:
        name: Name of the Job.
        place: Where it begins.
        pod: Its pod.
        arguments: What ``aiperf profile`` makes of its command line, of a sweep that of the first
            step; None when not found. That of another load generator is told in aiperf's words.
        input_tokens, output_tokens: Tokens of a request.
        concurrency: Requests in flight; None for a sweep.
        requests: Requests in all; None for a sweep.
        concurrency_per_gpu: Requests in flight a GPU, where the Job says so.
        gpu_count: GPUs that the Job divides its results by, where the Job says so.
        steps: Its runs, one for a fixed concurrency and several for a sweep.
        tool: The load generator, as in ``aiperf``, and where it stands.
        lost: Flags of another load generator that aiperf has no equal of.
        is_job: Whether what starts the deployment runs it, and not somebody by hand.
    """

    name: str
    place: Place
    pod: Pod
    arguments: Arguments | None
    input_tokens: Located[int] | None
    output_tokens: Located[int] | None
    concurrency: Located[int] | None
    requests: Located[int] | None
    concurrency_per_gpu: Located[int] | None
    gpu_count: Located[int] | None
    steps: tuple[BenchmarkStep, ...] = ()
    tool: Located[str] | None = None
    lost: tuple[Located[str], ...] = ()
    is_job: bool = True

    @property
    def command(self) -> Command | None:
        """The ``aiperf profile`` command."""
        return self.arguments.command if self.arguments else None

    @property
    def is_sweep(self) -> bool:
        """Whether it goes through several concurrencies."""
        return len(self.steps) > 1


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The Job that runs OpenAI's ``gpt_oss.evals``.

    Attributes:
        name: Name of the Job.
        place: Where it begins.
        pod: Its pod.
        command: The ``python -m gpt_oss.evals`` command.
        efforts: Reasoning efforts that it asks for.
    """

    name: str
    place: Place
    pod: Pod
    command: Command
    efforts: tuple[Located[str], ...]


@dataclass(frozen=True, slots=True)
class Download:
    """What fills the model cache: a Job, or a DaemonSet that does on every node.

    Attributes:
        name: Its name.
        place: Where it begins.
        pod: Its pod.
        model: Repository id, when found.
        revision: Commit of the repository, when found.
        kind: Job or DaemonSet.
    """

    name: str
    place: Place
    pod: Pod
    model: Located[str] | None
    revision: Located[str] | None
    kind: str = "Job"


@dataclass(frozen=True, slots=True)
class HelmTest:
    """A pod of ``helm test``.

    Attributes:
        name: Its name.
        place: Where it begins.
        pod: The pod itself.
    """

    name: str
    place: Place
    pod: Pod
