"""Does a pod that is told to go finish the answers it has begun?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.model import Platform, Role, Runtime
from gptoss.rules.rule import ANY, ANYWHERE, Need, Said, Severity, rule
from gptoss.rules.subjects import DECODING, FRONTEND, WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Component, Deployment, Frontend, Worker
    from gptoss.facts.world import Release
    from gptoss.text.command import Variable

GRACE = "DYN_GRACEFUL_SHUTDOWN_GRACE_PERIOD_SECS"
DYNAMO_GRACE = 5
WITH_GRACE_FROM = (1, 0)
# What pods get that ask for nothing: of the Dynamo operator, and of Kubernetes itself.
OPERATOR_GRACE = 60
KUBERNETES_GRACE = 30
# What freeing the GPUs may take, with the wait of a prefill worker.
REST = 60


@rule(
    "G100",
    "killed-before-grace-ends",
    Severity.WARNING,
    of=WORKERS,
    platforms=ANYWHERE,
    needs=(Need.RELEASE,),
)
def killed_before_grace_ends(
    worker: Worker, deployment: Deployment, release: Release
) -> Iterator[Said]:
    """A worker is killed before the time is over that Dynamo lets it finish in.

    The answers that still run are cut off, and other workers that fetch what a prefill worker has
    cached may go down with it.
    """
    variable = _variable(worker, deployment)
    seconds = _grace(worker, deployment)
    killed = _killed_after(worker, deployment)
    if seconds is None or killed is None or not (variable or worker.pod.termination_grace):
        return
    drain = release.prefill_drain if worker.role is Role.PREFILL else 0
    if killed <= seconds + drain:
        waits = f" and then {drain} s for what it has cached" if drain else ""
        yield Said(
            worker.pod.termination_grace or worker.pod,
            f"it is killed after {killed} s, but goes on answering for {seconds:g} s{waits}",
            f"give the pod {int(seconds) + REST} s ({_FIELD[deployment.platform]})",
            also=[(variable, f"{GRACE} is {variable.value}")] if variable else [],
        )


@rule(
    "G101",
    "answers-cut-off",
    Severity.WARNING,
    of=DECODING,
    platforms=ANYWHERE,
)
def answers_cut_off(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """A worker cuts its answers off long before the pod's time is over.

    Dynamo looks at its own variable, not at the pod's grace: five seconds after SIGTERM every
    answer that is not finished ends with an error, and the rest of the time is never used.
    """
    given = worker.pod.termination_grace
    if given and given.value >= KUBERNETES_GRACE and _variable(worker, deployment) is None:
        yield Said(
            given,
            f"the pod has {given.value} s to go, but answers are cut off after {DYNAMO_GRACE} s: "
            f"{GRACE} is not set",
            f"set {GRACE} to the seconds of the longest answer, at most "
            f"{max(DYNAMO_GRACE, given.value - REST)}",
        )


@rule(
    "G102",
    "answers-lost-on-update",
    Severity.INFO,
    of=DECODING,
    runtimes=ANY,
)
def answers_lost_on_update(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """Nobody says how long answers may take when a pod goes, and the defaults are short.

    Every update, drained node and smaller number of replicas ends pods. A Dynamo worker then cuts
    off answers that take longer than five seconds; a server of trtllm-serve finishes them, and is
    killed after thirty.
    """
    if worker.pod.termination_grace:
        return
    if deployment.runtime is Runtime.SERVE:
        yield Said(
            worker,
            f"when the pod goes, answers that take longer than {KUBERNETES_GRACE} s are lost: "
            "terminationGracePeriodSeconds is not set",
            "set it to the seconds of the longest answer and a minute more",
        )
    elif _variable(worker, deployment) is None and _has_grace(deployment):
        yield Said(
            worker,
            f"when the pod goes, answers that take longer than {DYNAMO_GRACE} s are cut off: "
            f"{GRACE} is not set",
            "set it to the seconds of the longest answer, and terminationGracePeriodSeconds to a "
            "minute more",
        )


def _has_grace(deployment: Deployment) -> bool:
    """Whether workers of the release know a grace period; releases before 1.0 do not."""
    release = deployment.release
    return release is None or release.number >= WITH_GRACE_FROM


@rule(
    "G103",
    "frontend-goes-before-its-answers",
    Severity.WARNING,
    of=FRONTEND,
)
def frontend_goes_before_its_answers(frontend: Frontend, deployment: Deployment) -> Iterator[Said]:
    """The frontend's pod has less time to go than the workers give their answers.

    Every answer passes through it: killed, it cuts off what workers would have finished.
    """
    killed = _killed_after(frontend, deployment)
    for worker in deployment.workers:
        variable, seconds = _variable(worker, deployment), _grace(worker, deployment)
        if variable is None or killed is None or seconds is None or seconds <= killed:
            continue
        yield Said(
            frontend.pod.termination_grace or frontend.pod,
            f"it is killed after {killed} s, but {worker.name} goes on answering for {seconds:g} s",
            f"give the pod {int(seconds) + REST} s (terminationGracePeriodSeconds)",
            also=[(variable, f"{GRACE} is {variable.value}")],
        )
        return


@rule(
    "G104",
    "no-worker-takes-over",
    Severity.INFO,
    of=FRONTEND,
    platforms=ANYWHERE,
)
def no_worker_takes_over(frontend: Frontend, deployment: Deployment) -> Iterator[Said]:
    """There are several workers, and none takes over the answers of one that dies.

    With a migration limit the frontend hands an answer, with what is written of it, to another
    worker. It is 0 unless set. Structured output is never handed over.
    """
    if frontend.arguments is None or frontend.arguments["--migration-limit"].value != 0:
        return
    for worker in deployment.workers:
        if worker.role is not Role.PREFILL and worker.counted and worker.replica_count > 1:
            yield Said(
                frontend.arguments.command,
                f"answers of a {worker.name} worker that dies are lost, although there are "
                f"{worker.replica_count}: --migration-limit is 0",
                "add --migration-limit 3",
                also=[(worker.replicas or worker, f"{worker.replica_count} replicas")],
            )
            return


_FIELD = {
    Platform.KUBERNETES: "terminationGracePeriodSeconds",
    Platform.CONTAINERS: "stop_grace_period",
}


def _variable(worker: Worker, deployment: Deployment) -> Variable | None:
    """Dynamo's grace period, where it is set; what the graph sets for all wins."""
    return deployment.environment.get(GRACE) or worker.pod.environment.get(GRACE)


def _grace(worker: Worker, deployment: Deployment) -> float | None:
    """Seconds for which a worker goes on answering; None when that is not known."""
    variable = _variable(worker, deployment)
    if variable is None:
        return DYNAMO_GRACE
    try:
        return max(0.0, float(variable.value or ""))
    except ValueError:
        return None


def _killed_after(component: Component, deployment: Deployment) -> int | None:
    """Seconds from the end of a pod to SIGKILL; None when that is not known."""
    if component.pod.termination_grace:
        return component.pod.termination_grace.value
    return OPERATOR_GRACE if deployment.platform is Platform.KUBERNETES else None
