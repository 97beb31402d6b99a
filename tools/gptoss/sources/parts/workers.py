"""Workers: components that run ``dynamo.trtllm``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.command_lines.arguments import unresolved
from gptoss.command_lines.dialects import read_command
from gptoss.deployment.hub import cache_folder
from gptoss.deployment.model import PARALLEL_SIZES, Role
from gptoss.facts.programs import WORKER, taken_for
from gptoss.precedence.dynamo import OVERRIDE, engine_settings, override_problem
from gptoss.sources.parts.commands import module_command
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
    from gptoss.sources.parts.container import Container
    from gptoss.sources.parts.pod_spec import ReadPod
    from gptoss.sources.parts.reading import Scope
    from gptoss.text.places import Place
    from gptoss.text.yaml_tree import Tree

GPU_LABEL = "nvidia.com/gpu.product"
DEFAULT_NODES = 2
ROLES = {
    "prefill": Role.PREFILL,
    "decode": Role.DECODE,
    "prefill_and_decode": Role.AGGREGATED,
    "agg": Role.AGGREGATED,
    "pd": Role.AGGREGATED,
}


@dataclass(frozen=True, slots=True)
class Served:
    """What a program makes of its command line, its variables and its engine YAML.

    Attributes:
        command, role, engine, engine_file, engine_known, model, served_name: As in
            :class:`gptoss.deployment.model.Worker`; model and name where they are written.
        problems: What is wrong with them.
    """

    arguments: Arguments
    role: Role
    engine: Settings
    engine_file: Located[str] | None
    engine_known: bool
    model: Located[str] | None
    served_name: Located[str] | None
    problems: tuple[Problem, ...]


def read_worker(
    container: Container,
    read: ReadPod,
    scope: Scope,
    config_maps: Mapping[str, Tree],
    facts: Facts,
    release: Release | None,
) -> Served:
    """What ``dynamo.trtllm`` makes of a container.

    Raises:
        InputError: A field has a shape that the API server or the engine would refuse.
        LookupError: The container does not run ``dynamo.trtllm``.
    """
    command = module_command(read.pod.commands, WORKER)
    if command is None:
        raise LookupError(f"{container.name} does not run {WORKER}")
    program = taken_for(WORKER, release.version if release else "", facts)
    arguments = read_command(program, command, read.pod.environment)
    file = arguments["--extra-engine-args"].located
    yaml = container.engine or engine_yaml(file, read, config_maps, scope)
    home = scope.at("engine", yaml.tree.where) if yaml.tree else read.pod.place
    engine = engine_settings(arguments, yaml.tree, home, facts, scope.engine, release)
    problem = override_problem(arguments)
    override = arguments[OVERRIDE].text or ""
    known = yaml.known and arguments.complete and not unresolved(override)
    return Served(
        arguments=arguments,
        role=_role(container, arguments["--disaggregation-mode"].located),
        engine=engine,
        engine_file=file,
        engine_known=known and has_known_sizes(engine),
        model=_model(arguments, engine),
        served_name=arguments["--served-model-name"].located,
        problems=(*yaml.problems, *([problem] if problem else [])),
    )


def has_known_sizes(engine: Settings) -> bool:
    """Whether it is known how many GPUs the engine takes: nothing that tells is left to a shell."""
    values = (engine.text(key) for key in (*PARALLEL_SIZES, "enable_attention_dp"))
    return not any(value and unresolved(value) for value in values)


def model_of(worker: Worker, facts: Facts) -> Model | None:
    """Facts about the model that a worker serves, by its id, its cache folder or its last name."""
    for located in (worker.model, worker.served_name):
        if located is None:
            continue
        parts = located.value.rstrip("/").split("/")
        for name, model in facts.models.items():
            if (
                located.value == name
                or cache_folder(name) in parts
                or parts[-1] == name.rpartition("/")[2]
            ):
                return model
    return None


def _role(container: Container, mode: Located[str] | None) -> Role:
    """What a worker does: from its flag, else from the type that the operator knows it by."""
    if container.role is not None:
        return container.role
    if mode is not None:
        return ROLES.get(mode.value, Role.AGGREGATED)
    for tree in (container.sub_type, container.type):
        if (kind := string(tree, "the type of a component")) in (Role.PREFILL, Role.DECODE):
            return Role(kind)
    return Role.AGGREGATED


def nodes_of(multinode: Tree | None, home: Place, scope: Scope) -> Located[int]:
    """Nodes of one replica; ``home`` is where it begins."""
    block = a_map(multinode, "multinode")
    if block is None:
        return Located(1, scope.at("node_count", home))
    count = scope.whole("node_count", block.at("nodeCount"), "nodeCount")
    return count or Located(DEFAULT_NODES, scope.at("node_count", block.where))


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
