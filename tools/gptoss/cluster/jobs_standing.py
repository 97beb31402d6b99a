"""Where the weights and the Jobs of an installed deployment stand."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from gptoss.cluster.parts_standing import worst
from gptoss.cluster.pod_words import State, Words, ago, counted, parsed, pod_words
from gptoss.sources.kubernetes.workloads import job as job_container
from gptoss.sources.parts.container import Task
from gptoss.text.yaml_tree import parse_documents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gptoss.cluster.live_cluster import Object
    from gptoss.cluster.parts_standing import Seen

    # Gives the last lines of a pod's log; nothing where they cannot be read.
    Log = Callable[[Object, int], list[str]]

JOB_NAME = "batch.kubernetes.io/job-name"
RESULT_LINES = 60
RATE = "tokens/s"


class Result(NamedTuple):
    """The best step of a benchmark, as its log tells.

    Attributes:
        concurrency: Requests in flight that were asked for.
        rate: Tokens a second that were answered.
    """

    concurrency: str
    rate: float


def newest(seen: Seen, task: Task) -> Object | None:
    """The newest Job that does something."""
    found = [job for job in seen.jobs if _task(job) is task]
    return max(found, key=lambda job: str(job["metadata"]["creationTimestamp"]), default=None)


def _task(job: Object) -> Task | None:
    (tree,) = parse_documents(json.dumps(job), "job")
    return job_container(tree, job["metadata"]["name"]).sign


def weights_words(seen: Seen, log: Log) -> Words:
    """Where the weights stand: the claim, and what fills it."""
    said = [_claim_words(name, seen) for name in sorted(_claim_names(seen))]
    if job := newest(seen, Task.DOWNLOAD):
        said.append(job_words(job, seen, log))
    said += [_daemon_words(each) for each in seen.daemons]
    found = worst(said)
    if found is None:
        return Words(State.UNKNOWN, "no claim and no download Job is there")
    return found._replace(text="; ".join(each.text for each in said))


def _claim_names(seen: Seen) -> set[str]:
    """Names of claims that pods of the deployment mount."""
    return {*_values(seen.main["spec"], "claimName"), *(c["metadata"]["name"] for c in seen.claims)}


def _values(thing: Any, key: str) -> Iterator[str]:
    inside = thing.values() if isinstance(thing, dict) else thing if isinstance(thing, list) else ()
    if isinstance(thing, dict) and isinstance(thing.get(key), str):
        yield thing[key]
    for each in inside:
        yield from _values(each, key)


def _claim_words(name: str, seen: Seen) -> Words:
    """Where a claim stands."""
    here = f"-n {seen.main['metadata']['namespace']}"
    look = f"kubectl describe pvc {here} {name}"
    claims = {each["metadata"]["name"]: each for each in seen.all_claims}
    if name not in claims:
        return Words(State.WRONG, f"claim {name} does not exist", f"kubectl get pvc {here}")
    status = claims[name].get("status", {})
    phase = status.get("phase")
    if phase == "Bound":
        holds = status.get("capacity", {}).get("storage", "an unknown size")
        return Words(State.OK, f"claim {name} holds {holds}")
    if phase == "Lost":
        return Words(State.WRONG, f"the volume of claim {name} is lost", look)
    told = [event for event in seen.events if event["involvedObject"].get("name") == name]
    warnings = [event for event in told if event.get("type") == "Warning"]
    if warnings:
        return Words(State.WRONG, f"claim {name} gets no volume: {warnings[-1]['message']}", look)
    if any(event.get("reason") == "WaitForFirstConsumer" for event in told):
        return Words(
            State.WORKING, f"claim {name} waits until a pod that mounts it has a node", look
        )
    return Words(State.WORKING, f"claim {name} has no volume yet", look)


def _daemon_words(daemons: Object) -> Words:
    """Where the download to the nodes' own disks stands."""
    status, metadata = daemons.get("status", {}), daemons["metadata"]
    ready, wanted = status.get("numberReady", 0), status.get("desiredNumberScheduled", 0)
    text = f"{metadata['name']} is ready on {ready} of {counted(wanted, 'node')}"
    look = f"kubectl rollout status daemonset/{metadata['name']} -n {metadata['namespace']}"
    return Words(State.OK, text) if ready == wanted else Words(State.WORKING, text, look)


