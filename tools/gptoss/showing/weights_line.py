"""Where the weights lie and come from, unless a claim made here is filled from the hub."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gptoss.deployment.model import Deployment

# Where the chart mounts a volume that is not its own.
VOLUME = "/opt/model-volume"


def weights_line(deployment: Deployment) -> list[str]:
    """One line, or none where there is nothing to say."""
    found = weights_json(deployment)
    told = [found["volume"]] if found["volume"] else []
    told += [f"from {found['source']}"] if found["source"] else []
    further = found["further_revisions"]
    told += [f"further commits {', '.join(each[:12] for each in further)}"] if further else []
    return [f"weights: {'; '.join(told)}"] if told else []


def weights_json(deployment: Deployment) -> dict[str, Any]:
    """The same as data; a claim that is made here is left out."""
    downloads = [job.pod for job in deployment.downloads]
    further = next((v for pod in downloads if (v := pod.variable("FURTHER_REVISIONS"))), "")
    return {
        "volume": _volume(deployment),
        "source": next((v for pod in downloads if (v := pod.variable("MODEL_SOURCE"))), None),
        "further_revisions": further.split(),
    }


def _volume(deployment: Deployment) -> str | None:
    made = {claim.value for claim in deployment.claims}
    for worker in deployment.workers:
        path = worker.model.value if worker.model else ""
        mount = worker.pod.mount_at(VOLUME)
        if mount is None and path.startswith("/"):
            mount = worker.pod.mount_at(path)
        if mount and (mount.claim or mount.source):
            return None if mount.claim in made else _named(mount.claim, mount.source)
    return None


def _named(claim: str | None, source: str) -> str:
    return f"claim {claim}" if claim else source
