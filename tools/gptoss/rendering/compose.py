"""The compose form: a docker compose file with its engine files and scripts beside it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from gptoss.rendering import Rendered
from gptoss.rendering.containers import ETCD_IMAGE, containers
from gptoss.rendering.monitoring import monitoring_of
from gptoss.rendering.sharing import OPEN_FILES, handed, hands_over, shared_gib
from gptoss.rendering.target import command_of
from gptoss.rendering.templating import from_template
from gptoss.rendering.withheld import notes_on_secrets, secrets_of
from gptoss.text.errors import InputError
from gptoss.text.quantity import to_docker
from gptoss.text.secrets import is_secret

if TYPE_CHECKING:
    from gptoss.rendering.containers import Containers
    from gptoss.rendering.one_container import RenderedContainer
    from gptoss.rendering.target import Target

# ai-dynamo/dynamo deploy/docker-compose.yml @4a650e8 names this version.
NATS_IMAGE = "nats:2.11.4-alpine"
# What the operator gives a worker, so that its health can be asked.
STATUS = {
    "DYN_SYSTEM_ENABLED": "true",
    "DYN_SYSTEM_PORT": "9090",
    "DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS": '["generate"]',
}
# Servers by which frontend and workers find each other: variable, scheme and port.
DISCOVERY = {"etcd": ("ETCD_ENDPOINTS", "http", 2379), "nats": ("NATS_SERVER", "nats", 4222)}


def render_compose(target: Target) -> Rendered:
    """A docker compose file for one machine.

    Raises:
        InputError: One machine has not as many GPUs, or a size cannot be written.
    """
    plan = _escaped(containers(target, "http://{name}:{port}"))
    if plan.gpus > plan.gpus_of_machine:
        raise InputError(
            f"{plan.target} takes {plan.gpus} GPUs, and compose starts containers on one machine: "
            f"one with {plan.gpu_name} has {plan.gpus_of_machine}; use --as shell, whose script "
            "runs on several machines, or --as manifests or kustomize"
        )
    servers = _discovery_servers(plan)
    discovery = {
        variable: f"{scheme}://{server}:{port}"
        for server, (variable, scheme, port) in DISCOVERY.items()
        if server in servers
    }
    monitoring = monitoring_of(target, plan)
    text = from_template(
        "compose.yaml.j2",
        plan=plan,
        secrets=secrets_of(plan.every),
        withheld=is_secret,
        written_by=command_of(target.source, "compose"),
        project=_project(plan.target),
        etcd_image=ETCD_IMAGE,
        nats_image=NATS_IMAGE,
        monitoring=monitoring,
        serving=[*([plan.frontend] if plan.frontend else []), *plan.workers],
        discovery=discovery,
        discovery_servers=servers,
        worker_variables=discovery | (STATUS if plan.is_dynamo else {}),
        hands_over=hands_over(plan),
        handed={worker.name: handed(plan, worker) for worker in plan.workers},
        open_files_limit=OPEN_FILES,
        shared_memory=shared_gib(plan.workers),
        sizes={worker.name: _size(worker) for worker in plan.workers if worker.shared_memory},
    )
    files = {"compose.yaml": text}
    files |= {f"engine/{name}": content for name, content in plan.engine.items()}
    files |= {f"scripts/{name}": content for name, content in plan.scripts.items()}
    files |= monitoring.files if monitoring else {}
    return Rendered(files, notes_on_secrets(plan.every))


def _discovery_servers(plan: Containers) -> list[str]:
    """What frontend and workers need to find each other."""
    if not plan.is_dynamo:
        return []
    return ["etcd", "nats"] if plan.needs_nats else ["etcd"]


def _project(target: str) -> str:
    """A name that compose takes for a project."""
    return "gpt-oss-" + re.sub(r"[^a-z0-9]+", "-", target.lower()).strip("-")


def _size(worker: RenderedContainer) -> str:
    """Shared memory as compose writes it."""
    size = to_docker(worker.shared_memory or "")
    if size is None:
        raise InputError(f"workers.{worker.component}.sharedMemory: write it as in 80Gi")
    return size


def _escaped(plan: Containers) -> Containers:
    """The containers with every dollar sign doubled: a single one begins a variable."""
    return replace(
        plan,
        target=_single(plan.target),
        model=_single(plan.model),
        frontend=plan.frontend and _without_variables(plan.frontend),
        workers=tuple(_without_variables(worker) for worker in plan.workers),
        download=plan.download and _without_variables(plan.download),
        smoke=_without_variables(plan.smoke),
        bench=plan.bench and _without_variables(plan.bench),
        accuracy=plan.accuracy and _without_variables(plan.accuracy),
    )


def _without_variables(container: RenderedContainer) -> RenderedContainer:
    return replace(
        container,
        image=_single(container.image),
        words=tuple(_single(word) for word in container.words),
        environment={
            name: value if is_secret(name, value) else _single(value)
            for name, value in container.environment.items()
        },
        scratch=tuple(_single(folder) for folder in container.scratch),
        labels={name: _single(value) for name, value in container.labels.items()},
    )


def _single(text: str) -> str:
    """A text whose dollar signs compose makes single ones of."""
    return text.replace("$", "$$")
