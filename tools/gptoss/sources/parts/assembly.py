"""The deployment that containers make: the one place where one is built."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypedDict

from gptoss.command_lines.dialects import read_command
from gptoss.deployment import paths
from gptoss.deployment.model import (
    Component,
    Deployment,
    Frontend,
    Platform,
    Role,
    Runtime,
    Worker,
)
from gptoss.facts.programs import FRONTEND, taken_for
from gptoss.sources.parts.commands import module_command
from gptoss.sources.parts.container import Task, task_of
from gptoss.sources.parts.jobs import accuracy_of, benchmark_of, download_of
from gptoss.sources.parts.reading import Scope, as_rendered
from gptoss.sources.parts.releases import release_of_server, release_of_worker
from gptoss.sources.parts.server import read_server
from gptoss.sources.parts.workers import gpu_of, model_of, nodes_of, read_worker
from gptoss.text.budget import Kind, spend
from gptoss.text.errors import InputError
from gptoss.text.places import Located, Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gptoss.deployment.jobs import Download
    from gptoss.deployment.model import Problem
    from gptoss.deployment.paths import Path
    from gptoss.deployment.pods import Pod
    from gptoss.facts.world import Facts, Gpu, Release
    from gptoss.sources.parts.container import Container
    from gptoss.sources.parts.pod_spec import ReadPod
    from gptoss.sources.parts.reading import Locator
    from gptoss.sources.parts.workers import Served
    from gptoss.text.yaml_tree import Tree

PATHS = {
    Task.FRONTEND: paths.FRONTEND,
    Task.BENCHMARK: paths.BENCHMARK,
    Task.ACCURACY: paths.ACCURACY,
    Task.DOWNLOAD: paths.DOWNLOADS,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where containers come from, and what is said of all of them.

    Attributes:
        name: Name of the deployment.
        place: Where it begins.
        source: What it was read from, as the user named it.
        platform: What starts the containers.
        release: Dynamo release to take it for, instead of the one of the image.
        gpu: Kind of GPU of every worker, where it is not the one that the placement asks for.
        locate: Gives the place to show for a path and the place where something stands.
        config_maps: ConfigMaps by name, for engine files.
    """

    name: str
    place: Place
    source: str
    platform: Platform = Platform.KUBERNETES
    release: str | None = None
    gpu: Gpu | None = None
    locate: Locator = as_rendered
    config_maps: Mapping[str, Tree] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Running:
    """A container with what was read of it, under the path that its task gives it."""

    container: Container
    read: ReadPod
    scope: Scope

    @property
    def pod(self) -> Pod:
        """Its pod."""
        return self.read.pod

    @property
    def job(self) -> tuple[str, Pod, Scope]:
        """What the reader of a job needs of it."""
        return self.container.name, self.read.pod, self.scope


def assemble(containers: Iterable[Container], origin: Origin, facts: Facts) -> Deployment:
    """The deployment that containers make.

    Where nothing runs ``dynamo.trtllm``, a container that runs ``trtllm-serve`` serves the model.

    Args:
        containers: What runs, in order; what has no task says nothing about the model.
        origin: Where they come from.
        facts: What is known about releases, GPUs, models and engine settings.

    Raises:
        InputError: Several run ``trtllm-serve``, the release is not known, or a field has a shape
            that the engine or what starts the containers would refuse.
    """
    found = _by_task(containers, origin)
    serves = bool(found[Task.SERVER]) and not found[Task.WORKER]
    running = found[Task.SERVER if serves else Task.WORKER]
    if serves and len(running) > 1 and not _is_split(running):
        place = running[1].pod.place
        raise InputError("trtllm-serve is started twice; give one deployment a file", place)
    release, release_place = _release(running, origin, facts, serves)
    workers: list[Worker] = []
    problems: list[Problem] = []
    for one in running:
        read = read_server if serves else read_worker
        served = read(one.container, one.read, one.scope, origin.config_maps, facts, release)
        workers.append(_worker(one, served, origin, facts))
        problems += served.problems
    known = (model_of(worker, facts) for worker in workers)
    return Deployment(
        name=origin.name,
        place=origin.place,
        source=origin.source,
        api_version=Located("", origin.place),
        release=release,
        release_place=release_place,
        model=next((model for model in known if model), None),
        frontend=next((_frontend(one, release, facts) for one in found[Task.FRONTEND]), None),
        workers=tuple(workers),
        others=tuple(Component(**_fields(one)) for one in found[Task.OTHER]),
        downloads=tuple(_download(one) for one in found[Task.DOWNLOAD]),
        benchmark=next((benchmark_of(*one.job) for one in found[Task.BENCHMARK]), None),
        accuracy=next((accuracy_of(*one.job) for one in found[Task.ACCURACY]), None),
        problems=tuple(problems),
        runtime=Runtime.SERVE if serves else Runtime.DYNAMO,
        platform=origin.platform,
    )


