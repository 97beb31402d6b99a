"""Does Kubernetes wait for a server that loads, and can it replace one?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.graph.probes import LOADING_SECONDS
from gptoss.rules.rule import SERVE, Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Worker

DEFAULT_DEADLINE = 600


@rule(
    "G090",
    "server-without-readiness-probe",
    Severity.WARNING,
    of=WORKERS,
    runtimes=SERVE,
)
def server_without_readiness_probe(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """A server has neither readiness nor startup probe, so it counts as ready while it loads.

    Loading takes 15 to 30 minutes in which nothing listens. The Service sends requests there all
    the same, and an update ends the old server before the new one answers.
    """
    managed = deployment.rollout or deployment.services
    if managed and not {"readiness", "startup"} & worker.pod.probes.keys():
        yield Said(
            worker,
            "the server counts as ready as soon as its container starts, but loading the model "
            "takes 15 to 30 minutes",
            "add a startupProbe and a readinessProbe on /health",
        )


@rule(
    "G091",
    "rollout-deadline-before-loading",
    Severity.WARNING,
    runtimes=SERVE,
)
def rollout_deadline_before_loading(deployment: Deployment) -> Iterator[Said]:
    """A Deployment counts as failed while its server is still loading the model.

    Ten minutes without progress are enough unless progressDeadlineSeconds says otherwise. Helm and
    Argo CD then report a failure and may roll back, although nothing is wrong.
    """
    rollout = deployment.rollout
    probed = any({"readiness", "startup"} & w.pod.probes.keys() for w in deployment.workers)
    if rollout is None or not probed:
        return
    seconds = rollout.deadline.value if rollout.deadline else DEFAULT_DEADLINE
    if seconds < LOADING_SECONDS:
        told = "" if rollout.deadline else " by default"
        yield Said(
            rollout.deadline or rollout,
            f"progressDeadlineSeconds is {seconds}{told}, but loading the model takes 15 to 30 "
            "minutes: the rollout is reported as failed before",
            f"write progressDeadlineSeconds: {2 * LOADING_SECONDS}",
        )


@rule(
    "G092",
    "update-needs-spare-gpus",
    Severity.WARNING,
    runtimes=SERVE,
)
def update_needs_spare_gpus(deployment: Deployment) -> Iterator[Said]:
    """An update starts a new server before it ends an old one, because nobody said otherwise.

    That is what a Deployment does unless its strategy says otherwise, and it takes GPUs that
    nothing uses. Where there are none the new pod waits for the old one and the update for the new
    pod. A maxSurge that is written down is taken to be meant.
    """
    rollout = deployment.rollout
    if rollout is None or rollout.surge or not deployment.gpus:
        return
    if rollout.strategy and rollout.strategy.value != "RollingUpdate":
        return
    replicas = max(worker.replica_count for worker in deployment.workers)
    more = -(-replicas // 4) * deployment.workers[0].gpus
    yield Said(
        rollout.strategy or rollout,
        f"an update needs {more} more GPUs: by default it starts a new server before it ends an "
        "old one, and waits for ever where there are none",
        "write strategy: {type: Recreate}, or rollingUpdate: {maxSurge: 0, maxUnavailable: 1}",
    )
