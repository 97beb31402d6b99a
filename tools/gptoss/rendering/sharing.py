"""What the containers of one machine share: GPUs, shared memory, limits."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gptoss.deployment.model import Role
from gptoss.text.quantity import amount

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gptoss.rendering.containers import Containers
    from gptoss.rendering.one_container import RenderedContainer

# A connection is an open file, and every request has one; new systems give a container 1,024.
OPEN_FILES = 65536


def hands_over(plan: Containers) -> bool:
    """Whether prefill hands the KV cache to decode on this one machine."""
    roles = {worker.role for worker in plan.workers}
    return {Role.PREFILL, Role.DECODE} <= roles and plan.gpus <= plan.gpus_of_machine


def handed(plan: Containers, worker: RenderedContainer) -> tuple[int, ...]:
    """Numbers of the GPUs that a worker is given: of all workers that open each other's memory."""
    return tuple(range(plan.gpus)) if hands_over(plan) else worker.gpus


def shared_gib(found: Iterable[RenderedContainer]) -> int:
    """Whole GiB that hold the shared memory of several containers."""
    amounts = (amount(container.shared_memory or "0") for container in found)
    return math.ceil(sum(each or 0 for each in amounts) / 2**30)
