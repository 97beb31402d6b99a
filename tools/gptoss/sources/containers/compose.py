"""Builds a deployment from a docker compose file.

Each service becomes the pod that says the same, with every place in the compose file and in the
engine files beside it. What is not read (``env_file``, ``extends``, ``include``) is reported.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from gptoss.deployment.model import Platform, Problem
from gptoss.sources.containers.build import deployment_of
from gptoss.sources.containers.compose_service import Gpus, binds, gpus_of, label, pod_template
from gptoss.sources.containers.compose_text import interpolated, variables_of
from gptoss.sources.containers.isolation import memory_of, of_service
from gptoss.sources.containers.named_files import NamedFiles
from gptoss.sources.parts.assembly import Origin
from gptoss.sources.parts.container import container_of
from gptoss.sources.parts.disaggregated import disaggregated
from gptoss.sources.parts.engine_yaml import repeated_key, repeated_keys
from gptoss.sources.parts.pod_spec import ReadPod, read_pod
from gptoss.sources.parts.reading import Scope, a_map, as_rendered, string
from gptoss.sources.parts.server import server_command
from gptoss.sources.parts.server_roles import Started, not_started, roles_of, server_list
from gptoss.sources.recognise import is_disaggregated
from gptoss.text.budget import Kind, spend, too_much
from gptoss.text.places import Located, Place
from gptoss.text.shell.result import HereDocument
from gptoss.text.yaml_tree import Tree, parse_embedded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from gptoss.deployment.model import Deployment, Role
    from gptoss.facts.world import Facts, Gpu
    from gptoss.sources.parts.container import Container
    from gptoss.sources.parts.disaggregated import Disaggregated

EXTENSION = "x-gpt-oss"
WORKER_LABEL = "gpt-oss.worker"
NOT_READ = ("env_file", "extends")
YAML = (".yaml", ".yml", ".json")
# What may differ between replicas of one worker.
OWN = ("deploy", "gpus", "container_name", "hostname", "ports", "environment")


@dataclass(frozen=True)
class ComposeFile:
    """A compose file.

    Attributes:
        label: What the user called it.
        text: Its text.
        root: Its content, as written.
        folder: Where the paths in it begin.
    """

    label: str
    text: str
    root: Tree
    folder: Path

    @cached_property
    def files(self) -> NamedFiles:
        """The files of the host that it names."""
        return NamedFiles(self.folder)


@dataclass(frozen=True, slots=True)
class _Service:
    """A service with what was read of it."""

    name: str
    tree: Tree
    gpus: Gpus | None
    read: ReadPod


def build_compose(
    file: ComposeFile, facts: Facts, release: str | None = None, gpu: str | None = None
) -> Deployment:
    """The deployment that a compose file describes.

    Args:
        file: The compose file.
        facts: What is known about releases, GPUs, models and engine settings.
        release: Dynamo release to read it as, instead of the one of its images, or the one that
            ``x-gpt-oss`` names.
        gpu: Kind of GPU, instead of the one it names.

    Raises:
        InputError: It serves no model, or a field has a shape that compose or the engine would
            refuse.
    """
    root = interpolated(file.root, variables_of(file.files.beside(".env", file.root.place)))
    told = a_map(root.at(EXTENSION), EXTENSION)
    named_gpu = gpu or _told(told, "gpu")
    known_gpu = facts.gpus.get(named_gpu or "")
    per_machine = known_gpu.per_node if known_gpu else None
    services = a_map(root.at("services"), "services")
    if services and len(services.value) > Kind.CONTAINERS.limit:
        raise too_much(Kind.CONTAINERS, services.where)
    named = {
        name: a_map(tree, f"service {name}") or Tree({}, tree.place, tree.key)
        for name, tree in (services.items() if services else ())
    }
    found = [_read(name, named, root, file, per_machine) for name in named]
    name = string(root.at("name"), "name") or file.folder.resolve().name
    place = (root.at("name") or root).where
    servers = _servers(found)
    started = _started(found)
    roles = roles_of(started, servers.servers if servers else ())
    containers = list(_containers(found, roles))
    origin = Origin(
        name=name,
        place=place,
        source=file.label,
        platform=Platform.CONTAINERS,
        release=release,
        gpu=facts.gpu(named_gpu) if named_gpu else None,
    )
    deployment = deployment_of(containers, origin, facts)
    if deployment.release is None:  # the image's tag does not tell
        origin = replace(origin, release=_told(told, "release"))
        deployment = deployment_of(containers, origin, facts)
    problems = [
        *(repeated_key(key, where) for key, where in repeated_keys(file.root)),
        *_not_read(root, found),
        *_shared_gpus(found),
        *_beyond(found, known_gpu),
        *(p for service in found for p in _missing_files(service, file)),
        *file.files.problems,
        *(servers.problems if servers else ()),
        *(not_started(started, servers.servers) if servers else ()),
    ]
    return replace(deployment, problems=(*deployment.problems, *problems))


def _told(extension: Tree | None, key: str) -> str | None:
    found = extension.at(key) if extension else None
    return None if found is None or found.value is None else str(found.value)


def _read(
    name: str, services: dict[str, Tree], root: Tree, file: ComposeFile, machine: int | None
) -> _Service:
    service = services[name]
    gpus = gpus_of(service)
    template = pod_template(service, gpus, machine, memory_of(service, services), file.text)
    read = read_pod(template, Scope(as_rendered))
    pod = replace(read.pod, isolation=of_service(name, service, gpus, services))
    documents = (*read.documents, *_configs(service, root, file), *_files(service, read, file))
    return _Service(name, service, gpus, replace(read, pod=pod, documents=documents))


def _servers(services: list[_Service]) -> Disaggregated | None:
    """The list of servers that a service gives ``trtllm-serve disaggregated``."""
    for service in services:
        paths = {path.value for path in map(server_list, service.read.pod.commands) if path}
        for document in service.read.documents:
            if document.target and document.target.value in paths:
                tree = parse_embedded(document.content)
                if tree and is_disaggregated(tree):
                    return disaggregated(tree)
    return None


def _started(services: list[_Service]) -> list[Started]:
    """The services that run a server."""
    return [
        Started(number, service.name, command, service.read.pod.environment)
        for number, service in enumerate(services)
        if (command := server_command(service.read.pod.commands))
    ]


def _containers(services: list[_Service], roles: Mapping[int, Role]) -> Iterator[Container]:
    """The containers; services that are replicas of one worker are one of them."""
    worker_of = [label(service.tree, WORKER_LABEL) for service in services]
    called = Counter(worker_of)
    alike: dict[tuple[str, str] | int, list[int]] = {}
    for number, (service, worker) in enumerate(zip(services, worker_of, strict=True)):
        key = (worker, _likeness(service)) if worker else number
        alike.setdefault(key, []).append(number)
    for same in alike.values():
        service, worker = services[same[0]], worker_of[same[0]]
        name = worker if worker and len(same) == called[worker] else service.name
        count = _replicas(service.tree)
        if len(same) > 1:
            count = Located(len(same), service.tree.where)
        yield replace(container_of(name, service.read, count), role=roles.get(same[0]))


def _likeness(service: _Service) -> str:
    """The same for services that differ in nothing but which GPUs they have."""
    count = service.read.gpus and service.read.gpus.value
    rest = {key: tree.plain() for key, tree in service.tree.items() if key not in OWN}
    variables = {v.name: v.value for v in service.read.pod.environment.values()}
    for name in ("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"):
        variables.pop(name, None)
    return json.dumps([count, rest, variables], sort_keys=True, default=str)


def _replicas(service: Tree) -> Located[int] | None:
    found = service.at("deploy", "replicas") or service.at("scale")
    return Scope(as_rendered).whole("replicas", found, "replicas")


def _configs(service: Tree, root: Tree, file: ComposeFile) -> Iterator[HereDocument]:
    """The files that ``configs`` puts into a container, where their content is at hand."""
    entries = service.at("configs")
    for entry in entries.elements() if entries else ():
        name = entry.text("source") if entry.is_map else str(entry.value)
        target = (entry.text("target") if entry.is_map else None) or f"/{name}"
        config = root.at("configs", name or "")
        content = config.at("content") if config else None
        if content is None and config is not None and config.text("file"):
            content = file.files.read(file.folder / str(config.text("file")), config.where)
        if content is not None:
            yield HereDocument(Located(target, entry.place), content)


def _files(service: Tree, read: ReadPod, file: ComposeFile) -> Iterator[HereDocument]:
    """The YAML files of the host that a service mounts and its command or variables name."""
    for path, source, place in _named_files(service, read):
        content = file.files.read(file.folder / _expanded(source), place)
        if content is not None:
            yield HereDocument(Located(path, read.pod.place), content)


def _named_files(service: Tree, read: ReadPod) -> Iterator[tuple[str, str, Place]]:
    """Path in the container, path on the host, and place of every YAML file that is named."""
    named = [word for command in read.pod.commands for word in command.words]
    values = [Located(v.value or "", v.place) for v in read.pod.environment.values()]
    mounted = binds(service)
    for text in (*named, *values):
        path = text.value.rpartition("=")[2] if text.value.startswith("--") else text.value
        if not path.startswith("/") or not path.endswith(YAML):
            continue
        spend(Kind.PAIRS, len(mounted), text.place)
        for bind in mounted:
            target = bind.target.rstrip("/")
            if path == target:
                yield path, bind.source, text.place
            elif path.startswith(f"{target}/"):
                yield path, f"{bind.source}/{path.removeprefix(f'{target}/')}", text.place


def _expanded(source: str) -> str:
    """A path of the host with the home folder filled in."""
    return os.path.expanduser(source)  # noqa: PTH111 (leaves an unknown user as it is)


def _beyond(services: list[_Service], gpu: Gpu | None) -> Iterator[Problem]:
    """GPUs that a machine with this kind of GPU does not have."""
    for service in services:
        for number in service.gpus.ids if service.gpus and gpu else ():
            if gpu and service.gpus and number.isdecimal() and int(number) >= gpu.per_node:
                message = (
                    f"{service.name} has GPU {number}, but a machine with {gpu.name} has "
                    f"{gpu.per_node}, counted from 0"
                )
                yield Problem("gpu-beyond-machine", message, service.gpus.place.where)
                break


def _missing_files(service: _Service, file: ComposeFile) -> Iterator[Problem]:
    for path, source, place in _named_files(service.tree, service.read):
        if not file.files.is_there(file.folder / _expanded(source)):
            message = f"service {service.name} mounts {source} at {path}, which is not there"
            yield Problem("engine-file-missing", message, place)


def _not_read(root: Tree, services: list[_Service]) -> Iterator[Problem]:
    """Fields that bring in what stands elsewhere."""
    fields = [(f"{s.name}.{field}", s.tree.at(field)) for s in services for field in NOT_READ]
    for name, tree in (*fields, ("include", root.at("include"))):
        if tree is not None and tree.value is not None:
            yield Problem("not-read", f"{name} is not read", tree.where)


def _shared_gpus(services: list[_Service]) -> Iterator[Problem]:
    """GPUs that two services have."""
    owners: dict[str, str] = {}
    for service in services:
        for number in service.gpus.ids if service.gpus else ():
            owner = owners.setdefault(number, service.name)
            if owner != service.name and service.gpus:
                message = f"{service.name} and {owner} both have GPU {number}"
                yield Problem("gpu-shared", message, service.gpus.place.where)
