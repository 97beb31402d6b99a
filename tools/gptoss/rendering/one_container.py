"""A container to start, made from a pod of the chart."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.deployment.model import Role
    from gptoss.deployment.pods import Pod

SHARED_MEMORY = "/dev/shm"  # noqa: S108 (where it is mounted)


@dataclass(frozen=True, slots=True)
class RenderedContainer:
    """A container to start.

    Attributes:
        name: Its name: that of the worker, or ``server`` under trtllm-serve, with a number when
            there are several replicas.
        component: Name of the worker or component, without the number.
        image: Its image.
        words: Program and arguments.
        environment: Its variables; those from Secrets are left out.
        gpus: Numbers of its GPUs on the machine.
        shared_memory: Size of /dev/shm as a Kubernetes quantity; None for the default.
        scratch: Folders that it writes to and that nobody keeps.
        stop_seconds: Seconds from SIGTERM to SIGKILL.
        labels: What the benchmark is annotated with.
        role: What a worker does.
    """

    name: str
    component: str
    image: str
    words: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    gpus: tuple[int, ...] = ()
    shared_memory: str | None = None
    scratch: tuple[str, ...] = ()
    stop_seconds: int | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    role: Role | None = None

    @property
    def program(self) -> tuple[str, ...]:
        """The words before the first ``--flag``."""
        first = next((n for n, word in enumerate(self.words) if word.startswith("--")), None)
        return self.words[:first]

    @property
    def flags(self) -> list[tuple[str, ...]]:
        """The words after the program, each flag with its values."""
        found: list[tuple[str, ...]] = []
        for word in self.words[len(self.program) :]:
            if word.startswith("--") or not found:
                found.append((word,))
            else:
                found[-1] = (*found[-1], word)
        return found

    def value(self, flag: str) -> str | None:
        """What the command line gives a flag with one value, after it or after ``=``."""
        for name, *values in self.flags:
            before, _, after = name.partition("=")
            if before == flag:
                return after or next(iter(values), None)
        return None


def container_from(name: str, pod: Pod) -> RenderedContainer:
    """The container of a pod, as the chart writes it: an image and words, no shell."""
    words = pod.commands[0].words if pod.commands else ()
    return RenderedContainer(
        name=name,
        component=name,
        image=pod.image.value if pod.image else "",
        words=tuple(word.value for word in words),
        environment={
            variable.name: variable.value
            for variable in pod.environment.values()
            if variable.value is not None
        },
        shared_memory=pod.shared_memory.value if pod.shared_memory else None,
        scratch=tuple(
            mount.path
            for mount in pod.mounts
            if not mount.claim and not mount.config_map and mount.path != SHARED_MEMORY
        ),
        stop_seconds=pod.termination_grace.value if pod.termination_grace else None,
    )
