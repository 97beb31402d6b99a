"""An engine YAML without the deployment that it belongs to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from gptoss.deployment.model import Role
from gptoss.deployment.pods import Pod
from gptoss.facts.programs import WORKER
from gptoss.sources.other_models import is_for_another
from gptoss.sources.parts.assembly import Origin, assemble
from gptoss.sources.parts.container import container_of
from gptoss.sources.parts.engine_yaml import EngineYaml, repeated_key, repeated_keys
from gptoss.sources.parts.pod_spec import ReadPod
from gptoss.sources.parts.workers import model_of
from gptoss.text.command import Command
from gptoss.text.errors import InputError
from gptoss.text.places import Located

if TYPE_CHECKING:
    from gptoss.deployment.model import Deployment, Worker
    from gptoss.facts.world import Facts
    from gptoss.text.places import Place
    from gptoss.text.yaml_tree import Tree

MODEL = "openai/gpt-oss-120b"
"""The model of an engine YAML that names none and shows no sign of another."""

SPLIT_ROLES = (Role.PREFILL, Role.DECODE)


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
    if gpus is not None and gpus < 1:
        raise InputError(f"a worker has at least one GPU, not {gpus}")
    home, stem = tree.place, PurePath(source).stem
    command = Command(tuple(Located(word, home) for word in ("python3", "-m", WORKER)))
    repeated = tuple(repeated_key(key, place) for key, place in repeated_keys(tree))
    container = replace(
        container_of(stem, ReadPod(Pod(home, commands=(command,)), None, ())),
        engine=EngineYaml(tree, known=True, problems=repeated),
    )
    origin = Origin(
        name=stem, place=home, source=source, release=release, gpu=facts.gpu(gpu) if gpu else None
    )
    deployment = assemble([container], origin, facts)
    (worker,) = deployment.workers
    worker = replace(
        worker,
        role=role or next((r for r in SPLIT_ROLES if r in stem), Role.AGGREGATED),
        model=worker.model or _model(worker, source, facts, home),
    )
    worker = on_nodes(worker, gpus or worker.ranks)
    return replace(deployment, workers=(worker,), model=model_of(worker, facts), engine_only=True)


def _model(worker: Worker, source: str, facts: Facts, home: Place) -> Located[str] | None:
    """The model of an engine YAML that names none; None where it is visibly for another."""
    return None if is_for_another(worker, source, facts.models[MODEL]) else Located(MODEL, home)


def on_nodes(worker: Worker, gpus: int) -> Worker:
    """The worker with this many GPUs, on as few nodes as have them."""
    most = worker.gpu.per_node if worker.gpu else gpus
    nodes = -(-gpus // most)
    home = worker.place
    return replace(
        worker, gpus_per_pod=Located(-(-gpus // nodes), home), nodes=Located(nodes, home)
    )
