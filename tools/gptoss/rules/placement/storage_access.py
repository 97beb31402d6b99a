"""Can every pod that uses a claim mount it where it runs?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.readings import quoted
from gptoss.rules.rule import Said, Severity, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment
    from gptoss.deployment.objects import Claim
    from gptoss.text.places import Located

ONE_NODE, ONE_POD, MANY = "ReadWriteOnce", "ReadWriteOncePod", ("ReadWriteMany", "ReadOnlyMany")


@rule(
    "L200",
    "claim-for-one-node-on-several",
    Severity.WARNING,
)
def claim_for_one_node_on_several(deployment: Deployment) -> Iterator[Said]:
    """A claim that one node may mount is used by workers that need several nodes.

    A volume of block storage is attached to one node at a time; pods on another wait for it for
    ever ("Multi-Attach error"). Storage that is not attached, as NFS, does not mind.
    """
    for claim, modes in _claims(deployment):
        nodes = _nodes(deployment, claim.name)
        if ONE_NODE in modes.value.split(", ") and nodes > 1:
            yield Said(
                modes,
                f"claim {claim.name} is {ONE_NODE}, but the workers that use it need {nodes} nodes",
                "write ReadWriteMany, with a storage class that has it",
            )


def _nodes(deployment: Deployment, claim: str) -> int:
    """The fewest nodes that the workers which use a claim fit on; 0 where that is not known."""
    using = [w for w in deployment.workers if any(m.claim == claim for m in w.pod.mounts)]
    sizes = {worker.gpu.per_node for worker in using if worker.gpu}
    if len(sizes) != 1 or not all(worker.gpu for worker in using):
        return 0
    gpus = sum(worker.gpus * worker.replica_count for worker in using)
    return -(-gpus // sizes.pop())


@rule(
    "L201",
    "claim-for-one-pod-in-several",
    Severity.ERROR,
)
def claim_for_one_pod_in_several(deployment: Deployment) -> Iterator[Said]:
    """A claim that one pod may use is used by several pods that run at the same time.

    The scheduler leaves every pod but the first one Pending.
    """
    for claim, modes in _claims(deployment):
        using = {
            each.name: each.replica_count
            for each in deployment.components
            if any(mount.claim == claim.name for mount in each.pod.mounts)
        }
        if modes.value == ONE_POD and sum(using.values()) > 1:
            yield Said(
                modes,
                f"claim {claim.name} is {ONE_POD}, but {sum(using.values())} pods of "
                f"{quoted(using)} use it",
                "write ReadWriteMany, with a storage class that has it",
            )


def _claims(deployment: Deployment) -> Iterator[tuple[Claim, Located[str]]]:
    """The claims that are made here, with their access modes, unless many nodes may mount them."""
    for claim in deployment.volumes:
        modes = claim.fixed.get("accessModes")
        if modes and not any(mode in modes.value for mode in MANY):
            yield claim, modes


@rule(
    "L240",
    "claim-bound-where-the-download-runs",
    Severity.INFO,
)
def claim_bound_where_the_download_runs(deployment: Deployment) -> Iterator[Said]:
    """A claim for one node is filled by a Job that may run where no worker can.

    Storage classes that wait for the first pod make the volume where that pod runs, as in its zone,
    and that is the download's. Workers that find no GPU there stay Pending for ever.
    """
    for claim, modes in _claims(deployment):
        asked = {
            label.key
            for worker in deployment.workers
            if any(mount.claim == claim.name for mount in worker.pod.mounts)
            for label in worker.pod.nodes
            if label.required
        }
        for job in deployment.downloads:
            using = any(mount.claim == claim.name for mount in job.pod.mounts)
            using = using and ONE_NODE in modes.value.split(", ")
            own = {label.key for label in job.pod.nodes if label.required}
            if asked and using and not asked & own:
                yield Said(
                    modes,
                    f"claim {claim.name} is {modes.value} and may be bound where {job.name} runs, "
                    f"which does not ask for {quoted(sorted(asked))} as its workers do",
                    "let the download run on the GPU nodes: modelCache.download.onGpuNodes in the "
                    "chart's values",
                )
