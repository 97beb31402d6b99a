"""Does the KV cache go from GPU to GPU, or over TCP?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.readings import quoted
from gptoss.rules.rule import CONTAINERS, KUBERNETES, Said, Severity, rule
from gptoss.rules.subjects import PAIRS, SPLIT_WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Worker
    from gptoss.deployment.pods import Isolation, Pod

# By which a pod is given a second network, with or without a device of it.
NETWORKS = "k8s.v1.cni.cncf.io/networks"
SHARED = (
    "put both into the namespaces of one container (pid and ipc service:NAME in a compose file, "
    "--pid and --ipc container:NAME of docker run), give both the GPUs of both, and choose with "
    "CUDA_VISIBLE_DEVICES"
)


@rule(
    "D014",
    "gpu-memory-out-of-reach",
    Severity.WARNING,
    of=PAIRS,
    platforms=CONTAINERS,
    engine_only=False,
)
def gpu_memory_out_of_reach(
    prefill: Worker, decode: Worker, deployment: Deployment
) -> Iterator[Said]:
    """Prefill and decode run in containers of one machine that cannot open each other's GPU memory.

    Between two GPUs of a machine the KV cache goes by CUDA IPC. That needs one PID namespace and
    one IPC namespace, and each container has to be given the other's GPUs; which of them a process
    computes on CUDA_VISIBLE_DEVICES may say. Where one is missing UCX says so in its debug log only
    and takes TCP through the memory of the machine: every answer is right, and long prompts wait.
    """
    ours, theirs = decode.pod.isolation, prefill.pod.isolation
    if ours is None or theirs is None or ours.has_rdma or theirs.has_rdma:
        return
    if decode.gpu and deployment.gpus > decode.gpu.per_node:
        return
    if missing := list(_missing(ours, theirs)):
        yield Said(
            ours,
            f"{decode.name} and {prefill.name} {quoted(missing)}, so the KV cache goes over TCP",
            SHARED,
            also=[(theirs, f"{prefill.name} is here")],
        )


def _missing(ours: Isolation, theirs: Isolation) -> Iterator[str]:
    pairs = (("PID", ours.pid, theirs.pid), ("IPC", ours.ipc, theirs.ipc))
    if apart := [kind for kind, one, other in pairs if one != other]:
        yield f"have {quoted(apart)} namespaces of their own"
    if not (ours.sees(theirs) and theirs.sees(ours)):
        yield "are not given each other's GPUs"


@rule(
    "D015",
    "no-rdma-device",
    Severity.INFO,
    of=SPLIT_WORKERS,
    platforms=KUBERNETES,
    engine_only=False,
)
def no_rdma_device(worker: Worker) -> Iterator[Said]:
    """A prefill or decode pod asks for no RDMA device.

    Pods of one node cannot open each other's GPU memory: each has its own namespaces and sees its
    own GPUs only. Without RDMA the KV cache goes over TCP, on one node as between nodes, and the
    first token of a long prompt waits for it. Only a device that the pod asks for, or a claim on
    one, is seen here; what the cluster adds to pods by itself is not.
    """
    if not _has_devices(worker.pod):
        yield Said(
            worker,
            "no RDMA device is asked for, so the KV cache goes over TCP",
            "ask for the resource of the cluster's RDMA device plugin, as in rdma/ib, one a GPU: "
            "hardware.rdma.resource in the chart's values",
        )


def _has_devices(pod: Pod) -> bool:
    """Whether a pod asks for any device beside its GPUs, or has those of its node."""
    asked = any("/" in name for name in (*pod.requests, *pod.limits))
    return asked or pod.claims_unknown or NETWORKS in pod.annotations or bool(pod.privileged)
