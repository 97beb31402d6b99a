"""Where the parts of an installed deployment stand: its pods, and who makes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from gptoss.cluster.pod_sets import pods_of_component
from gptoss.cluster.pod_words import State, Words, counted, is_ready, pod_words
from gptoss.sources.kubernetes.graph import GRAPH_LABEL, KIND

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from gptoss.cluster.live_cluster import Object

FRONTEND = "frontend"
COMPONENT = "nvidia.com/dynamo-component"
# What tells the pods of one template from those of the next; the first that a pod has. The nodes of
# a worker on several have a template each, and one hash.
VERSIONS = ("nvidia.com/dynamo-worker-hash", "pod-template-hash", "controller-revision-hash")


@dataclass(frozen=True)
class Seen:
    """What was read of a deployment at one moment.

    Attributes:
        main: The graph, or the workload that runs trtllm-serve.
        pods: Pods of the namespace, which may be of others too.
        makers: Deployments and ReplicaSets of the namespace.
        claims, jobs, daemons: Those of the release.
        all_claims: Claims of the namespace.
        events: Events of the namespace.
        now: The moment.
    """

    main: Object
    now: datetime
    pods: Sequence[Object] = ()
    makers: Sequence[Object] = ()
    claims: Sequence[Object] = ()
    all_claims: Sequence[Object] = ()
    jobs: Sequence[Object] = ()
    daemons: Sequence[Object] = ()
    events: Sequence[Object] = ()

    @property
    def name(self) -> str:
        """The name of the graph or workload."""
        return str(self.main["metadata"]["name"])

    @property
    def is_graph(self) -> bool:
        """Whether Dynamo serves it."""
        return str(self.main["kind"]) == KIND


class Component(NamedTuple):
    """What has pods that serve.

    Attributes:
        name: Its name.
        wanted: How many pods there are to be.
        pods: Those that there are.
        answers: Whether clients ask it.
    """

    name: str
    wanted: int
    pods: list[Object]
    answers: bool


def components(seen: Seen) -> Iterator[Component]:
    """The components of a graph, or the server, with their pods."""
    spec = seen.main["spec"]
    if not seen.is_graph:
        labels = spec["selector"]["matchLabels"].items()
        mine = [pod for pod in seen.pods if labels <= _labels(pod).items()]
        yield Component("server", spec.get("replicas", 1), mine, answers=True)
        return
    services = spec.get("services") or {each["name"]: each for each in spec.get("components", [])}
    for name, each in services.items():
        mine = [
            pod
            for pod in seen.pods
            if _labels(pod).get(GRAPH_LABEL) == seen.name
            and _labels(pod).get(COMPONENT, "").lower() == name.lower()
        ]
        answers = FRONTEND in (each.get("componentType"), each.get("type"))
        yield Component(name, pods_of_component(each), mine, answers)


def component_words(component: Component, seen: Seen) -> Words:
    """Where a component stands."""
    ended = ("Succeeded", "Failed")
    alive = [p for p in component.pods if p.get("status", {}).get("phase") not in ended]
    staying = [pod for pod in alive if "deletionTimestamp" not in pod["metadata"]]
    newest = max(staying, key=lambda pod: str(pod["metadata"]["creationTimestamp"]), default=None)
    now = [pod for pod in staying if newest and _version(pod) == _version(newest)]
    ready, before = [pod for pod in now if is_ready(pod)], len(alive) - len(now)
    count = f"{len(ready)} of {component.wanted} ready"
    if before:
        count += f", and {counted(before, 'pod')} of before still there"
    others = [pod_words(pod, seen.events, seen.now) for pod in now if pod not in ready]
    if slowest := worst(others):
        beside = f" (and {counted(len(others) - 1, 'other')})" if len(others) > 1 else ""
        return slowest._replace(text=f"{count}: {slowest.text}{beside}")
    if len(now) < component.wanted:
        return _missing(component, count, seen)
    if component.wanted == 0 and component.answers:
        return Words(State.WRONG, "none is asked for: it is scaled to 0")
    return Words(State.WORKING if before else State.OK, count)


def _missing(component: Component, count: str, seen: Seen) -> Words:
    """Pods that nobody has made."""
    here = f"-n {seen.main['metadata']['namespace']}"
    stem = component.name.lower() if seen.is_graph else seen.name
    prefix = f"{seen.name}-{stem}" if seen.is_graph else seen.name
    refused = [text for maker in seen.makers if (text := _refusal(maker, prefix))]
    refused += [text for event in seen.events if (text := _told(event, seen.name, stem))]
    if refused:
        return Words(
            State.WRONG,
            f"{count}: pods are refused: {refused[0]}",
            f"kubectl get events {here} --field-selector reason=FailedCreate",
        )
    return Words(State.WORKING, f"{count}: its pods have not been made yet")


def _refusal(maker: Object, prefix: str) -> str:
    """Why a Deployment or ReplicaSet cannot make its pods; '' where nothing stops it."""
    if not maker["metadata"]["name"].startswith(prefix):
        return ""
    for condition in maker.get("status", {}).get("conditions", []):
        if condition["type"] == "ReplicaFailure" and condition["status"] == "True":
            return str(condition.get("message", "no reason is given"))
    return ""


def _told(event: Object, name: str, stem: str) -> str:
    """Why pods cannot be made, as an event on what makes them tells, of Grove for one."""
    about = str(event["involvedObject"].get("name", ""))
    if event.get("reason") != "FailedCreate" or not about.startswith(f"{name}-"):
        return ""
    return str(event.get("message", "")) if stem in about.removeprefix(f"{name}-") else ""


def graph_words(seen: Seen) -> Words | None:
    """What the operator says of a graph, where the pods do not say it; None where all is well."""
    status, metadata = seen.main.get("status", {}), seen.main["metadata"]
    look = f"kubectl describe dgd -n {metadata['namespace']} {seen.name}"
    conditions = {each["type"]: each for each in status.get("conditions", [])}
    ready = conditions.get("Ready", {})
    if status.get("observedGeneration", 0) < metadata.get("generation", 0):
        return Words(
            State.WORKING,
            "the Dynamo operator has not taken up the last change; where that stays so it does not "
            "run, or does not watch this namespace",
            look,
        )
    if status.get("state") == "failed":
        said = ready.get("message") or "it gives no reason"
        return Words(State.WRONG, f"the Dynamo operator has failed: {said}", look)
    if status.get("state") == "successful":
        return Words(State.OK, "the Dynamo operator says that the graph is ready")
    because = ready.get("message") or ready.get("reason") or "it gives no reason"
    return Words(State.WORKING, f"the Dynamo operator waits: {because}", look)


def worst(found: Iterable[Words]) -> Words | None:
    """Of several the one that needs somebody most."""
    order = (State.WRONG, State.WORKING, State.UNKNOWN, State.OK)
    return min(found, key=lambda words: order.index(words.state), default=None)


def _labels(thing: Object) -> dict[str, str]:
    labels: dict[str, str] = thing["metadata"].get("labels", {})
    return labels


def _version(pod: Object) -> str:
    labels = _labels(pod)
    return next((labels[name] for name in VERSIONS if name in labels), "")