def _is_split(running: Sequence[Running]) -> bool:
    """Whether servers share the work: some prefill, and the others decode."""
    return {one.container.role for one in running} == {Role.PREFILL, Role.DECODE}


def _by_task(containers: Iterable[Container], origin: Origin) -> dict[Task, list[Running]]:
    """The containers by what they do; of several frontends the first is the frontend."""
    found: dict[Task, list[Running]] = {task: [] for task in Task}
    for container in containers:
        read = container.read(Scope(as_rendered))
        spend(Kind.CONTAINERS, 1, read.pod.place)
        task = task_of(read.pod.commands, container.may) or container.sign
        if task is Task.FRONTEND and found[task]:
            task = Task.OTHER if Task.OTHER in container.may else None
        if task is None:
            continue
        scope = Scope(origin.locate, _path(task, container.name))
        if origin.locate is not as_rendered:
            read = container.read(scope)
        found[task].append(Running(container, read, scope))
    return found


def _path(task: Task, name: str) -> Path:
    if task in (Task.WORKER, Task.SERVER):
        return paths.workers(name)
    return PATHS.get(task) or paths.others(name)


def _release(
    running: list[Running], origin: Origin, facts: Facts, serves: bool
) -> tuple[Release | None, Place]:
    """The release, as asked for or by the workers' images, and where it is chosen."""
    images = [one.pod.image for one in running if one.pod.image]
    place = images[0].place if images else origin.place
    release = facts.release(origin.release) if origin.release is not None else None
    of_image = release_of_server if serves else release_of_worker
    for image in images if release is None else ():
        release = of_image(image.value, facts)
        if release:
            place = image.place
            break
    return release, Scope(origin.locate).at("release", place)


class _Fields(TypedDict):
    """The fields of every component."""

    name: str
    place: Place
    pod: Pod
    type: Located[str] | None
    sub_type: Located[str] | None
    replicas: Located[int] | None
    counted: bool
    ignored: Mapping[str, Place]
    runtime_version: Located[str] | None


def _fields(one: Running) -> _Fields:
    container, scope = one.container, one.scope
    ignored = container.ignored.items()
    return _Fields(
        name=container.name,
        place=one.pod.place,
        pod=one.pod,
        type=scope.text("type", container.type),
        sub_type=scope.text("sub_type", container.sub_type),
        replicas=scope.whole("replicas", container.replicas, "replicas"),
        counted=container.counted,
        ignored={name: scope.entry("ignored", name, tree.where) for name, tree in ignored},
        runtime_version=scope.text("runtime_version", container.runtime_version),
    )


def _download(one: Running) -> Download:
    return replace(download_of(*one.job), kind=one.container.kind)


def _frontend(one: Running, release: Release | None, facts: Facts) -> Frontend:
    command = module_command(one.pod.commands, FRONTEND)
    program = taken_for(FRONTEND, release.version if release else "", facts)
    arguments = read_command(program, command, one.pod.environment) if command else None
    return Frontend(**_fields(one), arguments=arguments)


def _worker(one: Running, served: Served, origin: Origin, facts: Facts) -> Worker:
    return Worker(
        **_fields(one),
        arguments=served.arguments,
        role=served.role,
        gpus_per_pod=one.read.gpus,
        nodes=nodes_of(one.container.multinode, one.pod.place, one.scope),
        engine=served.engine,
        engine_file=served.engine_file,
        engine_known=served.engine_known,
        gpu=origin.gpu or gpu_of(one.pod, facts),
        model=one.scope.moved("model", served.model),
        served_name=one.scope.moved("served_name", served.served_name),
    )
