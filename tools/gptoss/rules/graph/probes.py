"""Do probes and scripts let a worker load, and let it die when it fails?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.deployment.model import Runtime
from gptoss.rules.rule import ANY, Need, Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Worker
    from gptoss.deployment.pods import Probe
    from gptoss.facts.world import Release
    from gptoss.text.command import Command

LOADING_SECONDS = 30 * 60
# Types for which the operator adds a startup probe that waits for two hours.
PROBED_TYPES = ("worker", "prefill", "decode")
LONG_SLEEP = 600


@rule(
    "G040",
    "probe-ends-loading",
    Severity.WARNING,
    of=WORKERS,
    runtimes=ANY,
)
def probe_ends_loading(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """A worker's own probe restarts it while it may still be loading the model.

    Loading takes 15 to 30 minutes from a network volume, and a container that is restarted begins
    again, for ever. The operator's own startup probe waits two hours and ends as soon as the worker
    answers; one that is written in the manifest replaces it whole. A server of trtllm-serve has
    only the probes that are written. A long startup probe costs nothing.
    """
    found = _loading_probe(worker)
    if found is None or found[1].seconds >= LOADING_SECONDS:
        return
    kind, probe = found
    period = max(1, probe.period)
    threshold = -(-max(0, LOADING_SECONDS - probe.delay) // period)
    yield Said(
        probe,
        f"the {kind} probe gives up after {probe.seconds} s, but loading the "
        "model takes 15 to 30 minutes",
        f"write failureThreshold: {threshold} with periodSeconds: {period}"
        f"{_OTHERWISE[deployment.runtime, kind]}",
    )


_OTHERWISE = {
    (Runtime.DYNAMO, "startup"): ", or leave the probe to the operator",
    (Runtime.DYNAMO, "liveness"): ", or leave the probe to the operator",
    (Runtime.SERVE, "startup"): "",
    (Runtime.SERVE, "liveness"): ", or add a startupProbe that waits so long",
}


def _loading_probe(worker: Worker) -> tuple[str, Probe] | None:
    """The probe that judges a worker while it loads, when the user wrote it."""
    probes = worker.pod.probes
    if "startup" in probes:
        return "startup", probes["startup"]
    typed = worker.type is not None and worker.type.value in PROBED_TYPES
    return ("liveness", probes["liveness"]) if "liveness" in probes and not typed else None


@rule(
    "G105",
    "one-late-answer-restarts",
    Severity.INFO,
    of=WORKERS,
    needs=(Need.RELEASE,),
)
def one_late_answer_restarts(worker: Worker, release: Release) -> Iterator[Said]:
    """The operator restarts a worker that answers its liveness probe late once.

    Before release 1.5 the operator's own probe gives a worker four seconds, and one chance. One
    that stalls for longer is restarted, loses its answers and loads the model anew. From 1.5 on it
    has three chances. A probe that is written takes the place of the operator's.
    """
    typed = worker.type is not None and worker.type.value in PROBED_TYPES
    if typed and worker.nodes.value == 1 and "liveness" not in worker.pod.probes:
        yield Said(
            worker,
            f"the operator of release {release.version} restarts it when it answers its liveness "
            "probe later than four seconds, once",
            "write a livenessProbe on /live, port 9090, with failureThreshold: 3",
        )


@rule(
    "G041",
    "crash-hidden",
    Severity.WARNING,
    of=WORKERS,
    runtimes=ANY,
)
def crash_hidden(worker: Worker) -> Iterator[Said]:
    """A worker's script goes on sleeping after the worker has failed.

    The container never ends, so nothing restarts it: a crashed worker holds its GPUs and serves
    nothing until a probe or a person notices.
    """
    commands = worker.pod.commands
    if not worker.pod.uses_shell or worker.command not in commands:
        return
    for command in commands[commands.index(worker.command) + 1 :]:
        if _idles(command):
            yield Said(
                command,
                f"after a crash the script runs {command.line!r}, so the "
                "container never ends and is never restarted",
                "let the worker be the script's last command",
            )
            break


def _idles(command: Command) -> bool:
    """Whether a command does nothing for long."""
    if re.search(r"\btail (-f|--follow) /dev/null\b", command.line):
        return True
    seconds = re.search(r"\bsleep (infinity|inf|\d+)\b", command.line)
    return bool(seconds) and (
        not seconds[1].isdecimal() or int(seconds[1]) >= LONG_SLEEP  # type: ignore[index]
    )
