"""Components of a graph, sorted into frontend, workers and others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

from gptoss.command_lines.dialects import read_command
from gptoss.deployment import paths
from gptoss.deployment.model import Component, Frontend, Problem, Worker
from gptoss.facts import programs
from gptoss.sources.kubernetes.graph import FRONTEND
from gptoss.sources.parts.commands import module_command
from gptoss.sources.parts.pod_spec import read_pod
from gptoss.sources.parts.workers import MODULE, read_worker

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.deployment.pods import Pod
    from gptoss.facts.world import Facts, Release
    from gptoss.sources.parts.part import Part
    from gptoss.sources.parts.pod_spec import ReadPod
    from gptoss.sources.parts.reading import Scope
    from gptoss.text.command import Command
    from gptoss.text.places import Located, Place
    from gptoss.text.yaml_tree import Tree


class ComponentFields(TypedDict):
    """The fields of a component."""

    name: str
    place: Place
    type: Located[str] | None
    sub_type: Located[str] | None
    replicas: Located[int] | None
    ignored: Mapping[str, Place]
    runtime_version: Located[str] | None
    pod: Pod


@dataclass(frozen=True, slots=True)
class Running:
    """A component that runs ``dynamo.trtllm``.

    Attributes:
        part: The component as it is written.
        read: Its pod.
        command: The ``dynamo.trtllm`` command.
        scope: Its path.
    """

    part: Part
    read: ReadPod
    command: Command
    scope: Scope


class Components:
    """Components in the making of a deployment.

    Attributes:
        running: Those that run ``dynamo.trtllm``, whatever their type.
        others: All others.
        problems: What is wrong with engine settings.
    """

    def __init__(self, facts: Facts, root: Scope, config_maps: Mapping[str, Tree]) -> None:
        self.running: list[Running] = []
        self.others: list[Component] = []
        self.problems: list[Problem] = []
        self._frontend: Part | None = None
        self._facts = facts
        self._root = root
        self._config_maps = config_maps

    def add(self, part: Part) -> None:
        """Reads a component.

        Raises:
            InputError: A field has a shape that the API server would refuse.
        """
        if part.may_run(MODULE) and self._add_running(part):
            return
        is_frontend = part.type is not None and part.type.value == "frontend"
        if self._frontend is None and (is_frontend or part.may_run(FRONTEND)):
            self._frontend = part
            return
        scope = self._root.part(paths.others(part.name))
        self.others.append(Component(**_fields(part, read_pod(part.template, scope).pod, scope)))

    def frontend(self, release: Release | None) -> Frontend | None:
        """The first component that is a frontend, as a release reads its command.

        Raises:
            InputError: A field has a shape that the API server would refuse.
        """
        part, scope = self._frontend, self._root.part(paths.FRONTEND)
        if part is None:
            return None
        pod = read_pod(part.template, scope).pod
        command = module_command(pod.commands, FRONTEND)
        program = programs.taken_for(FRONTEND, release.version if release else "", self._facts)
        arguments = read_command(program, command, pod.environment) if command else None
        return Frontend(**_fields(part, pod, scope), arguments=arguments)

    def workers(self, release: Release | None) -> tuple[Worker, ...]:
        """The workers with their engine settings, as they are in force in a release.

        Raises:
            InputError: A field has a shape that the engine would refuse.
        """
        found = []
        for one in self.running:
            fields, problems = read_worker(
                one.part, one.read, one.command, one.scope, self._config_maps, self._facts, release
            )
            found.append(Worker(**_fields(one.part, one.read.pod, one.scope), **fields))
            self.problems += problems
        return tuple(found)

    def _add_running(self, part: Part) -> bool:
        """Adds a component; False when the module is named but no command runs it."""
        scope = self._root.part(paths.workers(part.name))
        read = read_pod(part.template, scope)
        command = module_command(read.pod.commands, MODULE)
        if command is not None:
            self.running.append(Running(part, read, command, scope))
        return command is not None


def _fields(part: Part, pod: Pod, scope: Scope) -> ComponentFields:
    return ComponentFields(
        name=part.name,
        place=pod.place,
        type=scope.text("type", part.type),
        sub_type=scope.text("sub_type", part.sub_type),
        replicas=scope.whole("replicas", part.tree.at("replicas"), "replicas"),
        ignored={f: scope.entry("ignored", f, tree.where) for f, tree in part.ignored.items()},
        runtime_version=scope.text("runtime_version", part.tree.at("runtimeVersionOverride")),
        pod=pod,
    )
