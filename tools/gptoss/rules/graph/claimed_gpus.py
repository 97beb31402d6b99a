"""Are GPUs that pods claim by dynamic resource allocation handed out as meant?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.readings import quoted
from gptoss.rules.rule import ANY, Need, Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Worker


def gpu_limit(worker: Worker) -> int:
    """GPUs of one pod by its limit alone, without those that it claims."""
    both = worker.gpus_per_pod.value if worker.gpus_per_pod else 0
    return both - worker.pod.claimed_gpus


@rule(
    "G140",
    "claimed-gpus-start-no-rank",
    Severity.ERROR,
    of=WORKERS,
    needs=(Need.RELEASE,),
)
def claimed_gpus_start_no_rank(worker: Worker) -> Iterator[Said]:
    """A worker of several nodes gets its GPUs by a claim, which the operator does not count.

    Its leader starts as many ranks with mpirun as nodes times the GPU limit come to. Without a
    limit that is none, and the worker never serves. Later operators look into the claim.
    """
    pod = worker.pod
    if worker.nodes.value < 2 or gpu_limit(worker):
        return
    if pod.claimed_gpus or (pod.claims_unknown and worker.gpus_per_pod is None):
        yield Said(
            pod.device_claims[0],
            f"the worker spans {worker.nodes.value} nodes and has no GPU limit beside its claim, "
            "so the operator starts it with mpirun -n 0",
            "give it a GPU limit instead of the claim, or run it on one node",
            also=[(worker.nodes, f"{worker.nodes.value} nodes")],
        )


@rule(
    "G141",
    "gpus-by-limit-and-claim",
    Severity.WARNING,
    of=WORKERS,
    runtimes=ANY,
)
def gpus_by_limit_and_claim(worker: Worker) -> Iterator[Said]:
    """A worker has a GPU limit and claims GPUs too.

    The scheduler sets both aside: nodes that have GPUs for the one but not for the other are passed
    over, and the engine uses as many as its parallel sizes say.
    """
    limit, claimed = gpu_limit(worker), worker.pod.claimed_gpus
    if limit and claimed and worker.gpus_per_pod:
        yield Said(
            worker.gpus_per_pod,
            f"the pod has a limit of {limit} GPUs and claims {claimed} more",
            "keep one of the two",
            also=[
                (claim, f"claims {claim.gpus} GPUs")
                for claim in worker.pod.device_claims
                if claim.gpus
            ],
        )


@rule(
    "G142",
    "channel-keeps-others-off-the-node",
    Severity.INFO,
    of=WORKERS,
    runtimes=ANY,
    needs=(Need.GPU,),
)
def channel_keeps_others_off_the_node(worker: Worker) -> Iterator[Said]:
    """Pods that could share a node claim the channel of a ComputeDomain, of which it has one.

    Each of them takes a node of its own. The GPUs that it leaves there serve only pods that claim
    no channel.
    """
    pod, gpu = worker.pod, worker.gpu
    claims = [claim for claim in pod.device_claims if claim.is_channel]
    taken = worker.gpus_per_pod.value if worker.gpus_per_pod else 0
    if not claims or gpu is None or not worker.counted or not taken:
        return
    if worker.nodes.value == 1 and worker.replica_count > 1 and 2 * taken <= gpu.per_node:
        left = gpu.per_node - taken
        yield Said(
            claims[0],
            f"each of the {worker.replica_count} pods claims the one channel of its node, so "
            f"{left} of {gpu.per_node} GPUs are left over on every one of them",
            "let workers of one node that need no channel do without, or give each more GPUs",
        )


@rule(
    "G143",
    "claim-shared-by-pods",
    Severity.WARNING,
    of=WORKERS,
    runtimes=ANY,
)
def claim_shared_by_pods(worker: Worker) -> Iterator[Said]:
    """Several pods of a worker name one claim of GPUs, not a template.

    A claim is allocated once, and every pod that names it gets the same devices. Engines then load
    their weights onto each other's GPUs, and pods for which another node was meant wait for ever.
    """
    shared = [c for c in worker.pod.device_claims if c.template is None and c.gpus]
    pods = worker.replica_count * worker.nodes.value
    if shared and worker.counted and pods > 1:
        yield Said(
            shared[0],
            f"{pods} pods share the GPUs of the one claim {quoted(c.name for c in shared)}",
            "name a ResourceClaimTemplate (resourceClaimTemplateName): each pod then gets a claim "
            "of its own",
            also=[(worker.replicas or worker, f"{worker.replica_count} replicas")],
        )


@rule(
    "G145",
    "channel-without-nvlink-between-nodes",
    Severity.WARNING,
    of=WORKERS,
    runtimes=ANY,
    needs=(Need.GPU,),
)
def channel_without_nvlink_between_nodes(worker: Worker) -> Iterator[Said]:
    """A pod claims the channel of a ComputeDomain on nodes whose NVLink ends at the node.

    Only racks such as GB200 NVL72 connect GPUs of several nodes. Elsewhere the channel leads
    nowhere, and as a node has one of them, no other pod with a claim runs beside.
    """
    claims = [claim for claim in worker.pod.device_claims if claim.is_channel]
    if claims and worker.gpu and worker.gpu.key != "gb200":
        yield Said(
            claims[0],
            f"the pod claims a channel, but NVLink of {worker.gpu.name} ends at the node",
            "remove the claim: hardware.computeDomain.enabled: false in the chart's values",
        )
