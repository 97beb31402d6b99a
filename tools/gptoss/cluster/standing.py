"""Where an installed deployment stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.cluster.jobs_standing import job_words, measured_words, newest, weights_words
from gptoss.cluster.listed_models import model_words
from gptoss.cluster.parts_standing import component_words, components, graph_words
from gptoss.cluster.pod_words import State, Words, is_ready
from gptoss.sources.parts.container import Task
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from gptoss.cluster.jobs_standing import Log
    from gptoss.cluster.live_cluster import Cluster, Object
    from gptoss.cluster.parts_standing import Component, Seen

WEIGHTS, OPERATOR, MODEL = "weights", "operator", "model"
JOBS = ("benchmark", "accuracy")


@dataclass(frozen=True)
class Standing:
    """Where a deployment stands.

    Attributes:
        name: Name of the graph, or of the workload that runs trtllm-serve.
        namespace, context: Where it is.
        parts: Where each of its parts stands, by its name.
        serves: Whether clients get answers.
    """

    name: str
    namespace: str
    context: str
    parts: dict[str, Words]
    serves: bool

    @property
    def verdict(self) -> str:
        """Whether it serves, and the part to look at, in a few words."""
        part, verdict = self._first(), "serves" if self.serves else "does not serve"
        if part is None:
            return verdict
        yet = "" if self.serves or self.parts[part].state is State.WRONG else " yet"
        return f"{verdict}{', but' if self.serves else f'{yet}:'} {part}"

    @property
    def says(self) -> str:
        """The same in one sentence that says why."""
        part = self._first()
        return f"{self.verdict}: {self.parts[part].text}" if part else self.verdict

    def _first(self) -> str | None:
        """The part that needs somebody most; of several the one that the others wait for."""
        for state in (State.WRONG, State.WORKING):
            for name, words in self.parts.items():
                if name not in JOBS and words.state is state:
                    return name
        return None


def standing(cluster: Cluster, seen: Seen) -> Standing:
    """Where a deployment stands, its server and the logs of its Jobs asked too."""
    log = _log_of(cluster)
    found = list(components(seen))
    parts = {WEIGHTS: weights_words(seen, log)}
    parts |= {each.name: component_words(each, seen) for each in found}
    said = graph_words(seen) if seen.is_graph else None
    if said and said.state is not State.OK:
        parts[OPERATOR] = said
    parts[MODEL] = _model(cluster, seen, found)
    if benchmark := newest(seen, Task.BENCHMARK):
        parts["benchmark"] = measured_words(benchmark, seen, log)
    if accuracy := newest(seen, Task.ACCURACY):
        parts["accuracy"] = job_words(accuracy, seen, log)
    asked = parts[MODEL].state in (State.OK, State.UNKNOWN)
    serves = asked and all(map(_has_ready_pod, found))
    namespace = seen.main["metadata"]["namespace"]
    return Standing(seen.name, namespace, cluster.context, parts, serves)


def _model(cluster: Cluster, seen: Seen, found: list[Component]) -> Words:
    answering = [pod for each in found if each.answers for pod in each.pods if is_ready(pod)]
    if not answering:
        return Words(State.WORKING, "not asked: nothing that answers clients is ready")
    workers = [each for each in found if not each.answers]
    ready = all(component_words(each, seen).state is State.OK for each in workers)
    return model_words(cluster, answering[0], workers_ready=ready)


def _has_ready_pod(component: Component) -> bool:
    return component.wanted == 0 or any(map(is_ready, component.pods))


def _log_of(cluster: Cluster) -> Log:
    """Reads the last lines of a pod's log; none where they cannot be read."""

    def log(pod: Object, lines: int) -> list[str]:
        metadata = pod["metadata"]
        path = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}/log"
        query = {"tailLines": str(lines), "container": pod["spec"]["containers"][0]["name"]}
        try:
            return (cluster.text(path, query) or "").splitlines()
        except InputError:
            return []

    return log
