"""The shell form: a launch script to run inside the runtime container, or one part of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from posixpath import dirname
from typing import TYPE_CHECKING

from gptoss.deployment.hub import cache_folder
from gptoss.rendering import Rendered
from gptoss.rendering.beside import ARTIFACTS
from gptoss.rendering.containers import ETCD_IMAGE, containers
from gptoss.rendering.sharing import OPEN_FILES, hands_over, shared_gib
from gptoss.rendering.shell_words import ADDRESS, LISTENING, OFFLINE, SCORES, delimiter, word
from gptoss.rendering.templating import environment, one_line
from gptoss.rendering.withheld import notes_on_secrets, secrets_of
from gptoss.text.errors import InputError
from gptoss.text.secrets import is_secret

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gptoss.rendering.containers import Containers
    from gptoss.rendering.one_container import RenderedContainer
    from gptoss.rendering.target import Target

LOOPBACK = "127.0.0.1"
# In a pod that is the pod; on a machine it would be whoever reaches it.
EVERYWHERE = (None, "0.0.0.0", "::")  # noqa: S104 (not listened on)
# The user's own home serves; the chart's is an empty folder of the pod.
LEFT_OUT = ("HOME", "HF_HOME")
NUMBERED = "machine-{}"
JOBS = ("download", "smoke", "bench", "accuracy")


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """What the templates write.

    Attributes:
        containers: The target.
        components: One of the replicas of the frontend and of each worker, in starting order.
        machines: The containers of each machine, the frontend on the first.
        host: Address that the frontend or server listens on unless the user says another.
        snapshot: The model's folder in the cache, as the chart's pods have it.
        grace: Seconds from SIGTERM to SIGKILL.
        shared_memory: Shared memory that the container needs in GiB; 0 when nothing is asked for.
    """

    containers: Containers
    components: tuple[RenderedContainer, ...]
    machines: tuple[tuple[RenderedContainer, ...], ...]
    host: str
    snapshot: str
    grace: int
    shared_memory: int

    @property
    def serving(self) -> list[RenderedContainer]:
        """Every container that serves."""
        return [container for machine in self.machines for container in machine]

    @property
    def parts(self) -> list[str]:
        """What can be started or run alone."""
        jobs = [name for name in JOBS if getattr(self.containers, name)]
        return [*(container.name for container in self.serving), *jobs]


def render_shell(
    target: Target, part: str | None = None, gpus_of_machine: int | None = None
) -> Rendered:
    """A launch script with its engine files and scripts, or one part as a script of its own.

    Args:
        target: The target.
        part: The one part to give.
        gpus_of_machine: GPUs that a machine has, when not as many as its kind of GPU comes in.

    Raises:
        InputError: There is no such part, a worker spans several machines, or several servers
            would listen on one port.
    """
    plan = _plan(target, gpus_of_machine)
    if part is not None:
        return _part(plan, part)
    files = {"launch.sh": _from_template("launch.sh.j2", _context(plan))}
    files |= {f"engine/{name}": text for name, text in plan.containers.engine.items()}
    files |= {f"scripts/{name}": text for name, text in plan.containers.scripts.items()}
    return Rendered(files, tuple(_notes(plan)))


def _plan(target: Target, gpus_of_machine: int | None) -> LaunchPlan:
    found = containers(target, ADDRESS)
    found = replace(
        found,
        gpus_of_machine=gpus_of_machine or found.gpus_of_machine,
        bench=found.bench and _with_tokenizer(found.bench),
        accuracy=found.accuracy and _with_scores(found.accuracy),
    )
    if found.frontend:
        listening = found.frontend
        found = replace(found, frontend=_listening(listening, "--http-"))
    else:
        (listening,) = _servers(found)
        found = replace(found, workers=(_listening(listening, "--"),))
    first = (found.frontend,) if found.frontend else ()
    components = {worker.component: worker for worker in reversed(found.workers)}
    ordered = sorted(components.values(), key=found.workers.index)
    serving = (*first, *found.workers)
    model = target.values["model"]
    folder = f"hub/{cache_folder(model['id'])}/snapshots/{model['revision']}"
    return LaunchPlan(
        containers=found,
        components=(*first, *ordered),
        machines=_machines(first, found),
        host=_host(listening),
        snapshot=f"/opt/models/{folder}",
        grace=max(container.stop_seconds or 0 for container in serving),
        shared_memory=shared_gib(serving),
    )


def _host(listening: RenderedContainer) -> str:
    """The address that the target tells, or this machine's own where it tells none or all."""
    told = listening.value("--http-host") or listening.value("--host")
    return LOOPBACK if told in EVERYWHERE or told is None else told


def _servers(found: Containers) -> tuple[RenderedContainer, ...]:
    """The one server, under the name that its Service has."""
    if len(found.workers) > 1:
        raise InputError(
            f"{found.target}: {len(found.workers)} servers cannot listen on one port of a machine; "
            "set workers.worker.replicas=1, or use --as manifests"
        )
    return tuple(replace(server, name="server", component="server") for server in found.workers)


