"""Engine YAMLs without the deployment that they belong to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from gptoss.deployment.model import Platform, Role, Runtime
from gptoss.deployment.pods import Pod
from gptoss.facts.programs import SERVE, WORKER
from gptoss.sources.other_models import is_for_another
from gptoss.sources.parts.assembly import Origin, assemble
from gptoss.sources.parts.container import container_of
from gptoss.sources.parts.engine_yaml import EngineYaml, repeated_key, repeated_keys
from gptoss.sources.parts.pod_spec import ReadPod
from gptoss.sources.parts.role_names import role_alone
from gptoss.sources.parts.workers import model_of
from gptoss.text.command import Command
from gptoss.text.errors import InputError
from gptoss.text.places import Located

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.deployment.model import Deployment, Problem, Worker
    from gptoss.facts.world import Facts
    from gptoss.sources.parts.container import Container
    from gptoss.text.places import Place
    from gptoss.text.yaml_tree import Tree

MODEL = "openai/gpt-oss-120b"
"""The model of an engine YAML that names none and shows no sign of another."""

STARTS = {Runtime.DYNAMO: ("python3", "-m", WORKER), Runtime.SERVE: (SERVE, "serve")}


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineFile:
    """An engine YAML and what is said of its worker.

    Attributes:
        name: What the worker is called.
        source: The file it was read from, as the user named it.
        place: Where it is written.
        tree: The engine YAML; None where it is not among what was given.
        role: What the worker does.
        gpus: GPUs of the worker; None for as many as the parallel sizes ask for.
        replicas: How many workers; None for one.
        model: The model that it serves, where something else than the engine YAML says so.
    """

    name: str
    source: str
    place: Place
    tree: Tree | None
    role: Role
    gpus: int | None = None
    replicas: Located[int] | None = None
    model: Located[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the user says of engine files.

    Attributes:
        release: Dynamo release that runs them.
        gpu: Kind of GPU, as ``schema/hardware.yaml`` names it.
    """

    release: str | None = None
    gpu: str | None = None


def build_engine(
    tree: Tree,
    source: str,
    facts: Facts,
    release: str | None = None,
    gpu: str | None = None,
    gpus: int | None = None,
    role: Role | None = None,
) -> Deployment:
    """A deployment of one worker with this engine YAML, of which nothing else is known.

    Its model is the one that it names, else gpt-oss-120b; that of a file which is visibly for
    another model is not known, and what is true of gpt-oss alone is not asked of it.

    Args:
        tree: The engine YAML.
        source: The file it was read from, as the user named it.
        facts: What is known about releases, GPUs, models and engine settings.
        release: Dynamo release that runs it.
        gpu: Kind of GPU, as ``schema/hardware.yaml`` names it.
        gpus: GPUs of the worker; without it as many as the parallel sizes ask for.
        role: What the worker does; without it what the file's name says, else both.

    Raises:
        InputError: The release or the GPU is not known, or ``gpus`` is not positive.
    """
    file = EngineFile(
        name=PurePath(source).stem,
        source=source,
        place=tree.place,
        tree=tree,
        role=role or role_alone(source, tree) or Role.AGGREGATED,
        gpus=gpus,
    )
    return build_engines([file], facts, Told(release=release, gpu=gpu))


def build_engines(
    files: Sequence[EngineFile],
    facts: Facts,
    told: Told,
    runtime: Runtime = Runtime.DYNAMO,
    problems: Sequence[Problem] = (),
) -> Deployment:
    """A deployment of a worker for each engine YAML, of which nothing else is known.

    Args:
        files: The engine YAMLs; several have a role each.
        facts: What is known about releases, GPUs, models and engine settings.
        told: What the user says of them.
        runtime: What reads them.
        problems: What is wrong beside them.

    Raises:
        InputError: The release or the GPU is not known, or ``gpus`` is not positive.
    """
    for file in files:
        if file.gpus is not None and file.gpus < 1:
            raise InputError(f"a worker has at least one GPU, not {file.gpus}")
    sources = list(dict.fromkeys(file.source for file in files))
    origin = Origin(
        name=PurePath(sources[0]).stem,
        place=files[0].place,
        source=" + ".join(sources),
        platform=Platform.KUBERNETES,
        release=told.release,
        gpu=facts.gpu(told.gpu) if told.gpu else None,
    )
    deployment = assemble([_container(file, runtime) for file in files], origin, facts)
    pairs = list(zip(deployment.workers, files, strict=True))
    model = facts.models[MODEL]
    is_ours = not any(is_for_another(worker, file.source, model) for worker, file in pairs)
    workers = tuple(_worker(worker, file, is_ours=is_ours) for worker, file in pairs)
    models = (model_of(worker, facts) for worker in workers)
    return replace(
        deployment,
        workers=workers,
        model=next((model for model in models if model), None),
        problems=(*problems, *deployment.problems),
        engine_only=True,
    )


def _container(file: EngineFile, runtime: Runtime) -> Container:
    command = Command(tuple(Located(word, file.place) for word in STARTS[runtime]))
    repeated = (repeated_key(*found) for found in (repeated_keys(file.tree) if file.tree else ()))
    read = ReadPod(Pod(file.place, commands=(command,)), None, ())
    return replace(
        container_of(file.name, read, file.replicas),
        engine=EngineYaml(file.tree, known=file.tree is not None, problems=tuple(repeated)),
        role=file.role,
    )


def _worker(worker: Worker, file: EngineFile, *, is_ours: bool) -> Worker:
    """The worker with its GPUs, and with our model where nobody names one and none is visible."""
    named = file.model or worker.model
    worker = replace(worker, model=named or (Located(MODEL, file.place) if is_ours else None))
    gpus = file.gpus or (max(worker.ranks, 1) if worker.engine_known else None)
    return on_nodes(worker, gpus) if gpus else worker


def on_nodes(worker: Worker, gpus: int) -> Worker:
    """The worker with this many GPUs, on as few nodes as have them."""
    most = worker.gpu.per_node if worker.gpu else gpus
    nodes = -(-gpus // most)
    home = worker.place
    return replace(
        worker, gpus_per_pod=Located(-(-gpus // nodes), home), nodes=Located(nodes, home)
    )
