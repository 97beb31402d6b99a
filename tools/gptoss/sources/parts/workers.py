"""Workers: components that run ``dynamo.trtllm``."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from gptoss.command_lines.dialects import read_command
from gptoss.deployment.model import Role
from gptoss.facts.programs import WORKER, taken_for
from gptoss.precedence.dynamo import engine_settings, override_problem
from gptoss.sources.parts.engine_yaml import engine_yaml
from gptoss.sources.parts.reading import a_map, string
from gptoss.text.places import Located

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.command_lines.arguments import Arguments
    from gptoss.deployment.model import Problem, Worker
    from gptoss.deployment.pods import Pod
    from gptoss.deployment.settings import Settings
    from gptoss.facts.world import Facts, Gpu, Model, Release
    from gptoss.sources.parts.part import Part
    from gptoss.sources.parts.pod_spec import ReadPod
    from gptoss.sources.parts.reading import Scope
    from gptoss.text.command import Command
    from gptoss.text.yaml_tree import Tree

MODULE = "dynamo.trtllm"
GPU_LABEL = "nvidia.com/gpu.product"
DEFAULT_NODES = 2
SNAPSHOT_PREFIX = "models--"
ROLES = {
    "prefill": Role.PREFILL,
    "decode": Role.DECODE,
    "prefill_and_decode": Role.AGGREGATED,
    "agg": Role.AGGREGATED,
    "pd": Role.AGGREGATED,
}


class WorkerFields(TypedDict):
    """The fields that a worker has beyond those of a component."""

    arguments: Arguments
    role: Role
    gpus_per_pod: Located[int] | None
    nodes: Located[int]
    engine: Settings
    engine_file: Located[str] | None
    engine_known: bool
    gpu: Gpu | None
    model: Located[str] | None
    served_name: Located[str] | None


def read_worker(
    part: Part,
    read: ReadPod,
    command: Command,
    scope: Scope,
    config_maps: Mapping[str, Tree],
    facts: Facts,
    release: Release | None,
) -> tuple[WorkerFields, list[Problem]]:
    """What makes a component a worker, and what is wrong with its engine settings.

    Raises:
        InputError: A field has a shape that the API server or the engine would refuse.
    """
    program = taken_for(WORKER, release.version if release else "", facts)
    arguments = read_command(program, command, read.pod.environment)
    file = arguments["--extra-engine-args"].located
    yaml = engine_yaml(file, read, config_maps, scope)
    home = scope.at("engine", yaml.tree.where) if yaml.tree else read.pod.place
    engine = engine_settings(arguments, yaml.tree, home, facts, scope.engine, release)
    problem = override_problem(arguments)
    fields = WorkerFields(
        arguments=arguments,
        role=_role(part, arguments["--disaggregation-mode"].located),
        gpus_per_pod=read.gpus,
        nodes=_nodes(part, scope),
        engine=engine,
        engine_file=file,
        engine_known=yaml.known,
        gpu=gpu_of(read.pod, facts),
        model=scope.moved("model", _model(arguments, engine)),
        served_name=scope.moved("served_name", arguments["--served-model-name"].located),
    )
    return fields, [*yaml.problems, *([problem] if problem else [])]


def model_of(worker: Worker, facts: Facts) -> Model | None:
    """Facts about the model that a worker serves, by its id, its cache folder or its last name."""
    for located in (worker.model, worker.served_name):
        if located is None:
            continue
        parts = located.value.rstrip("/").split("/")
        for name, model in facts.models.items():
            folder = SNAPSHOT_PREFIX + name.replace("/", "--")
            if located.value == name or folder in parts or parts[-1] == name.rpartition("/")[2]:
                return model
    return None


def _role(part: Part, mode: Located[str] | None) -> Role:
    """What a worker does: from its flag, else from the type that the operator knows it by."""
    if mode is not None:
        return ROLES.get(mode.value, Role.AGGREGATED)
    for tree in (part.sub_type, part.type):
        if (kind := string(tree, "the type of a component")) in (Role.PREFILL, Role.DECODE):
            return Role(kind)
    return Role.AGGREGATED


def _nodes(part: Part, scope: Scope) -> Located[int]:
    multinode = a_map(part.tree.at("multinode"), "multinode")
    if multinode is None:
        return Located(1, scope.at("node_count", part.tree.where))
    count = scope.whole("node_count", multinode.at("nodeCount"), "nodeCount")
    return count or Located(DEFAULT_NODES, scope.at("node_count", multinode.where))


def gpu_of(pod: Pod, facts: Facts) -> Gpu | None:
    """The GPU that the placement asks for, when every label it allows means the same."""
    for asked in pod.nodes:
        if asked.key == GPU_LABEL and asked.required and asked.operator == "In":
            gpus = [facts.gpu_of(value) for value in asked.values]
            if gpus and all(gpu == gpus[0] for gpu in gpus):
                return gpus[0]
    return None


def _model(arguments: Arguments, engine: Settings) -> Located[str] | None:
    named = engine["model"]
    if isinstance(named.value, str) and named.is_set:
        return Located(named.value, named.place)
    return arguments["--model-path"].located
