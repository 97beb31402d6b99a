"""Processes that a script starts, on the machine or in the containers of ``docker run``."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gptoss.command_lines.dialects import read_command
from gptoss.deployment.model import Role
from gptoss.facts.programs import WORKER, newest
from gptoss.sources.containers.docker_run import docker_run
from gptoss.sources.parts.alternatives import merged
from gptoss.sources.parts.commands import module_command, read_commands
from gptoss.sources.parts.container import Task, task_of
from gptoss.sources.parts.inner_shells import SHELLS, opened
from gptoss.sources.parts.launchers import handed_on
from gptoss.sources.parts.reading import Scope, as_rendered
from gptoss.sources.parts.workers import ROLES
from gptoss.sources.recognise import is_script
from gptoss.text.command import Command, Variable
from gptoss.text.shell.evaluation import read_script
from gptoss.text.yaml_tree import Tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gptoss.sources.containers.docker_run import DockerRun
    from gptoss.text.places import Located
    from gptoss.text.shell.result import HereDocument, Script, Step

DEVICES, PORT = "CUDA_VISIBLE_DEVICES", "--port"
# What replicas on one machine must not share.
OWN_VARIABLES = (DEVICES, "DYN_SYSTEM_PORT", "NVIDIA_VISIBLE_DEVICES")
# More than the choices of any one script.
MANY = 1_000_000
STOPPING = ("wait", "kill", "pkill", "killall")
VERB = re.compile(r"(?:run|start|launch|serve)_(?=.)")


@dataclass(frozen=True, slots=True)
class Process:
    """A process that the script starts.

    Attributes:
        command: The command.
        environment: Variables that the script gives it.
        step: What the script says about it.
        container: The container that it runs in; None on the machine itself.
        documents: Here-documents that it finds.
    """

    command: Command
    environment: Mapping[str, Variable]
    step: Step
    container: DockerRun | None
    documents: tuple[HereDocument, ...] = ()

    @property
    def task(self) -> Task | None:
        """What it does; None for what says nothing about the model."""
        return task_of((self.command,))

    @property
    def kind(self) -> str:
        """What it is: its task, or the role of a worker that does not do everything."""
        worker = module_command((self.command,), WORKER)
        if worker is None:
            return self.task or ""
        mode = read_command(newest(WORKER), worker, self.environment)["--disaggregation-mode"]
        role = ROLES.get(mode.text or "", Role.AGGREGATED)
        return Task.WORKER if role is Role.AGGREGATED else role.value

    @property
    def name(self) -> str:
        """What it is called: its function without the verb, its own container, or what it is."""
        run = self.container
        contained = run.name.value if run and run.name and not run.opens_shell else ""
        called = VERB.sub("", self.step.function, count=1) or contained
        return called.replace("_", "-") or self.kind

    @property
    def likeness(self) -> tuple[object, ...]:
        """The same for replicas, which differ in their GPUs only, and for steps of a benchmark."""
        if self.task is Task.BENCHMARK:
            return (Task.BENCHMARK,)
        words = tuple(word.value for word in self.command.words)
        variables = sorted(
            (name, variable.value or "")
            for name, variable in self.environment.items()
            if name not in OWN_VARIABLES
        )
        return (*words, *variables)

    @property
    def likeness_as_server(self) -> tuple[object, ...]:
        """The same for servers of one role, each of which has a port of its own."""
        words = self.likeness
        ports = {n for n, flag in enumerate(self.command.words, 1) if flag.value == PORT}
        return tuple(word for number, word in enumerate(words) if number not in ports)

    @property
    def stops_others(self) -> bool:
        """Whether what the script has started in the background ends here."""
        first, *others = (word.value for word in self.command.words)
        stops = any(word in ("stop", "kill", "rm", "down") for word in others[:2])
        return first in STOPPING or (first in ("docker", "podman") and stops)

    @property
    def devices(self) -> Variable | None:
        """The GPUs that it sees."""
        return self.environment.get(DEVICES)


def processes(script: Script) -> list[Process]:
    """What a script starts, in order; a script that it has written itself is read where it runs.

    One that it writes and nothing runs counts as run at the end where it only measures, or where
    the script itself neither serves nor measures.
    """
    steps = list(_steps(script))
    found = list(_started_by(steps))
    left = list(_not_run(script, {process.task for process in found}))
    return list(_started_by([*steps, *left])) if left else found


def _started_by(steps: Iterable[Step]) -> Iterator[Process]:
    inside: DockerRun | None = None
    outside: Mapping[str, Located[str | None]] = {}
    for step in merged(opened(steps)):
        files = tuple(step.files.values())
        run = docker_run(step.command, step.environment)
        if run is None:
            own = {
                name: Variable(name, located.value, None, located.place)
                for name, located in step.environment.items()
                # What is set before the container is started is not set in it.
                if outside.get(name) != located
            }
            environment = {**(inside.environment if inside else {}), **own}
            environment |= handed_on(step.command, environment)
            yield Process(_started(step.command), environment, step, inside, files)
        elif run.opens_shell:
            inside, outside = run, step.environment
        else:
            yield from _of_container(run, step)


def _of_container(run: DockerRun, step: Step) -> Iterator[Process]:
    """What the command of a container starts."""
    words = [(word.value, Tree(word.value, word.place)) for word in run.words]
    read = read_commands(words, run.environment, Scope(as_rendered))
    environment = {**run.environment, **read.exports}
    for command in read.commands:
        documents = (*step.files.values(), *read.documents)
        yield Process(command, environment, step, run, documents)


def _steps(script: Script) -> Iterator[Step]:
    """The commands of a script, and in place of a script that it has written those of that."""
    written = _written(script)
    for number, step in enumerate(script.steps, 1):
        content = written.get(os.path.normpath(_script_name(step.command)))
        if content is None:
            yield step
            continue
        values = {name: located.value for name, located in step.environment.items()}
        for inner in read_script(content, values).steps:
            yield replace(
                inner,
                choices=(*step.choices, *_own_choices(inner, number)),
                background=step.background or inner.background,
                counted=step.counted and inner.counted,
            )


def _not_run(script: Script, tasks: set[Task | None]) -> Iterator[Step]:
    """The commands of scripts that a script writes and does not run, beside its own tasks."""
    starts = bool(tasks & {Task.SERVER, Task.WORKER, Task.FRONTEND, Task.BENCHMARK})
    run = {os.path.normpath(_script_name(step.command)) for step in script.steps}
    for number, (name, content) in enumerate(_written(script).items(), len(script.steps) + 1):
        if name in run or not is_script(str(content.value), name):
            continue
        steps = read_script(content, {}).steps
        measures = {task_of((step.command,)) for step in steps} - {None} == {Task.BENCHMARK}
        if measures or not starts:
            yield from (replace(step, choices=_own_choices(step, number)) for step in steps)


def _written(script: Script) -> dict[str, Tree]:
    """The texts that a script writes, by the path of their file."""
    return {
        os.path.normpath(document.target.value): document.content
        for document in script.documents
        if document.target
    }


def _own_choices(step: Step, number: int) -> tuple[tuple[int, int], ...]:
    """The choices of a step in a script that another one writes, with numbers of their own."""
    return tuple((choice + number * MANY, branch) for choice, branch in step.choices)


def _script_name(command: Command) -> str:
    """The script that a command runs: its first word, or what a shell is given."""
    words = [word.value for word in command.words]
    if words[0].rpartition("/")[2] not in SHELLS:
        return words[0]
    return next((word for word in words[1:] if not word.startswith("-")), "")


def _started(command: Command) -> Command:
    """The command that ``env NAME=VALUE ... command`` starts."""
    words = command.words
    if words[0].value.rpartition("/")[2] != "env":
        return command
    at = 1
    while at < len(words) and "=" in words[at].value and not words[at].value.startswith("-"):
        at += 1
    return Command(words[at:]) if at < len(words) else command