def job_words(job: Object, seen: Seen, log: Log) -> Words:
    """Where a Job stands."""
    name, status = job["metadata"]["name"], job.get("status", {})
    logs = f"kubectl logs -n {job['metadata']['namespace']} job/{name}"
    conditions = {c["type"]: c for c in status.get("conditions", []) if c["status"] == "True"}
    if done := conditions.get("Complete"):
        return Words(State.OK, f"{name} ended well {ago(done['lastTransitionTime'], seen.now)} ago")
    if failed := conditions.get("Failed"):
        pods = _pods(job, seen)
        last = _last_line(pods, log)
        because = failed.get("message") or failed.get("reason", "")
        return Words(State.WRONG, f"{name} has failed: {because}{last}", logs)
    if job["spec"].get("suspend"):
        return Words(State.WORKING, f"{name} is suspended")
    return _running(job, seen, log, logs)


def _running(job: Object, seen: Seen, log: Log, logs: str) -> Words:
    name, status = job["metadata"]["name"], job.get("status", {})
    attempts = status.get("failed") or 0
    again = f"; {counted(attempts, 'attempt')} before failed" if attempts else ""
    pods = _pods(job, seen)
    if not pods:
        refused = [e["message"] for e in seen.events if e["involvedObject"].get("name") == name]
        if refused:
            return Words(State.WRONG, f"{name} has no pod: {refused[-1]}", logs)
        return Words(State.WORKING, f"{name} has no pod yet")
    pod = pods[-1]
    main = pod.get("status", {}).get("containerStatuses") or [{}]
    running = main[0].get("state", {}).get("running")
    if running and not attempts:
        since = ago(running["startedAt"], seen.now)
        return Words(
            State.WORKING, f"{name} has run for {since}{_last_line(pods, log)}", f"{logs} -f"
        )
    words = pod_words(pod, seen.events, seen.now)
    return words._replace(text=f"{words.text}{again}{_last_line(pods, log)}")


def _pods(job: Object, seen: Seen) -> list[Object]:
    """The pods of a Job, the newest last."""
    name = job["metadata"]["name"]
    mine = [pod for pod in seen.pods if pod["metadata"].get("labels", {}).get(JOB_NAME) == name]
    return sorted(mine, key=lambda pod: parsed(pod["metadata"]["creationTimestamp"]))


def _last_line(pods: list[Object], log: Log) -> str:
    lines = log(pods[-1], 1) if pods else []
    return f"; it says: {lines[-1]}" if lines else ""


def measured_words(job: Object, seen: Seen, log: Log) -> Words:
    """Where a benchmark stands, with what it measured."""
    words, pods = job_words(job, seen, log), _pods(job, seen)
    if words.state is not State.OK or not pods:
        return words
    best = best_of(log(pods[-1], RESULT_LINES))
    if best is None:
        return words
    told = f"{best.rate:,.0f} tokens/s at concurrency {best.concurrency}"
    return words._replace(text=f"{words.text}: {told}")


def best_of(lines: list[str]) -> Result | None:
    """The best step in the tables that the chart's benchmark prints; None where there is none."""
    best, rate = None, None
    for line in lines:
        cells = re.split(r"\s{2,}", line.strip())
        if cells[0] == "concurrency":
            rate = cells.index(RATE) if RATE in cells else None
        elif rate is not None and len(cells) > rate and re.fullmatch(r"[\d.]+", cells[rate]):
            found = Result(cells[0], float(cells[rate]))
            best = max(best or found, found, key=lambda each: each.rate)
        else:
            rate = None
    return best
