"""What pods claim by dynamic resource allocation, as the chart's values say it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.importing.context import leaf
from gptoss.importing.document import Leaf

if TYPE_CHECKING:
    from gptoss.deployment.model import Worker
    from gptoss.deployment.pods import DeviceClaim
    from gptoss.importing.context import Context
    from gptoss.importing.document import Block

NUM_NODES = "spec.numNodes"


def claim_blocks(context: Context) -> Block:
    """The ComputeDomain whose channel workers claim, and whether they claim their GPUs."""
    found: Block = {}
    if (channel := _channel(context)) is not None:
        domain: Block = {"enabled": leaf(True, channel.place)}
        made = context.deployment.claim_templates.get(channel.template or "")
        nodes = made.value.get(NUM_NODES, "0") if made else "0"
        if made and nodes.isdecimal() and int(nodes):
            domain["numNodes"] = leaf(int(nodes), made.place)
        found["computeDomain"] = domain
    if (claim := _gpus(context)) is not None:
        found["dra"] = {"enabled": leaf(True, claim.place)}
    return found


def worker_claims(worker: Worker, context: Context) -> Block:
    """What a worker claims beside, and that it does without the channel where others claim it."""
    found: Block = {}
    claims = [claim for claim in worker.pod.device_claims if claim.used]
    if _channel(context) is not None and not any(claim.is_channel for claim in claims):
        found["computeDomain"] = Leaf(False)
    others = [claim for claim in claims if not claim.is_channel and not claim.gpus]
    if others:
        entries = [_entry(claim) for claim in others]
        found["resourceClaims"] = leaf(entries, others[0].place)
    return found


def made_for(template: str, context: Context) -> str:
    """What became of a ResourceClaimTemplate that is given along."""
    workers = context.deployment.workers
    claims = [c for w in workers for c in w.pod.device_claims if c.template == template]
    if any(claim.gpus for claim in claims):
        return "hardware.dra makes the chart's own"
    if claims:
        return "workers.*.resourceClaims names it, and the chart does not make it: keep it"
    return "the chart has no such object; apply it beside"


def _entry(claim: DeviceClaim) -> dict[str, str]:
    entry = {"name": claim.name}
    if claim.template:
        entry["resourceClaimTemplateName"] = claim.template
    elif claim.claim:
        entry["resourceClaimName"] = claim.claim
    if len(claim.requests) == 1:
        entry["request"] = claim.requests[0]
    return entry


def _channel(context: Context) -> DeviceClaim | None:
    """The first claim of a channel."""
    claims = (claim for w in context.deployment.workers for claim in w.pod.device_claims)
    return next((claim for claim in claims if claim.used and claim.is_channel), None)


def _gpus(context: Context) -> DeviceClaim | None:
    """The first claim of GPUs, where every worker claims its own."""
    claims = [c for w in context.deployment.workers for c in w.pod.device_claims if c.gpus]
    everywhere = all(worker.pod.claimed_gpus for worker in context.deployment.workers)
    return claims[0] if claims and everywhere else None
