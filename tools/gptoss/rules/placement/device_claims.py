"""Do pods get the devices that they claim, and claim those that they need?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.readings import quoted
from gptoss.rules.rule import DYNAMO, Need, Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Worker


@rule(
    "L026",
    "claim-that-no-container-uses",
    Severity.WARNING,
    of=WORKERS,
)
def claim_that_no_container_uses(worker: Worker) -> Iterator[Said]:
    """A pod claims devices, and its main container does not ask for them.

    The devices are set aside for the pod, but only a container that names the claim under
    resources.claims sees them. Without the channel of a ComputeDomain, for one, GPUs of GB200 nodes
    cannot share memory over NVLink.
    """
    unused = [claim for claim in worker.pod.device_claims if not claim.used]
    if unused:
        yield Said(
            unused[0],
            f"the pod claims {quoted(claim.name for claim in unused)}, but its container does not "
            "ask for it",
            f"add resources.claims: [{{name: {unused[0].name}}}] to the container",
        )


@rule(
    "L027",
    "claim-template-missing",
    Severity.WARNING,
    of=WORKERS,
)
def claim_template_missing(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """A pod claims devices by a template of another name than one that nobody claims by.

    A ComputeDomain makes the template that its spec.channel names. A pod whose template is not
    there waits for it, for ever. One that is there already, and is not given along, is not known.
    """
    named = {c.template for each in deployment.workers for c in each.pod.device_claims}
    unused = sorted(deployment.claim_templates.keys() - named)
    for claim in worker.pod.device_claims:
        if unused and claim.template and claim.template not in deployment.claim_templates:
            yield Said(
                claim,
                f"the pod claims {claim.name} by the template {claim.template!r}, but beside it "
                f"there is {quoted(unused)}",
                f"write resourceClaimTemplateName: {unused[0]}",
            )


@rule(
    "L028",
    "several-gb200-nodes-without-channel",
    Severity.WARNING,
    of=WORKERS,
    runtimes=DYNAMO,
    needs=(Need.GPU,),
)
def several_gb200_nodes_without_channel(worker: Worker) -> Iterator[Said]:
    """A worker spans several GB200 nodes and claims no channel of a ComputeDomain.

    GPUs of different nodes share memory over NVLink by handles that the driver gives only to
    processes with such a channel. Without it the ranks talk over the network, or the worker stops
    at its first allocation. Grove can be told to add the claim by itself; then nothing is missing.
    """
    gpu = worker.gpu
    if gpu and gpu.key == "gb200" and worker.nodes.value > 1 and not worker.pod.claims_channel:
        yield Said(
            worker.nodes,
            f"the worker spans {worker.nodes.value} GB200 nodes and claims no channel of a "
            "ComputeDomain",
            "add a ComputeDomain and claim its channel: resourceClaims of the pod, and "
            "resources.claims of the container; hardware.computeDomain.enabled in the chart's "
            "values",
        )
