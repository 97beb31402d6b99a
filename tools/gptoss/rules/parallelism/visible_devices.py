"""Does each rank of a worker see a GPU of its own?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.rule import ANY, ANYWHERE, Need, Said, Severity, rule
from gptoss.rules.subjects import WORKERS
from gptoss.text.shell.resolved import is_resolved

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Worker

CUDA, NVIDIA = "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"
NO_GPU = ("none", "void")


@rule(
    "P210",
    "ranks-share-a-gpu",
    Severity.ERROR,
    of=WORKERS,
    runtimes=ANY,
    platforms=ANYWHERE,
    needs=(Need.ENGINE,),
)
def ranks_share_a_gpu(worker: Worker) -> Iterator[Said]:
    """``CUDA_VISIBLE_DEVICES`` names fewer GPUs than the worker has ranks on a node.

    Ranks take the GPUs they see in turn, so that two get the same one, and NCCL refuses to start.
    In a cluster the pod sees just the GPUs that it was given, and the variable is better left out.
    """
    ranks = -(-worker.ranks // max(1, worker.nodes.value))
    found = worker.pod.environment.get(CUDA)
    if found is None or not found.value or not is_resolved(found.value) or ranks < 2:
        return
    seen = [number for number in found.value.split(",") if number.strip()]
    if len(seen) < ranks:
        yield Said(
            found,
            f"{CUDA}={found.value} shows {len(seen)} GPUs to {ranks} ranks",
            f"name {ranks}, or remove it",
        )


@rule(
    "P211",
    "gpus-hidden-from-container",
    Severity.WARNING,
    of=WORKERS,
    runtimes=ANY,
    platforms=ANYWHERE,
)
def gpus_hidden_from_container(worker: Worker) -> Iterator[Said]:
    """``NVIDIA_VISIBLE_DEVICES`` keeps every GPU out of the container.

    NVIDIA's container runtime reads it; with none the driver is there and no GPU, with void nothing
    is.
    """
    found = worker.pod.environment.get(NVIDIA)
    if found and (found.value or "").lower() in NO_GPU:
        yield Said(found, f"{NVIDIA}={found.value} gives the container no GPU", "remove it")
