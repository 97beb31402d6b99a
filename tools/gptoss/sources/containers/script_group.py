"""Scripts given together: which of them start one deployment, and how they are read as one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from gptoss.deployment.model import Role
from gptoss.sources.containers.docker_run import docker_run
from gptoss.sources.containers.processes import processes
from gptoss.sources.parts.container import Task
from gptoss.sources.parts.server_roles import server_list
from gptoss.text.errors import InputError
from gptoss.text.places import Place
from gptoss.text.shell.evaluation import read_script
from gptoss.text.shell.result import Script
from gptoss.text.yaml_tree import Tree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gptoss.sources.containers.processes import Process
    from gptoss.text.places import Located
    from gptoss.text.shell.result import HereDocument, Step

SERVING = (Task.SERVER, Task.WORKER, Task.FRONTEND)
# More than the choices of any one script, with those that it has written.
MANY = 10**12


@dataclass(frozen=True)
class GivenScript:
    """A script of the user's.

    Attributes:
        text: What stands in it.
        name: The file, as the user named it.
    """

    text: str
    name: str

    def read(self, values: Mapping[str, str | None] | None = None) -> Script:
        """What it does where variables have these values before it."""
        tree = Tree(self.text, Place(self.name, 0), None, 0)
        return read_script(tree, values or {}, (self.name,), str(Path(self.name).parent))

    @cached_property
    def alone(self) -> Script:
        """What it does by itself."""
        return self.read()

    @cached_property
    def started(self) -> Sequence[Process]:
        """What it starts by itself."""
        return processes(self.alone)

    @cached_property
    def kinds(self) -> frozenset[str]:
        """What it starts of a deployment: its server, its frontend, or roles of workers."""
        return frozenset(process.kind for process in self.started if process.task in SERVING)

    @property
    def is_in_front(self) -> bool:
        """Whether it only starts what stands in front of disaggregated servers."""
        return not self.kinds and any(server_list(step.command) for step in self.alone.steps)

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing: a server, or a frontend with workers for prefill and decode.

        Workers that need none of the other role are one that does both.
        """
        return Task.SERVER in self.kinds or (Task.FRONTEND in self.kinds and self._has_both_roles)

    @property
    def is_part(self) -> bool:
        """Whether it makes no sense without others: it lacks a role, or only prepares."""
        return not self.is_whole and not self._has_both_roles

    @property
    def _has_both_roles(self) -> bool:
        return Task.WORKER in self.kinds or {Role.PREFILL, Role.DECODE} <= self.kinds

    @property
    def turn(self) -> int:
        """When it is run: a container is opened first, then what prepares, then what serves."""
        if self.kinds:
            return 2
        runs = (docker_run(step.command, step.environment) for step in self.alone.steps)
        return 0 if any(run and run.opens_shell for run in runs) else 1


def deployments_of(scripts: Sequence[GivenScript]) -> list[list[GivenScript]]:
    """The scripts by deployment, each in the order in which it is run.

    Scripts that need no other are a deployment each. As soon as one of them is only a part, such as
    the command of the prefill worker, or the one that opens the container, all are one deployment;
    so are servers with what stands in front of them.

    Raises:
        InputError: One is a part, and several others are whole.
    """
    part = next((script for script in scripts if script.is_part), None)
    if len(scripts) < 2 or part is None:
        return [[script] for script in scripts]
    if any(script.is_in_front for script in scripts):
        return [sorted(scripts, key=lambda script: script.turn)]
    whole = [script.name for script in scripts if script.is_whole]
    if len(whole) > 1:
        raise InputError(
            f"this starts no whole deployment, and it is not clear whether it belongs to "
            f"{' or '.join(whole)}; give it with one of them",
            Place(part.name),
        )
    return [sorted(scripts, key=lambda script: script.turn)]


def read_together(scripts: Sequence[GivenScript]) -> Script:
    """What scripts do that are run one after the other.

    What prepares is read as if typed into the shell of the others, so that its variables hold for
    them. Those that serve have a shell each.
    """
    if len(scripts) == 1:
        return scripts[0].alone
    steps: list[Step] = []
    documents: list[HereDocument] = []
    values: dict[str, str | None] = {}
    exports: dict[str, Located[str | None]] = {}
    for number, given in enumerate(scripts):
        script = given.read(values)
        documents += script.documents
        steps += [
            replace(
                step,
                environment={**exports, **step.environment},
                choices=tuple((choice + number * MANY, branch) for choice, branch in step.choices),
            )
            for step in script.steps
        ]
        if not given.kinds:
            values |= script.values
            exports |= script.exports
    return Script(tuple(steps), tuple(documents), exports, values)
