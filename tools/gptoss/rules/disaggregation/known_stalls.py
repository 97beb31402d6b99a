"""Is a release, or a place, known for transfers that stall or crash?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.disaggregation.transports import (
    BACKEND,
    CPP,
    NIXL,
    RACK,
    RACKS_OF,
    REUSE,
    TIMEOUT,
    backend_of,
    runtime_of,
)
from gptoss.rules.right_answers import engine_value
from gptoss.rules.rule import CONTAINERS, DYNAMO, KUBERNETES, Need, Said, Severity, rule
from gptoss.rules.subjects import PAIRS, PREFILL_WORKERS, SPLIT_WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Worker
    from gptoss.facts.world import Release

ACROSS_RACKS = "UCX_CUDA_IPC_ENABLE_MNNVL"
EFA = "vpc.amazonaws.com/efa"
MANAGER_V2 = "kv_cache_config.use_kv_cache_manager_v2"
# kv_transfer_timeout_ms when nobody sets it, from TensorRT-LLM 1.3.0rc11 on.
USUAL_LIMIT = 60000


@rule(
    "D018",
    "reused-blocks-lost-before-they-are-sent",
    Severity.WARNING,
    of=PREFILL_WORKERS,
    fixable=True,
    needs=(Need.ENGINE, Need.RELEASE),
)
def reused_blocks_lost_before_they_are_sent(worker: Worker, release: Release) -> Iterator[Said]:
    """A prefill worker reuses blocks in a release that gives them away before they are sent.

    A finished prompt's blocks may be handed to the next one while the transfer still waits. Then
    nothing is sent, decode waits for ever, and soon for everything: prefill logs "Couldn't find the
    requested block in the reuse tree". Mended in TensorRT-LLM 1.3.0rc11.
    """
    reuse = worker.engine[REUSE]
    if reuse.value is True:
        yield Said(
            reuse,
            "blocks are reused (enable_block_reuse), and TensorRT-LLM "
            f"{release.trtllm} may give them away before they are sent: the deployment hangs",
            "write kv_cache_config.enable_block_reuse: false for prefill, or go to Dynamo 1.1.1",
            fix=engine_value(worker, REUSE, False),
        )


@rule(
    "D025",
    "nvlink-across-racks",
    Severity.WARNING,
    of=SPLIT_WORKERS,
    engine_only=False,
)
def nvlink_across_racks(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """A GB200 deployment is larger than a rack, and UCX tries NVLink between racks.

    The 72 GPUs of a rack are one NVLink domain. A transfer to another one hangs or is slow while
    UCX tries NVLink for it; UCX_CUDA_IPC_ENABLE_MNNVL=n has it take the network.
    """
    if worker.gpu is None or worker.gpu.key not in RACKS_OF or deployment.gpus <= RACK:
        return
    found = worker.pod.environment.get(ACROSS_RACKS)
    if found is None or (found.value or "n").lower() not in ("n", "no", "0"):
        yield Said(
            found or worker,
            f"{deployment.gpus} GPUs are more than the {RACK} of an NVLink domain, and "
            f"{ACROSS_RACKS} is not n: transfers between racks may hang",
            f"set {ACROSS_RACKS}=n on prefill and decode",
        )


@rule(
    "D027",
    "nixl-of-old-images",
    Severity.WARNING,
    of=SPLIT_WORKERS,
    runtimes=DYNAMO,
    fixable=True,
    needs=(Need.ENGINE, Need.RELEASE),
)
def nixl_of_old_images(worker: Worker, release: Release) -> Iterator[Said]:
    """A worker sends by NIXL in an image that has several editions of it which do not fit.

    Users of the images up to 0.9 saw workers stop when NIXL starts ("Assertion failed: status ==
    NIXL_SUCCESS"), or transfers fail on one machine. UCX works there.
    """
    backend = worker.engine[BACKEND]
    if backend.value is not None and backend_of(worker, release) == NIXL:
        yield Said(
            backend,
            f"the backend is {backend.value}, which is {NIXL} in {release.version}: its image has "
            "several editions of it, and transfers have failed",
            f"write {BACKEND}: UCX on both sides",
            fix=engine_value(worker, BACKEND, "UCX"),
        )


@rule(
    "D029",
    "efa-within-a-node",
    Severity.WARNING,
    of=PAIRS,
    platforms=KUBERNETES,
    engine_only=False,
)
def efa_within_a_node(prefill: Worker, decode: Worker) -> Iterator[Said]:
    """Prefill and decode send by AWS EFA and may share a node.

    EFA is for other nodes: within one the transfer keeps trying ("fi_read still retrying EAGAIN").
    A required anti-affinity of one of the two keeps them apart.
    """
    if not all(EFA in (*w.pod.requests, *w.pod.limits) for w in (prefill, decode)):
        return
    if any(each.required for w in (prefill, decode) for each in w.pod.anti_affinity):
        return
    yield Said(
        decode,
        f"{prefill.name} and {decode.name} send by EFA and may share a node, within which EFA does "
        "not work",
        f"give {decode.name} a required podAntiAffinity to {prefill.name} by "
        "kubernetes.io/hostname",
    )


@rule(
    "D030",
    "transfers-given-up-early",
    Severity.WARNING,
    of=SPLIT_WORKERS,
    needs=(Need.ENGINE, Need.RELEASE),
)
def transfers_given_up_early(worker: Worker, release: Release) -> Iterator[Said]:
    """Transfers are given up sooner than usual, in a release that can crash when it does so.

    A request that has waited longer than kv_transfer_timeout_ms is cleaned up while its transfer
    may still run, and the worker may end with SIGSEGV. The usual minute is rarely reached; null
    never.
    """
    limit = worker.engine.whole(TIMEOUT)
    if limit is not None and limit < USUAL_LIMIT and runtime_of(worker, release) == CPP:
        yield Said(
            worker.engine[TIMEOUT],
            f"kv_transfer_timeout_ms {limit} gives transfers up early, and TensorRT-LLM "
            f"{release.trtllm} has crashed when it did",
            "remove it, or write kv_transfer_timeout_ms: null",
        )


@rule(
    "D031",
    "cache-pools-that-cannot-be-shared",
    Severity.WARNING,
    of=SPLIT_WORKERS,
    platforms=CONTAINERS,
    engine_only=False,
    needs=(Need.ENGINE, Need.GPU),
)
def cache_pools_that_cannot_be_shared(worker: Worker) -> Iterator[Said]:
    """KV cache manager V2 is chosen on a machine of Hopper GPUs, within which its pools are shut.

    Its pools are virtual memory, which another process of the machine reaches through an NVLink
    fabric alone. H100 and H200 have none: without RDMA the KV cache goes through the memory of the
    machine, about 200 times slower. The pools of the first manager are open everywhere.
    """
    chosen, isolation = worker.engine[MANAGER_V2], worker.pod.isolation
    if chosen.value is not True or not (worker.gpu and worker.gpu.is_hopper):
        return
    if isolation and not isolation.has_rdma:
        yield Said(
            chosen,
            f"with use_kv_cache_manager_v2 the KV cache goes through the memory of the machine: "
            f"{worker.gpu.name} has no NVLink fabric, and there is no RDMA device",
            "write use_kv_cache_manager_v2: false on both sides",
        )
