"""A container, however a source describes it, and what it does in a deployment.

Components of a graph, workloads and Jobs of Kubernetes, services of compose, ``docker run`` lines
and processes of a script become containers; :mod:`gptoss.sources.parts.assembly` makes a deployment
of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from gptoss.facts.programs import FRONTEND, WORKER
from gptoss.sources.parts.commands import module_command
from gptoss.sources.parts.jobs import accuracy_command, fills_the_cache, is_measured
from gptoss.sources.parts.server import server_command
from gptoss.text.yaml_tree import Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from gptoss.deployment.model import Role
    from gptoss.sources.parts.engine_yaml import EngineYaml
    from gptoss.sources.parts.pod_spec import ReadPod
    from gptoss.sources.parts.reading import Scope
    from gptoss.text.command import Command
    from gptoss.text.places import Located


class Task(StrEnum):
    """What a container does."""

    WORKER = "worker"
    SERVER = "server"
    FRONTEND = "frontend"
    BENCHMARK = "benchmark"
    ACCURACY = "accuracy"
    DOWNLOAD = "download"
    OTHER = "other"


RUNS: Mapping[Task, Callable[[Sequence[Command]], object]] = {
    Task.WORKER: lambda commands: module_command(commands, WORKER),
    Task.SERVER: server_command,
    Task.FRONTEND: lambda commands: module_command(commands, FRONTEND),
    Task.BENCHMARK: is_measured,
    Task.ACCURACY: accuracy_command,
    Task.DOWNLOAD: fills_the_cache,
}
"""Finds the command by which a task is known; the first task counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """Something that runs.

    Attributes:
        name: What the user calls it.
        read: Reads its pod, its GPUs and its here-documents for the scope that they belong to.
        may: The tasks that it may have.
        sign: The task that something else than its commands gives it, when they tell none.
        replicas: How many of them; None for one.
        counted: Whether it is known how many there are.
        multinode: How many nodes each takes; None for one.
        type, sub_type, runtime_version, ignored: Fields of a component of a graph.
        engine: Its engine YAML, where it is not a file that the command names.
        role: What it does as a worker, where something else than its command says so.
        kind: What it is for Kubernetes, where it ends.
    """

    name: str
    read: Callable[[Scope], ReadPod]
    may: Collection[Task] = tuple(RUNS)
    sign: Task | None = None
    replicas: Tree | None = None
    counted: bool = True
    multinode: Tree | None = None
    type: Tree | None = None
    sub_type: Tree | None = None
    runtime_version: Tree | None = None
    ignored: Mapping[str, Tree] = field(default_factory=dict)
    engine: EngineYaml | None = None
    role: Role | None = None
    kind: str = "Job"


def container_of(
    name: str, read: ReadPod, replicas: Located[int] | None = None, *, counted: bool = True
) -> Container:
    """A container whose pod is read already, at the places that are to be shown."""
    count = Tree(replicas.value, replicas.place) if replicas else None
    return Container(name=name, read=lambda _: read, replicas=count, counted=counted)


def task_of(commands: Sequence[Command], may: Collection[Task] = tuple(RUNS)) -> Task | None:
    """What commands do; None for what says nothing about a model."""
    return next((task for task, finds in RUNS.items() if task in may and finds(commands)), None)
