"""A deployment out of containers or processes that no Kubernetes object describes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypedDict

from gptoss.command_lines.dialects import read_command
from gptoss.deployment import paths
from gptoss.deployment.model import Deployment, Frontend, Platform, Worker
from gptoss.deployment.paths import BENCHMARK, DOWNLOADS
from gptoss.facts.programs import taken_for
from gptoss.sources.kubernetes.graph import FRONTEND
from gptoss.sources.parts.commands import module_command
from gptoss.sources.parts.engine_yaml import engine_yaml
from gptoss.sources.parts.jobs import benchmark_of, download_command, download_of, is_measured
from gptoss.sources.parts.part import Part
from gptoss.sources.parts.pod_spec import PodTemplate
from gptoss.sources.parts.reading import Scope, as_rendered
from gptoss.sources.parts.releases import tag_of
from gptoss.sources.parts.server import Server, serve_deployment, server_command
from gptoss.sources.parts.workers import MODULE, model_of, read_worker
from gptoss.text.errors import InputError
from gptoss.text.places import Located, Place
from gptoss.text.yaml_tree import Tree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gptoss.deployment.jobs import Benchmark, Download
    from gptoss.deployment.model import Problem
    from gptoss.deployment.pods import Pod
    from gptoss.facts.world import Facts, Gpu, Release
    from gptoss.sources.parts.engine_yaml import EngineYaml
    from gptoss.sources.parts.pod_spec import ReadPod
    from gptoss.text.command import Command


@dataclass(frozen=True, slots=True)
class Container:
    """A container, or a process that a script starts.

    Attributes:
        name: What the user calls it.
        read: Its pod, its GPUs, and as here-documents the files that its command may name.
        replicas: How many of them; None for one.
    """

    name: str
    read: ReadPod
    replicas: Located[int] | None = None


@dataclass(frozen=True, slots=True)
class Origin:
    """Where containers come from, and what the file that describes them has no field for.

    Attributes:
        name: Name of the deployment.
        place: Where it begins.
        source: What it was read from, as the user named it.
        release: Dynamo release to take it for, instead of the one of the image.
        gpu: Kind of GPU of every worker.
    """

    name: str
    place: Place
    source: str
    release: str | None = None
    gpu: str | None = None


def deployment_of(containers: Sequence[Container], origin: Origin, facts: Facts) -> Deployment:
    """The deployment that containers make.

    Args:
        containers: What is started, in order; what is neither frontend, worker, server, benchmark
            nor download says nothing about the model and is left out.
        origin: Where they come from.
        facts: What is known about releases, GPUs, models and engine settings.

    Raises:
        InputError: None of them serves a model, several run ``trtllm-serve``, or the release or
            the GPU is not known.
    """
    release, release_place = _release(containers, origin, facts)
    reader = _Reader(facts, _gpu(origin.gpu, facts), release)
    for container in containers:
        reader.add(container)
    if reader.servers and not reader.workers:
        if len(reader.servers) > 1:
            place = reader.servers[1].read.pod.place
            raise InputError("trtllm-serve is started twice; give one deployment a file", place)
        served = serve_deployment(reader.servers[0], origin.source, facts, origin.release)
        return replace(
            served,
            name=origin.name,
            place=origin.place,
            platform=Platform.CONTAINERS,
            downloads=tuple(reader.downloads),
            benchmark=reader.benchmark,
        )
    if not reader.workers and reader.frontend is None:
        raise InputError(
            "nothing here runs dynamo.trtllm or trtllm-serve; give the file that starts the model",
            origin.place,
        )
    models = (model_of(worker, facts) for worker in reader.workers)
    return Deployment(
        name=origin.name,
        place=origin.place,
        source=origin.source,
        api_version=Located("", origin.place),
        release=release,
        release_place=release_place,
        model=next((model for model in models if model), None),
        frontend=reader.frontend,
        workers=tuple(reader.workers),
        downloads=tuple(reader.downloads),
        benchmark=reader.benchmark,
        problems=tuple(reader.problems),
        platform=Platform.CONTAINERS,
    )


class _Fields(TypedDict):
    """The fields of a component that only Kubernetes knows, and what every component has."""

    name: str
    place: Place
    type: None
    sub_type: None
    replicas: Located[int] | None
    ignored: Mapping[str, Place]
    runtime_version: None
    pod: Pod


class _Reader:
    """A deployment in the making."""

    def __init__(self, facts: Facts, gpu: Gpu | None, release: Release | None) -> None:
        self.frontend: Frontend | None = None
        self.workers: list[Worker] = []
        self.servers: list[Server] = []
        self.benchmark: Benchmark | None = None
        self.downloads: list[Download] = []
        self.problems: list[Problem] = []
        self._facts = facts
        self._gpu = gpu
        self._release = release
        self._root = Scope(as_rendered)

    def add(self, container: Container) -> None:
        read, commands = container.read, container.read.pod.commands
        if command := module_command(commands, MODULE):
            self._worker(container, command)
        elif server_command(commands):
            self.servers.append(self._server(container))
        elif frontend := module_command(commands, FRONTEND):
            if self.frontend is None:
                version = self._release.version if self._release else ""
                program = taken_for(FRONTEND, version, self._facts)
                arguments = read_command(program, frontend, read.pod.environment)
                self.frontend = Frontend(**_fields(container), arguments=arguments)
        elif is_measured(commands):
            if self.benchmark is None:
                scope = self._root.part(BENCHMARK)
                self.benchmark = benchmark_of(container.name, read.pod, scope)
        elif _fills_the_cache(commands):
            scope = self._root.part(DOWNLOADS)
            self.downloads.append(download_of(container.name, read.pod, scope))

    def _worker(self, container: Container, command: Command) -> None:
        scope = self._root.part(paths.workers(container.name))
        home = Tree({}, container.read.pod.place)
        template = PodTemplate(home, None, None, None)
        part = Part(container.name, home, None, None, {}, template)
        fields, problems = read_worker(
            part, container.read, command, scope, {}, self._facts, self._release
        )
        worker = Worker(**_fields(container), **fields)
        self.workers.append(replace(worker, gpu=self._gpu or worker.gpu))
        self.problems += problems

    def _server(self, container: Container) -> Server:
        scope = self._root.part(paths.workers(container.name))

        def engine(path: Located[str] | None) -> EngineYaml:
            return engine_yaml(path, container.read, {}, scope)

        return Server(container.name, container.read, scope, engine, container.replicas, self._gpu)


def _fields(container: Container) -> _Fields:
    return _Fields(
        name=container.name,
        place=container.read.pod.place,
        type=None,
        sub_type=None,
        replicas=container.replicas,
        ignored={},
        runtime_version=None,
        pod=container.read.pod,
    )


def _fills_the_cache(commands: Sequence[Command]) -> bool:
    """Whether a command downloads the model, with Hugging Face's client or the chart's script."""
    if download_command(commands):
        return True
    words = [word.value for command in commands for word in command.words]
    return any(word.endswith("model_cache.py") for word in words) and "fill" in words


def _gpu(name: str | None, facts: Facts) -> Gpu | None:
    return facts.gpu(name) if name else None


def _release(
    containers: Sequence[Container], origin: Origin, facts: Facts
) -> tuple[Release | None, Place]:
    """The release, as asked for or by the workers' images, and where it is chosen."""
    pods = [container.read.pod for container in containers]
    images = [pod.image for pod in pods if pod.image and module_command(pod.commands, MODULE)]
    place = images[0].place if images else origin.place
    if origin.release is not None:
        return facts.release(origin.release), place
    for image in images:
        if release := facts.release_of(tag_of(image.value)):
            return release, image.place
    return None, place
