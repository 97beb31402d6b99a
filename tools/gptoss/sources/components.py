"""Components of a graph, sorted into frontend, workers and others."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from gptoss.model import Component, Frontend, Problem, Worker
from gptoss.sources.commands import module_command
from gptoss.sources.graph import FRONTEND
from gptoss.sources.pod_spec import read_pod
from gptoss.sources.workers import MODULE, read_worker

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.facts import Facts
    from gptoss.places import Located, Place
    from gptoss.pods import Pod
    from gptoss.sources.graph import Part
    from gptoss.sources.reading import Scope
    from gptoss.yaml_tree import Tree


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


class Components:
    """Components in the making of a deployment.

    Attributes:
        frontend: The first one that is a frontend.
        workers: Those that run ``dynamo.trtllm``, whatever their type.
        others: All others.
        problems: What is wrong with engine settings.
    """

    def __init__(self, facts: Facts, root: Scope, config_maps: Mapping[str, Tree]) -> None:
        self.frontend: Frontend | None = None
        self.workers: list[Worker] = []
        self.others: list[Component] = []
        self.problems: list[Problem] = []
        self._facts = facts
        self._root = root
        self._config_maps = config_maps

    def add(self, part: Part) -> None:
        """Reads a component.

        Raises:
            InputError: A field has a shape that the API server or the engine would refuse.
        """
        if part.may_run(MODULE) and self._add_worker(part):
            return
        is_frontend = part.type is not None and part.type.value == "frontend"
        if self.frontend is None and (is_frontend or part.may_run(FRONTEND)):
            scope = self._root.under("frontend")
            pod = read_pod(part.template, scope).pod
            command = module_command(pod.commands, FRONTEND)
            self.frontend = Frontend(**_fields(part, pod, scope), command=command)
            return
        scope = self._root.under("others", part.name)
        self.others.append(Component(**_fields(part, read_pod(part.template, scope).pod, scope)))

    def _add_worker(self, part: Part) -> bool:
        """Adds a worker; False when the module is named but no command runs it."""
        scope = self._root.under("workers", part.name)
        read = read_pod(part.template, scope)
        command = module_command(read.pod.commands, MODULE)
        if command is None:
            return False
        fields, problems = read_worker(part, read, command, scope, self._config_maps, self._facts)
        self.workers.append(Worker(**_fields(part, read.pod, scope), **fields))
        self.problems += problems
        return True


def _fields(part: Part, pod: Pod, scope: Scope) -> ComponentFields:
    return ComponentFields(
        name=part.name,
        place=pod.place,
        type=scope.text("type", part.type),
        sub_type=scope.text("sub_type", part.sub_type),
        replicas=scope.whole("replicas", part.tree.at("replicas"), "replicas"),
        ignored={f: scope.at(f"ignored.{f}", tree.where) for f, tree in part.ignored.items()},
        runtime_version=scope.text("runtime_version", part.tree.at("runtimeVersionOverride")),
        pod=pod,
    )
