"""RDMA between pods, as the chart's values say it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.model import Role, Runtime
from gptoss.importing.context import leaf
from gptoss.importing.document import Leaf
from gptoss.importing.pods import LOCK

if TYPE_CHECKING:
    from gptoss.deployment.model import Worker
    from gptoss.importing.context import Context
    from gptoss.importing.document import Block

# What the chart sets itself where it runs workers as root.
AS_ROOT = ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")


def rdma_block(context: Context) -> Block:
    """The resource that pods ask for to reach each other, and whether they pin memory."""
    name = rdma_resource(context)
    if name is None:
        return {}
    found: Block = {"resource": leaf(name, _senders(context)[0].pod.limits[name].place)}
    locks = [worker.pod.capability(LOCK) for worker in _senders(context)]
    if not all(locks):
        found["lockMemory"] = Leaf(False)
        return found
    for worker, lock in zip(_senders(context), locks, strict=True):
        if lock and not worker.pod.root:
            context.mended(
                f"{worker.name}: {LOCK} does nothing for a user who is not root; "
                "hardware.rdma runs the worker as root",
                lock.place,
            )
    return found


def rdma_resource(context: Context) -> str | None:
    """The resource of RDMA devices that every pod which needs one asks for, one a GPU."""
    if context.deployment.runtime is not Runtime.DYNAMO or not (senders := _senders(context)):
        return None
    for name in senders[0].pod.limits:
        asked = [
            (worker.pod.limits.get(name), worker.gpus_per_pod and worker.gpus_per_pod.value)
            for worker in senders
        ]
        if "rdma" in name and all(given and given.value == str(gpus) for given, gpus in asked):
            return name
    return None


def sends(worker: Worker) -> bool:
    """Whether a worker sends to other pods, so that the chart gives it RDMA devices."""
    return worker.role is not Role.AGGREGATED or worker.nodes.value > 1


def locks_memory(context: Context) -> bool:
    """Whether hardware.rdma gives the right to pin memory."""
    locked = all(worker.pod.capability(LOCK) for worker in _senders(context))
    return rdma_resource(context) is not None and locked


def _senders(context: Context) -> list[Worker]:
    return [worker for worker in context.deployment.workers if sends(worker)]
