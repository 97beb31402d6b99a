"""What containers of one machine share: namespaces, GPUs, RDMA devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.pods import Isolation
from gptoss.sources.containers.compose_amounts import shared_memory
from gptoss.sources.parts.reading import elements, is_on

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.sources.containers.compose_service import Gpus
    from gptoss.sources.containers.docker_run import DockerRun
    from gptoss.text.yaml_tree import Tree

HOST = "host"
INFINIBAND = "/dev/infiniband"
# Where a namespace of another container is named by the service that it belongs to.
SERVICE, CONTAINER = "service:", "container:"


def of_service(
    name: str, service: Tree, gpus: Gpus | None, services: Mapping[str, Tree]
) -> Isolation:
    """What a service of a compose file shares with others.

    Args:
        name: Its name.
        service: The service, variables filled in.
        gpus: Its GPUs.
        services: Every service by name.
    """
    has_all = is_on(service.at("privileged"), "privileged") is True
    at = service.at("pid") or service.at("ipc") or (gpus.place if gpus else service)
    return Isolation(
        name=name,
        ipc=_owner(name, service, "ipc", services),
        pid=_owner(name, service, "pid", services),
        handed=None if has_all or gpus is None else gpus.handed,
        used=frozenset(gpus.ids) if gpus and gpus.ids else None,
        has_rdma=has_all or _has_rdma(service),
        place=at.where,
    )


def owner_of(service: Tree, field: str, services: Mapping[str, Tree]) -> Tree | None:
    """The service in whose namespace another one is; None when it is in none of them.

    Args:
        service: The service.
        field: Kind of the namespace, ``ipc`` or ``pid``.
        services: Every service by name.
    """
    told = service.text(field) or ""
    if told.startswith(SERVICE):
        return services.get(told.removeprefix(SERVICE))
    if told.startswith(CONTAINER):
        called = told.removeprefix(CONTAINER)
        return next((s for s in services.values() if s.text("container_name") == called), None)
    return None


def memory_of(service: Tree, services: Mapping[str, Tree]) -> Tree | None:
    """Size of the /dev/shm that a service has, which is that of its IPC namespace, where known.

    Raises:
        InputError: It is no size.
    """
    owner = owner_of(service, "ipc", services)
    joins = (service.text("ipc") or "").startswith((HOST, SERVICE, CONTAINER))
    return shared_memory(owner) if owner else None if joins else shared_memory(service)


def _owner(name: str, service: Tree, field: str, services: Mapping[str, Tree]) -> str:
    """Whose namespace a service is in: the host's, another one's or its own."""
    told = service.text(field) or ""
    owner = owner_of(service, field, services)
    if owner is not None:
        return next(key for key, other in services.items() if other is owner)
    return told if told == HOST or told.startswith((SERVICE, CONTAINER)) else name


def _has_rdma(service: Tree) -> bool:
    """Whether a service is given the RDMA devices of its machine."""
    given = (
        *elements(service.at("devices"), "devices"),
        *elements(service.at("volumes"), "volumes"),
    )
    sources = (tree.text("source") if tree.is_map else str(tree.value) for tree in given)
    return any(is_rdma(source or "") for source in sources)


def is_rdma(device: str) -> bool:
    """Whether ``/dev/infiniband`` or a part of it is mounted or handed on, or all of ``/dev``."""
    path = device.partition(":")[0].rstrip("/")
    return path == "/dev" or path == INFINIBAND or path.startswith(f"{INFINIBAND}/")


def chosen(wanted: tuple[str, ...], given: tuple[str, ...]) -> tuple[str, ...]:
    """The GPUs that ``CUDA_VISIBLE_DEVICES`` chooses, by their numbers on the machine.

    CUDA counts those of the container from 0.

    Args:
        wanted: What the variable says.
        given: Numbers of the GPUs of the container; none for all of the machine.

    Returns:
        None of them where the container does not have all.
    """
    if not given:
        return wanted
    if not all(number.isdecimal() for number in wanted):
        return wanted if set(wanted) <= set(given) else ()
    places = [int(number) for number in wanted]
    return tuple(given[at] for at in places) if max(places) < len(given) else ()


def of_run(run: DockerRun, name: str, visible: str | None) -> Isolation:
    """What the container of a ``docker run`` line shares with others.

    Args:
        run: The container.
        name: What tells it from the others.
        visible: ``CUDA_VISIBLE_DEVICES`` of its process.
    """
    wanted = tuple(part.strip() for part in visible.split(",")) if visible else ()
    used = (chosen(wanted, run.handed) if wanted else ()) or run.handed
    devices = (*(device.value for device in run.devices), *run.folders.values())
    return Isolation(
        name=name,
        ipc=_joined(run.ipc.value if run.ipc else "", name),
        pid=_joined(run.pid.value if run.pid else "", name),
        handed=frozenset(run.handed) if run.handed and not run.privileged else None,
        used=frozenset(used) if used else None,
        has_rdma=bool(run.privileged) or any(is_rdma(device) for device in devices),
        place=(run.pid or run.ipc or run.image).place,
    )


def _joined(told: str, name: str) -> str:
    if told.startswith(CONTAINER):
        return told.removeprefix(CONTAINER)
    return HOST if told == HOST else name
