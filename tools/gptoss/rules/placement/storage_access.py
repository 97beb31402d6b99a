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
