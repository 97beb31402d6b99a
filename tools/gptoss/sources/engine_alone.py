"""An engine YAML without the deployment that it belongs to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from gptoss.command_lines.dialects import read_command
from gptoss.deployment.model import Deployment, Role, Worker
from gptoss.deployment.pods import Pod
from gptoss.facts.programs import taken_for
from gptoss.precedence.dynamo import engine_settings
from gptoss.sources.parts.engine_yaml import repeated_key, repeated_keys
from gptoss.sources.parts.reading import as_rendered
from gptoss.sources.parts.workers import MODULE, model_of
from gptoss.text.command import Command
from gptoss.text.errors import InputError
from gptoss.text.places import Located

if TYPE_CHECKING:
    from gptoss.facts.world import Facts
    from gptoss.text.yaml_tree import Tree

MODEL = "openai/gpt-oss-120b"
"""The model of an engine YAML that names none."""

SPLIT_ROLES = (Role.PREFILL, Role.DECODE)


def is_engine_yaml(tree: Tree, facts: Facts) -> bool:
    """Whether a document is an engine YAML: a map of engine settings, and no Kubernetes object.

    Half of its keys have to be known, so that a misspelt one does not hide the others.
    """
    if not tree.is_map or not tree.value or {"apiVersion", "kind"} & tree.value.keys():
        return False
    known = facts.engine_fields.keys() | facts.engine["stale_keys"].keys()
    return 2 * len(tree.value.keys() & known) >= len(tree.value)


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
    chosen = facts.release(release) if release else None
    kind = facts.gpu(gpu) if gpu else None
    if gpus is not None and gpus < 1:
        raise InputError(f"a worker has at least one GPU, not {gpus}")
    home, stem = tree.place, PurePath(source).stem
    command = Command(tuple(Located(word, home) for word in ("python3", "-m", MODULE)))
    arguments = read_command(
        taken_for(MODULE, chosen.version if chosen else "", facts), command, {}
    )
    engine = engine_settings(arguments, tree, home, facts, as_rendered, chosen)
    named = engine.text("model")
    worker = Worker(
        name=stem,
        place=home,
        type=None,
        sub_type=None,
        replicas=None,
        ignored={},
        runtime_version=None,
        pod=Pod(home, commands=(command,)),
        arguments=arguments,
        role=role or next((r for r in SPLIT_ROLES if r in stem), Role.AGGREGATED),
        gpus_per_pod=None,
        nodes=Located(1, home),
        engine=engine,
        engine_file=None,
        engine_known=True,
        gpu=kind,
        model=Located(named, engine["model"].place) if named else Located(MODEL, home),
        served_name=None,
    )
    worker = on_nodes(worker, gpus or worker.ranks)
    return Deployment(
        name=stem,
        place=home,
        source=source,
        api_version=Located("", home),
        release=chosen,
        release_place=home,
        model=model_of(worker, facts),
        frontend=None,
        workers=(worker,),
        problems=tuple(repeated_key(key, place) for key, place in repeated_keys(tree)),
        engine_only=True,
    )


def on_nodes(worker: Worker, gpus: int) -> Worker:
    """The worker with this many GPUs, on as few nodes as have them."""
    most = worker.gpu.per_node if worker.gpu else gpus
    nodes = -(-gpus // most)
    home = worker.place
    return replace(
        worker, gpus_per_pod=Located(-(-gpus // nodes), home), nodes=Located(nodes, home)
    )
