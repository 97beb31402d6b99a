"""A deployment of ``trtllm-serve``, out of the container that runs it.

Every source that finds such a container, a Kubernetes Deployment, a compose service, a script or a
``docker run`` line, describes it as a :class:`Server` and gets the whole deployment from
:func:`serve_deployment`; what stands beside the container (benchmark, downloads, claims, Services)
is added with ``dataclasses.replace``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.command_lines.dialects import read_command
from gptoss.deployment.model import Deployment, Role, Runtime, Worker
from gptoss.facts.programs import SERVE, taken_for
from gptoss.precedence.serve import serve_settings
from gptoss.sources.parts.releases import release_of_server, tag_of
from gptoss.sources.parts.workers import gpu_of, model_of
from gptoss.text.command import Command
from gptoss.text.errors import InputError
from gptoss.text.places import Located

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gptoss.facts.world import Facts, Gpu
    from gptoss.sources.parts.engine_yaml import EngineYaml
    from gptoss.sources.parts.pod_spec import ReadPod
    from gptoss.sources.parts.reading import Scope

PROGRAM = "trtllm-serve"
MODULE = "tensorrt_llm.commands.serve"
OTHER_COMMANDS = ("disaggregated", "disaggregated_mpi_worker", "mm_embedding_serve", "grpc")
CONFIG = "--config"
SERVED_NAME = "--served_model_name"
# Programs that take the name of another program without starting it.
MENTIONING = ("echo", "printf", "which", "type", "command", "hash", "pkill", "pgrep", "grep", "pip")


@dataclass(frozen=True, slots=True)
class Server:
    """A container that runs ``trtllm-serve``.

    Attributes:
        name: Name of the worker, as the user knows it.
        read: Its pod with its GPUs.
        scope: Path and locator of the worker; :func:`~gptoss.sources.parts.reading.as_rendered`
            shows every place where it stands.
        engine: Gives the engine YAML at the path that ``--config`` names; the path is None where
            the command names none.
        replicas: How many of them; None for one.
        gpu: Its kind of GPU, where the placement of its pod does not tell.
    """

    name: str
    read: ReadPod
    scope: Scope
    engine: Callable[[Located[str] | None], EngineYaml]
    replicas: Located[int] | None = None
    gpu: Gpu | None = None


def serve_deployment(
    server: Server, source: str, facts: Facts, release: str | None = None
) -> Deployment:
    """The deployment of a container that runs ``trtllm-serve``.

    Args:
        server: The container.
        source: What it was read from, as the user named it.
        facts: What is known about releases, GPUs, models and engine settings.
        release: Dynamo release to take it for, instead of the one that ships the image's
            TensorRT-LLM.

    Raises:
        InputError: No command of the container runs ``trtllm-serve``, or the release is not known.
    """
    command = server_command(server.read.pod.commands)
    if command is None:
        raise InputError(f"{server.name} does not run {PROGRAM}", server.read.pod.place)
    image = server.read.pod.image
    reference = image.value if image else ""
    chosen = facts.release(release) if release else release_of_server(reference, facts)
    version = chosen.trtllm if chosen else tag_of(reference)
    scope = server.scope
    environment = server.read.pod.environment
    arguments = read_command(taken_for(SERVE, version, facts), command, environment)
    file = arguments[CONFIG].located
    yaml = server.engine(file)
    home = scope.at("engine", yaml.tree.where) if yaml.tree else server.read.pod.place
    engine = serve_settings(version, arguments, yaml.tree, home, facts, scope.engine)
    named = engine["model"]
    model = next(iter(arguments.words), None)
    if isinstance(named.value, str) and named.is_set:
        model = Located(named.value, named.place)
    worker = Worker(
        name=server.name,
        place=server.read.pod.place,
        type=None,
        sub_type=None,
        replicas=server.replicas,
        ignored={},
        runtime_version=None,
        pod=server.read.pod,
        arguments=arguments,
        role=Role.AGGREGATED,
        gpus_per_pod=server.read.gpus,
        nodes=Located(1, scope.at("node_count", server.read.pod.place)),
        engine=engine,
        engine_file=file,
        engine_known=yaml.known,
        gpu=server.gpu or gpu_of(server.read.pod, facts),
        model=scope.moved("model", model),
        served_name=scope.moved("served_name", arguments[SERVED_NAME].located or _last_part(model)),
    )
    place = server.read.pod.place
    return Deployment(
        name=server.name,
        place=place,
        source=source,
        api_version=Located("", place),
        release=chosen,
        release_place=image.place if image else place,
        model=model_of(worker, facts),
        frontend=None,
        workers=(worker,),
        problems=yaml.problems,
        runtime=Runtime.SERVE,
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
