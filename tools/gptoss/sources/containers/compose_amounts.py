"""Sizes and durations of a compose file as Kubernetes writes them."""

from __future__ import annotations

from gptoss.sources.parts.reading import shown
from gptoss.text.errors import InputError
from gptoss.text.quantity import of_docker, whole_seconds
from gptoss.text.yaml_tree import Tree

# What Docker gives a container that asks for nothing.
SHARED_MEMORY = "64Mi"


def shared_memory(service: Tree) -> Tree:
    """Size of /dev/shm as a Kubernetes quantity.

    Raises:
        InputError: It is no size.
    """
    found = service.at("shm_size")
    if found is None or found.value is None:
        return Tree(SHARED_MEMORY, service.place, service.key)
    size = of_docker(str(found.value))
    if size is None:
        raise InputError(f"shm_size must be a size such as 80gb, not {shown(found)}", found.place)
    return Tree(size, found.place, found.key)


def stop_grace(service: Tree) -> Tree | None:
    """Seconds from SIGTERM to SIGKILL, where they are set.

    Raises:
        InputError: It is no duration.
    """
    found = service.at("stop_grace_period")
    if found is None or found.value is None:
        return None
    seconds = whole_seconds(str(found.value))
    if seconds is None:
        raise InputError(
            f"stop_grace_period must be a duration such as 90s, not {shown(found)}", found.place
        )
    return Tree(seconds, found.place, found.key)
