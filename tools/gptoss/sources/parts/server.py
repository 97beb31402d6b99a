"""Servers: containers that run ``trtllm-serve``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.command_lines.dialects import read_command
from gptoss.deployment.model import Role
from gptoss.facts.programs import SERVE, taken_for
from gptoss.precedence.serve import serve_settings
from gptoss.sources.parts.engine_yaml import engine_yaml
from gptoss.sources.parts.releases import tag_of
from gptoss.sources.parts.workers import Served, has_known_sizes
from gptoss.text.command import Command
from gptoss.text.places import Located

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gptoss.facts.world import Facts, Release
    from gptoss.sources.parts.container import Container
    from gptoss.sources.parts.pod_spec import ReadPod
    from gptoss.sources.parts.reading import Scope
    from gptoss.text.yaml_tree import Tree

PROGRAM = "trtllm-serve"
MODULE = "tensorrt_llm.commands.serve"
OTHER_COMMANDS = ("disaggregated", "disaggregated_mpi_worker", "mm_embedding_serve", "grpc")
CONFIG = "--config"
SERVED_NAME = "--served_model_name"
# Programs that take the name of another program without starting it.
MENTIONING = ("echo", "printf", "which", "type", "command", "hash", "pkill", "pgrep", "grep", "pip")


def read_server(
    container: Container,
    read: ReadPod,
    scope: Scope,
    config_maps: Mapping[str, Tree],
    facts: Facts,
    release: Release | None,
) -> Served:
    """What ``trtllm-serve`` makes of a container.

    Args:
        container: The container.
        read: Its pod.
        scope: The worker.
        config_maps: ConfigMaps by name.
        facts: What is known about releases, GPUs, models and engine settings.
        release: The Dynamo release that ships the same TensorRT-LLM, if one is known.

    Raises:
        InputError: The engine YAML has a shape that the engine would refuse.
        LookupError: The container does not run ``trtllm-serve``.
    """
    command = server_command(read.pod.commands)
    if command is None:
        raise LookupError(f"{container.name} does not run {PROGRAM}")
    image = read.pod.image
    version = release.trtllm if release else tag_of(image.value if image else "")
    arguments = read_command(taken_for(SERVE, version, facts), command, read.pod.environment)
    file = arguments[CONFIG].located
    yaml = container.engine or engine_yaml(file, read, config_maps, scope)
    home = scope.at("engine", yaml.tree.where) if yaml.tree else read.pod.place
    engine = serve_settings(version, arguments, yaml.tree, home, facts, scope.engine)
    named = engine["model"]
    model = next(iter(arguments.words), None)
    if isinstance(named.value, str) and named.is_set:
        model = Located(named.value, named.place)
    return Served(
        arguments=arguments,
        role=container.role or Role.AGGREGATED,
        engine=engine,
        engine_file=file,
        engine_known=yaml.known and arguments.complete and has_known_sizes(engine),
        model=model,
        served_name=arguments[SERVED_NAME].located or _last_part(model),
        problems=yaml.problems,
    )


def server_command(commands: Iterable[Command]) -> Command | None:
    """The first command that serves a model with ``trtllm-serve``, from its name on.

    What starts it (``mpirun``, ``trtllm-llmapi-launch``, ``python3 -m``) is left out. Its other
    sub-commands serve no model of their own.
    """
    for command in commands:
        if command.words[0].value.rpartition("/")[2] in MENTIONING:
            continue
        for position, word in enumerate(command.words[:-1]):
            is_program = word.value.rpartition("/")[2] == PROGRAM
            is_module = word.value == MODULE and command.words[position - 1].value == "-m"
            following = command.words[position + 1].value
            if (is_program or is_module) and following not in OTHER_COMMANDS:
                return Command(command.words[position:])
    return None


def _last_part(model: Located[str] | None) -> Located[str] | None:
    """The public name of a folder: its own name; of a repository the id is.

    Source: NVIDIA/TensorRT-LLM ``tensorrt_llm/serve/openai_server.py`` (``model_dir.name``).
    """
    if model is None or not model.value.startswith(("/", ".", "~")):
        return None
    return Located(model.value.rstrip("/").rpartition("/")[2], model.place)
