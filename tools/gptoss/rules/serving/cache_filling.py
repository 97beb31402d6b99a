"""Does the model cache hold the model that is served?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.hub import is_commit, snapshot_of
from gptoss.rules.readings import is_hub_id, pods
from gptoss.rules.rule import KUBERNETES, Need, Said, Severity, rule
from gptoss.rules.serving.model_files import DEFAULT_HOME, home_of
from gptoss.rules.subjects import DOWNLOADS, WORKERS
from gptoss.text.places import Located
from gptoss.text.quantity import amount

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.jobs import Download
    from gptoss.deployment.model import Deployment, Worker
    from gptoss.deployment.objects import Claim
    from gptoss.facts.world import Facts, Model

GIB = 2**30
# Flags by which a download goes elsewhere than into the cache of the Hugging Face libraries.
ELSEWHERE = ("--local-dir", "--cache-dir", "local_dir", "cache_dir")


@rule(
    "S200",
    "claim-smaller-than-weights",
    Severity.WARNING,
    platforms=KUBERNETES,
    needs=(Need.MODEL,),
)
def claim_smaller_than_weights(deployment: Deployment, model: Model) -> Iterator[Said]:
    """The claim of the model cache is smaller than the weights of all revisions that it is to hold.

    Storage that keeps to its sizes is full before the download is over, and workers wait for ever
    for a cache that is never complete. Some shared file systems take the size for a mere number.
    """
    further = max((len(_further(job)) for job in deployment.downloads), default=0)
    weights = (1 + further) * (model.checkpoint_bytes / GIB)
    of = f"of {1 + further} revisions " if further else "alone "
    for claim in _caches(deployment):
        size = amount(claim.size.value) if claim.size else None
        if claim.size and size is not None and size < weights * GIB:
            yield Said(
                claim.size,
                f"claim {claim.name} has {claim.size.value}, but the weights {of}have "
                f"{weights:.0f} GiB",
                f"write {100 + 50 * further}Gi or more",
            )


def _further(job: Download) -> list[str]:
    """Commits that the chart's download fetches beside the one that is served."""
    return (job.pod.variable("FURTHER_REVISIONS") or "").split()


def _caches(deployment: Deployment) -> Iterator[Claim]:
    """The claims that hold the model: those that are filled, or that workers read it from."""
    names = {mount.claim for job in deployment.downloads for mount in job.pod.mounts}
    for worker in deployment.workers:
        path = worker.model.value if worker.model else ""
        mount = worker.pod.mount_at(home_of(worker) if is_hub_id(path) else path)
        names.add(mount.claim if mount else None)
    return (claim for claim in deployment.volumes if claim.name in names)


@rule(
    "S201",
    "revision-of-another-model",
    Severity.ERROR,
)
def revision_of_another_model(deployment: Deployment, facts: Facts) -> Iterator[Said]:
    """A model is asked for at a commit of another model's repository.

    The hub answers that there is no such revision, and what asked for it stops. That is easily done
    where the model is changed and the revision below it is left as it was.
    """
    known = {model.revision: model.id for model in facts.models.values()}
    for model, revision, at in _asked(deployment):
        owner = known.get(revision.value)
        if owner is not None and owner != model:
            yield Said(
                at,
                f"{model} is asked for at {revision.value[:12]}, which is a commit of {owner}",
                f"write a commit of {model}",
            )


def _asked(deployment: Deployment) -> Iterator[tuple[str, Located[str], Located[str]]]:
    """Each model with the commit that is asked for, and where to say so."""
    for job in deployment.downloads:
        if job.model and job.revision and is_hub_id(job.model.value):
            yield job.model.value, job.revision, job.model
    for worker in deployment.workers:
        found = snapshot_of(worker.model.value) if worker.model else None
        if worker.model and found and is_commit(found.revision):
            yield found.repository, Located(found.revision, worker.model.place), worker.model


@rule(
    "S202",
    "nothing-fills-the-cache",
    Severity.INFO,
    of=WORKERS,
    platforms=KUBERNETES,
)
def nothing_fills_the_cache(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """The claim that a worker reads the model from is made here, and nothing here fills it.

    A claim that is made new is empty. Until somebody fills it by hand, every pod waits or fails.
    """
    path = worker.model.value if worker.model else ""
    mount = worker.pod.mount_at(path) if path.startswith("/") else None
    filled = {found.claim for job in deployment.downloads for found in job.pod.mounts}
    writable = {m.claim for _, pod in pods(deployment) for m in pod.mounts if not m.read_only}
    for claim in deployment.volumes if mount else ():
        if mount and claim.name == mount.claim and claim.name not in filled | writable:
            yield Said(
                claim,
                f"claim {claim.name} is made here, but no Job here fills it",
                "add the download Job, or name a claim that is filled",
            )


@rule(
    "S203",
    "download-into-the-container",
    Severity.WARNING,
    of=DOWNLOADS,
    platforms=KUBERNETES,
)
def download_into_the_container(job: Download) -> Iterator[Said]:
    """The download Job writes to a folder of its own container.

    What it fetched goes with its pod, or fills the node's disk before that. Workers wait for a
    cache that stays empty.
    """
    said = " ".join(command.line for command in job.pod.commands)
    home = next(
        (v for name in ("HF_HUB_CACHE", "HF_HOME") if (v := job.pod.environment.get(name))), None
    )
    folder = home.value if home else DEFAULT_HOME
    if folder is None or any(flag in said for flag in ELSEWHERE) or job.pod.mount_at(folder):
        return
    if not any(mount.claim for mount in job.pod.mounts):
        return
    claim = next(mount for mount in job.pod.mounts if mount.claim)
    yield Said(
        home or job,
        f"it downloads into {folder}, where no volume is mounted",
        f"write HF_HOME: {claim.path}",
        also=[(claim, f"claim {claim.claim} is mounted at {claim.path}")],
    )
