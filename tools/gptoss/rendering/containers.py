"""A target as containers on one machine: what the compose file and the shell script share.

Programs, flags and variables are those of the chart's pods; only addresses differ, and GPUs have
numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gptoss.deployment.model import Role, Runtime
from gptoss.facts import folders, programs
from gptoss.rendering.beside import SCRIPTS, accuracy_of, benchmark_of, scripts_of
from gptoss.rendering.one_container import RenderedContainer, container_from
from gptoss.rendering.withheld import refuse_in_words
from gptoss.text import plain_yaml
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gptoss.deployment.model import Deployment, Worker
    from gptoss.rendering.target import Target

# ai-dynamo/dynamo deploy/docker-compose.yml @4a650e8 names this version.
ETCD_IMAGE = "quay.io/coreos/etcd:v3.6.1"
# One for every target and form, so that the weights are fetched once.
VOLUME = "gpt-oss-models"
PORT = 8000
SERVER = "server"
# trtllm-serve answers whatever model is asked for.
ANY_NAME = ("--names", "no")
# What else is a part of launch.sh or a service of a compose file.
TAKEN = {
    *("frontend", "download", "smoke", "bench", "accuracy", "all", "wait"),
    *("etcd", "nats", "namespaces", "prometheus", "grafana"),
}
MACHINE = re.compile("machine-[0-9]+")
SCHEMA_LINE = "# yaml-language-server:"


@dataclass(frozen=True, slots=True)
class Containers:
    """A target as containers on one machine.

    Attributes:
        target: Name of the target, overlays included.
        description: What it is for, in one line.
        runtime: What serves the model.
        release: Dynamo release; the one with the same TensorRT-LLM under trtllm-serve.
        gpu: Key of the GPU in ``schema/hardware.yaml``.
        gpu_name: Its name.
        model: Name that clients ask for.
        port: Port that the frontend or server listens on.
        frontend: The frontend; None under trtllm-serve.
        workers: A container for each replica of each worker, prefill first.
        download: Fills the model cache; None where the target leaves that to others.
        smoke: Asks the model what smoke.py asks in seconds.
        bench: Runs the benchmark.
        accuracy: Runs the evaluation; None where the target has none.
        aiperf: Version of aiperf to install where no image has it.
        engine: Engine YAML by file name, as mounted under /etc/gpt-oss/engine.
        scripts: The chart's scripts by file name, as mounted under /etc/gpt-oss/scripts.
        needs_nats: Whether events go over NATS. Discovery needs etcd under Dynamo, always.
        gpus_of_machine: GPUs that a machine with this GPU has.
        claim: The existing volume with the weights; None for one that is made, ``VOLUME``.
    """

    target: str
    description: str
    runtime: Runtime
    release: str
    gpu: str
    gpu_name: str
    model: str
    port: int
    frontend: RenderedContainer | None
    workers: tuple[RenderedContainer, ...]
    download: RenderedContainer | None
    smoke: RenderedContainer
    bench: RenderedContainer | None
    accuracy: RenderedContainer | None
    aiperf: str
    engine: Mapping[str, str]
    scripts: Mapping[str, str]
    needs_nats: bool
    gpus_of_machine: int
    claim: str | None

    @property
    def volume(self) -> str:
        """The volume with the weights."""
        return self.claim or VOLUME

    @property
    def gpus(self) -> int:
        """GPUs of all workers."""
        return sum(len(worker.gpus) for worker in self.workers)

    @property
    def every(self) -> list[RenderedContainer]:
        """All that can be started."""
        jobs = (self.frontend, self.download, self.smoke, self.bench, self.accuracy)
        return [*self.workers, *(found for found in jobs if found)]

    @property
    def is_dynamo(self) -> bool:
        """Whether Dynamo serves, with a frontend and discovery."""
        return self.runtime is Runtime.DYNAMO


def containers(target: Target, address: str) -> Containers:
    """A target as containers on one machine.

    Args:
        target: The target.
        address: Where clients reach the frontend or server; ``{name}`` and ``{port}`` stand for its
            name and port, as in ``http://{name}:{port}``.

    Raises:
        InputError: A worker spans several machines or is called like something else, or an argument
            holds a secret.
    """
    deployment, values = target.deployment, target.values
    gpu = target.facts.gpus[values["hardware"]["gpu"]]
    release = deployment.release or target.facts.default_release
    workers = tuple(_workers(target))
    images = [worker.image for worker in workers]
    model = _served_name(deployment.workers[0])
    frontend = container_from("frontend", deployment.frontend.pod) if deployment.frontend else None
    listening = frontend or workers[0]
    jobs = [found for found in deployment.downloads if found.kind == "Job"]
    downloads = [container_from("download", found.pod) for found in jobs]
    port = _port(listening)
    address = address.format(name=listening.name, port=port)
    known = ("--release", release.version) if deployment.runtime is Runtime.DYNAMO else ANY_NAME
    smoke = ("python3", f"{SCRIPTS}/smoke.py", address, model, *known)
    found = Containers(
        target=target.name,
        description=values.get("description") or "",
        runtime=deployment.runtime,
        release=release.version,
        gpu=gpu.key,
        gpu_name=gpu.name,
        model=model,
        port=port,
        frontend=frontend,
        workers=workers,
        download=downloads[0] if downloads else None,
        smoke=RenderedContainer("smoke", "smoke", images[0], smoke),
        bench=benchmark_of(target, address),
        accuracy=accuracy_of(target, address),
        aiperf=programs.releases(programs.AIPERF)[-1],
        engine=dict(_engine_files(target)),
        scripts=scripts_of(target),
        needs_nats=deployment.runtime is Runtime.DYNAMO and release.event_plane == "nats",
        gpus_of_machine=gpu.per_node,
        claim=values["modelCache"].get("existingClaim"),
    )
    refuse_in_words(found.every)
    _refuse_taken_names(found)
    return found


def _refuse_taken_names(found: Containers) -> None:
    """Refuses workers that are called like something else of a script or compose file.

    Raises:
        InputError: One is.
    """
    seen: dict[str, str] = {}
    for worker in found.workers:
        taken = {worker.name, worker.component} & TAKEN if found.frontend else set()
        owner = seen.setdefault(worker.name, worker.component)
        if taken or owner != worker.component or MACHINE.fullmatch(worker.name):
            raise InputError(
                f"workers.{worker.component}: {worker.name} is another part of a script or compose "
                "file; give the worker another name"
            )


def in_order(deployment: Deployment) -> list[Worker]:
    """Prefill workers first, as a request meets them."""
    return sorted(deployment.workers, key=lambda worker: worker.role is not Role.PREFILL)


def _workers(target: Target) -> Iterator[RenderedContainer]:
    """A container for each replica; GPUs are handed out in order."""
    first = 0
    for worker in in_order(target.deployment):
        if worker.nodes.value > 1:
            raise InputError(
                f"{worker.name} spans {worker.nodes.value} nodes, which one machine cannot hold; "
                "use --as manifests or kustomize",
                worker.place,
            )
        container = replace(container_from(worker.name, worker.pod), role=worker.role)
        for number in range(worker.replica_count):
            name = worker.name if target.deployment.frontend else SERVER
            name = name if worker.replica_count == 1 else f"{name}-{number}"
            yield replace(container, name=name, gpus=tuple(range(first, first + worker.gpus)))
            first += worker.gpus


def _served_name(worker: Worker) -> str:
    named = worker.served_name or worker.model
    return named.value if named else ""


def _port(container: RenderedContainer) -> int:
    """The port that a frontend or server listens on.

    Raises:
        InputError: What is given is none.
    """
    given = container.value("--http-port") or container.value("--port")
    given = given or container.environment.get("DYN_HTTP_PORT") or str(PORT)
    if not re.fullmatch("[0-9]{1,5}", given):
        raise InputError(f"{container.name}: {given!r} is no port")
    return int(given)


def _engine_files(target: Target) -> Iterator[tuple[str, str]]:
    """Engine YAML by file name: the chart's own file with its comments where nothing changes it."""
    config_maps = {
        found["metadata"]["name"]: found["data"]
        for found in target.objects
        if found["kind"] == "ConfigMap"
    }
    for worker in target.deployment.workers:
        path = worker.engine_file.value if worker.engine_file else ""
        mount = worker.pod.mount_at(path)
        key = mount.key_at(path) if mount else None
        if mount is None or mount.config_map is None or key is None:
            continue
        text = config_maps[mount.config_map][key]
        named = target.values["workers"][worker.name].get("engineConfig")
        yield key, _with_comments(text, named)


def _with_comments(text: str, engine_config: str | None) -> str:
    """The chart's engine file when it says the same as what was rendered, else the latter."""
    if engine_config is None:
        return text
    written = (folders.chart() / "engine_configs" / engine_config).read_text(encoding="utf-8")
    loaded = [plain_yaml.load(t) for t in (written, text)]
    if loaded[0] != loaded[1]:
        return text
    # The schema's address holds only where the file stood.
    lines = written.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(SCHEMA_LINE))
