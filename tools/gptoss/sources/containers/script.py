"""A deployment out of a shell script, a command line, or a ``docker run`` line.

The script is read from top to bottom without being run: branches count as if run once, loops for
each value that is known, functions where they are called. A process that branches start in the same
way counts once; the same command on other GPUs is a replica. What is not known stays as it is
written: the output of commands (``$(...)``), variables that the caller sets, and arguments of the
script (without any given, so that ``${1:-all}`` is ``all``). Files that the script fetches or other
scripts that it runs are not read.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gptoss.deployment.model import Platform, Role
from gptoss.deployment.pods import Mount, Pod
from gptoss.sources.containers.build import deployment_of
from gptoss.sources.containers.isolation import of_run
from gptoss.sources.containers.named_files import NamedFiles, whole_document
from gptoss.sources.containers.processes import Process, processes
from gptoss.sources.containers.script_files import Beside, Files
from gptoss.sources.containers.script_group import read_together
from gptoss.sources.engine_alone import Told, on_nodes
from gptoss.sources.engines_together import build_servers
from gptoss.sources.parts.assembly import Origin
from gptoss.sources.parts.container import Task, container_of
from gptoss.sources.parts.disaggregated import disaggregated
from gptoss.sources.parts.jobs import benchmark_of
from gptoss.sources.parts.pod_spec import ReadPod
from gptoss.sources.parts.reading import Scope, as_rendered
from gptoss.sources.parts.role_names import role_in
from gptoss.sources.parts.server_roles import Started, not_started, roles_of
from gptoss.sources.recognise import is_disaggregated
from gptoss.text.places import Located, Place
from gptoss.text.yaml_tree import Tree, parse_embedded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gptoss.deployment.jobs import Benchmark
    from gptoss.deployment.model import Deployment, Worker
    from gptoss.facts.world import Facts
    from gptoss.sources.containers.docker_run import DockerRun
    from gptoss.sources.containers.script_group import GivenScript
    from gptoss.sources.parts.container import Container
    from gptoss.text.command import Variable

HEAD = re.compile(r"(?m)^# gptoss:((?: \w+=\S+)+)[ \t]*$")

# What does not make the script of a benchmark one that serves.
BESIDE_A_BENCHMARK = (None, Task.DOWNLOAD, Task.ACCURACY)


def build_script(
    scripts: Sequence[GivenScript],
    facts: Facts,
    release: str | None = None,
    gpu: str | None = None,
    gpus: int | None = None,
    beside: Beside | None = None,
) -> Deployment:
    """The deployment that a script starts, or several that are run one after the other.

    A worker's GPUs are those that it sees (``CUDA_VISIBLE_DEVICES``), else those of its container,
    else ``gpus``, else as many as its parallel sizes ask for.

    Args:
        scripts: The scripts, in the order in which they are run.
        facts: What is known about releases, GPUs, models and engine settings.
        release: Dynamo release that runs it, where neither image nor script says so.
        gpu: Kind of GPU, as ``schema/hardware.yaml`` names it.
        gpus: GPUs of a worker that says nothing about its own.
        beside: Files given along with it.

    Raises:
        InputError: It starts no model, the release or GPU is not known, or an engine file cannot
            be read.
    """
    main = next((script for script in scripts if script.kinds), scripts[0])
    script = read_together(scripts)
    told = dict(pair.split("=", 1) for given in scripts for pair in _head(given.text))
    started = main.started if len(scripts) == 1 else processes(script)
    kind = gpu or told.get("gpu")
    origin = Origin(
        name=told.get("target") or Path(main.name).stem,
        place=Place(main.name),
        source=" + ".join(given.name for given in scripts),
        platform=Platform.CONTAINERS,
        release=release or told.get("release"),
        gpu=facts.gpu(kind) if kind else None,
    )
    along = beside or Beside()
    files = Files(
        script.documents,
        NamedFiles(Path(main.name).parent),
        {name: whole_document(text, name) for name, text in along.engines.items()},
        {name: whole_document(text, name) for name, text in along.servers.items()},
        along.by_folder,
    )
    servers = _servers(started, files)
    if servers and not main.kinds:
        return build_servers(
            servers, origin.source, (), facts, Told(release=origin.release, gpu=kind)
        )
    read = disaggregated(servers) if servers else None
    serving = [
        Started(id(each), each.name, each.command, each.environment)
        for each in started
        if each.task is Task.SERVER
    ]
    roles = roles_of(serving, read.servers if read else ())
    deployment = deployment_of(list(_containers(started, files, gpus, roles)), origin, facts)
    return replace(
        deployment,
        workers=tuple(_with_gpus(worker) for worker in deployment.workers),
        problems=(
            *deployment.problems,
            *files.named.problems,
            *(read.problems if read else ()),
            *(not_started(serving, read.servers) if read else ()),
        ),
    )


def _servers(started: Sequence[Process], files: Files) -> Tree | None:
    """The configuration that the script gives ``trtllm-serve disaggregated``."""
    for process in started:
        run = process.container
        document = files.servers_of(process, run.folders if run else {})
        tree = parse_embedded(document.content) if document and document.known else None
        if tree and is_disaggregated(tree):
            return tree
    return None


def build_workload(given: GivenScript) -> Benchmark | None:
    """The benchmark of a script that starts a load generator and no model; None of others.

    Args:
        given: The script.

    Raises:
        InputError: The concurrencies of a sweep are no numbers.
    """
    started = [process for process in given.started if process.task not in BESIDE_A_BENCHMARK]
    if {process.task for process in started} != {Task.BENCHMARK}:
        return None
    (container,) = _containers(started, Files((), NamedFiles(Path(given.name).parent)), None, {})
    scope = Scope(as_rendered)
    found = benchmark_of(container.name, container.read(scope).pod, scope)
    return replace(found, is_job=False)


def _head(text: str) -> list[str]:
    match = HEAD.search(text)
    return match.group(1).split() if match else []


def _containers(
    started: Sequence[Process], files: Files, gpus: int | None, roles: Mapping[int, Role]
) -> Iterator[Container]:
    """Processes that matter, each kind of replica once, under names that are their own."""
    kinds: dict[tuple[object, ...], list[tuple[int, Process]]] = {}
    turn = 0
    for process in started:
        turn += process.stops_others
        if process.task:
            role = roles.get(id(process))
            likeness = (role, *process.likeness_as_server) if role else process.likeness
            kinds.setdefault(likeness, []).append((turn, process))
    runs = list({id(process.container): process.container for process in started}.values())
    names: set[str] = set()
    for turns in kinds.values():
        alike = [process for _, process in turns]
        first = alike[0]
        role = roles.get(id(first))
        name = _unused(role if role and not role_in(first.name) else first.name, names)
        names.add(name)
        count = _at_once(turns)
        replicas = Located(count, first.command.place) if count > 1 else None
        counted = all(process.step.counted or not process.step.background for process in alike)
        read = _apart(_read(alike, files, gpus, role), first, runs)
        yield replace(container_of(name, read, replicas, counted=counted), role=role)


def _at_once(turns: Sequence[tuple[int, Process]]) -> int:
    """How many of some processes run at once: those between two stops, one of each choice.

    What does not run in the background is started by hand, once on each of its GPUs.
    """
    most = 1
    for turn in {turn for turn, _ in turns}:
        together: list[Process] = []
        for own, process in turns:
            if own == turn and not any(process.step.excludes(p.step) for p in together):
                together.append(process)
        waiting = [p for p in together if not p.step.background]
        seen = {p.devices.value if p.devices else None for p in waiting}
        most = max(most, len(together) - len(waiting) + len(seen))
    return most


def _unused(name: str, names: set[str]) -> str:
    number, found = 2, name
    while found in names:
        found, number = f"{name}-{number}", number + 1
    return found


def _read(alike: Sequence[Process], files: Files, gpus: int | None, role: Role | None) -> ReadPod:
    process = alike[0]
    run, place = process.container, process.command.place
    steps = tuple(each.command for each in alike) if process.task is Task.BENCHMARK else ()
    pod = Pod(
        place=place,
        image=run.image if run else None,
        commands=steps or (process.command,),
        environment=process.environment,
        mounts=run.mounts if run else (_whole_machine(place),),
        shared_memory=run.shared_memory if run else None,
        privileged=run.privileged if run else None,
        root=run.root if run else None,
        capabilities=run.capabilities if run else (),
    )
    asked = Located(gpus, place) if gpus else None
    found = _visible(process.devices) or (run.gpus if run else None) or asked
    roles = {each.value: each for each in Role}
    documents = files.named_by(process, run.folders if run else {}, role or roles.get(process.kind))
    return ReadPod(pod, found, documents)


def _apart(read: ReadPod, process: Process, runs: Sequence[DockerRun | None]) -> ReadPod:
    """The pod with what its container shares with the others of the script."""
    run = process.container
    if run is None:
        return read
    number = next(at for at, other in enumerate(runs) if other is run)
    name = run.name.value if run.name else f"container {number}"
    visible = process.devices.value if process.devices else None
    return replace(read, pod=replace(read.pod, isolation=of_run(run, name, visible)))


def _whole_machine(place: Place) -> Mount:
    """The file system of a process in no container, which keeps whatever is written to it."""
    return Mount("/", None, None, read_only=False, sub_path=None, place=place)


def _visible(devices: Variable | None) -> Located[int] | None:
    """How many GPUs a process sees."""
    if devices is None or devices.value is None:
        return None
    return Located(len([d for d in devices.value.split(",") if d.strip()]), devices.place)


def _with_gpus(worker: Worker) -> Worker:
    """The worker with as many GPUs as its parallel sizes ask for, where nothing says how many."""
    if worker.gpus_per_pod or not worker.engine_known or not worker.counted:
        return worker
    return on_nodes(worker, worker.ranks)