def _listening(container: RenderedContainer, flag: str) -> RenderedContainer:
    """The frontend or server, listening where the script's variables say."""
    flags = {f"{flag}{name}": variable for name, variable in LISTENING.items()}
    kept = [_without(given, flags) for given in container.flags]
    words = [word for given in (*kept, *flags.items()) for word in given]
    return replace(container, words=(*container.program, *words))


def _without(given: tuple[str, ...], flags: Mapping[str, str]) -> tuple[str, ...]:
    """A flag and the words behind it, without itself and its one value when it is one of some."""
    name, is_joined, _ = given[0].partition("=")
    return given if name not in flags else given[1 if is_joined else 2 :]


def _with_tokenizer(bench: RenderedContainer) -> RenderedContainer:
    """The benchmark, with the caller's word on where its tokenizer comes from."""
    return replace(bench, environment={**bench.environment, OFFLINE: f"${OFFLINE}"})


def _with_scores(accuracy: RenderedContainer) -> RenderedContainer:
    """The evaluation, with its results apart from those of benchmarks."""
    words = (SCORES if word == ARTIFACTS else word for word in accuracy.words)
    return replace(accuracy, words=tuple(words))


def _machines(
    first: tuple[RenderedContainer, ...], found: Containers
) -> tuple[tuple[RenderedContainer, ...], ...]:
    """Containers by machine: each worker goes to the first machine that has room for it.

    Raises:
        InputError: A worker has more GPUs than a machine.
    """
    machines: list[list[RenderedContainer]] = [list(first)]
    used = [0]
    for worker in found.workers:
        need = len(worker.gpus)
        if need > found.gpus_of_machine:
            raise InputError(
                f"{worker.name} takes {need} GPUs, and a machine with {found.gpu_name} has "
                f"{found.gpus_of_machine}; use --as manifests"
            )
        room = [n for n, count in enumerate(used) if count + need <= found.gpus_of_machine]
        if not room:
            machines.append([])
            used.append(0)
        at = room[0] if room else len(used) - 1
        machines[at].append(replace(worker, gpus=tuple(range(used[at], used[at] + need))))
        used[at] += need
    return tuple(tuple(machine) for machine in machines)


def _notes(plan: LaunchPlan) -> list[str]:
    found = plan.containers
    notes = list(notes_on_secrets(found.every))
    if len(plan.machines) == 1:
        return notes
    note = (
        f"{found.target} takes {found.gpus} GPUs, more than a machine with {found.gpu_name} has: "
        f"launch.sh is made for {len(plan.machines)} machines that reach one etcd"
    )
    return [*notes, note]


def _part(plan: LaunchPlan, name: str) -> Rendered:
    """One part with the files that it needs written out inside.

    Raises:
        InputError: There is no such part.
    """
    found = plan.containers
    jobs = {job: getattr(found, job) for job in JOBS}
    choices = {container.name: container for container in plan.serving}
    container = choices.get(name) or jobs.get(name)
    if container is None:
        raise InputError(f"--part {name}: {found.target} has {', '.join(plan.parts)}")
    files = {
        f"{folder}/{file}": text
        for folder, texts in (("engine", found.engine), ("scripts", found.scripts))
        for file, text in texts.items()
        if any(given.endswith(f"/{folder}/{file}") for given in container.words)
    }
    context = _context(plan) | {"container": container, "part": name, "files": files}
    text = _from_template("part.sh.j2", context)
    return Rendered({f"{name}.sh": text}, notes_on_secrets([container]))


def _from_template(name: str, context: Mapping[str, object]) -> str:
    templates = environment()
    templates.filters |= {
        "word": word,
        "function": function,
        "dirname": dirname,
        "delimiter": delimiter,
    }
    return templates.get_template(name).render(context)


def _context(plan: LaunchPlan) -> dict[str, object]:
    found = plan.containers
    return {
        "plan": found,
        "shell": plan,
        "title": one_line(found.description or found.target),
        "slug": re.sub(r"[^\w.+-]+", "-", found.target).strip("-"),
        "url": ADDRESS,
        "variables": variables,
        "lines": lines,
        "secrets": secrets_of,
        "machine": NUMBERED.format,
        "etcd_image": ETCD_IMAGE,
        "open_files": OPEN_FILES,
        "hands_over": hands_over(found),
    }


def variables(container: RenderedContainer) -> Mapping[str, str]:
    """Variables that the script gives a process, as words; secrets are the caller's own."""
    given = {n: value for n, value in container.environment.items() if n not in LEFT_OUT}
    return {n: f'"${n}"' if is_secret(n, value) else word(value) for n, value in given.items()}


def lines(container: RenderedContainer) -> Sequence[str]:
    """The words of a command, the program on the first line and then a line a flag."""
    found = [" ".join(word(w) for w in container.program)]
    return found + [" ".join(word(w) for w in flag) for flag in container.flags]


def function(container: RenderedContainer) -> str:
    """The function that runs a component."""
    return "run_" + re.sub(r"\W", "_", container.component)
