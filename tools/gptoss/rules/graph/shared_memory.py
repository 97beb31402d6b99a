"""Do processes of a worker find the shared memory they need?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.model import Platform, Runtime
from gptoss.rules.rule import ANY, ANYWHERE, CONTAINERS, Said, Severity, rule
from gptoss.rules.subjects import COMPONENTS, WORKERS
from gptoss.text.quantity import amount

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Component, Deployment, Worker

FOLDER = "/dev/shm"  # noqa: S108 (where it is mounted, not a temporary file)
LEAST = 2**30
DOCKERS = "64Mi"


@rule(
    "G042",
    "shared-memory-mount-replaced",
    Severity.WARNING,
    of=COMPONENTS,
)
def shared_memory_mount_replaced(component: Component, deployment: Deployment) -> Iterator[Said]:
    """A component mounts /dev/shm by hand, which the operator replaces by its own 8Gi.

    The operator gives every component shared memory of its own and takes out any other mount at
    /dev/shm, whatever its size.
    """
    mount = component.pod.mount_at(FOLDER)
    if mount is None or mount.path.rstrip("/") != FOLDER or component.pod.shared_memory:
        return
    is_alpha = deployment.api_version.value.endswith("v1alpha1")
    field = "sharedMemory: {size: ...}" if is_alpha else "sharedMemorySize"
    yield Said(
        mount,
        f"the operator replaces the mount at {FOLDER} by 8Gi of its own",
        f"remove the volume and write {field}",
    )


@rule(
    "G043",
    "shared-memory-too-small",
    Severity.WARNING,
    of=WORKERS,
    runtimes=ANY,
    platforms=ANYWHERE,
)
def shared_memory_too_small(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """A worker of several GPUs is given less than 1 GiB of shared memory.

    NCCL and the engine's processes exchange data through /dev/shm; NCCL's guide asks for 1 GiB at
    least. Without it the worker stops at its first collective, long after it was started.
    """
    if _is_dockers(worker, deployment):
        return
    size = worker.pod.shared_memory
    serves = deployment.runtime is Runtime.SERVE
    if size is None or worker.ranks < 2:
        return
    mount = worker.pod.mount_at(FOLDER)
    replaced = not serves and mount is not None and mount.path.rstrip("/") == FOLDER
    found = amount(size.value)
    if found is None or found >= LEAST or replaced:
        return
    has = f"only {size.value} of shared memory" if found else "no shared memory"
    yield Said(
        size,
        f"{has} for {worker.ranks} GPUs",
        _remedy(deployment),
    )


@rule(
    "G108",
    "shared-memory-left-to-docker",
    Severity.INFO,
    of=WORKERS,
    runtimes=ANY,
    platforms=CONTAINERS,
)
def shared_memory_left_to_docker(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """Nobody says how much shared memory the container of a worker of several GPUs has.

    Docker gives it 64 MiB. NCCL and the engine's processes exchange data there, and NCCL's guide
    asks for 1 GiB.
    """
    size = worker.pod.shared_memory
    if size and worker.ranks > 1 and _is_dockers(worker, deployment):
        yield Said(
            size,
            f"the {worker.ranks} GPUs have the 64 MiB of shared memory that Docker gives",
            _remedy(deployment),
        )


def _is_dockers(worker: Worker, deployment: Deployment) -> bool:
    """Whether a container has the shared memory that Docker gives where nobody asks for any."""
    size = worker.pod.shared_memory
    by_docker = deployment.platform is Platform.CONTAINERS
    return by_docker and size is not None and size.value == DOCKERS


def _remedy(deployment: Deployment) -> str:
    if deployment.platform is Platform.CONTAINERS:
        return "give it 1g or more: shm_size of a compose service, --shm-size of docker run"
    if deployment.runtime is Runtime.SERVE:
        return "write sizeLimit: 1Gi or more"
    return "leave it to the operator, which gives 8Gi, or write 1Gi or more"
