"""Every key of the rendered pods, and of what stands around them."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, NamedTuple

from sweep.bases import documents, said_to, with_document
from sweep.cases import Case
from sweep.nodes import leaves, node_at, put
from sweep.plausible import distinct, of_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sweep.bases import Said
    from sweep.judgements import Judgements

SURFACE = "pods"
GRAPH, SERVER = "disagg-gb200", "serve-throughput-b200"
COMPONENT = "app.kubernetes.io/component"


class Part(NamedTuple):
    """What keys begin with, and where in a target that is.

    Attributes:
        name: What keys begin with.
        target: The target.
        kind: Kind of the object.
        path: Path in the object.
        component: The object's label of that name.
    """

    name: str
    target: str
    kind: str
    path: str = "spec"
    component: str = ""


PARTS = {
    part.name: part
    for part in (
        Part("graph", GRAPH, "DynamoGraphDeployment", ""),
        Part("frontend", GRAPH, "DynamoGraphDeployment", "spec.services.frontend"),
        Part("worker", GRAPH, "DynamoGraphDeployment", "spec.services.decode"),
        Part("benchmark", GRAPH, "Job", "spec", "benchmark"),
        Part("download", GRAPH, "Job", "spec", "download"),
        Part("claim", GRAPH, "PersistentVolumeClaim"),
        Part("config", GRAPH, "ConfigMap", "metadata"),
        Part("server", SERVER, "Deployment"),
        Part("service", SERVER, "Service"),
    )
}
# Of the graph, what is a part of its own or says nothing about pods.
LEFT_OUT = ("graph.spec.services.", "graph.metadata.labels.", "graph.kind", "config.labels.")


def pod_cases(judgements: Judgements) -> Iterator[Case]:
    """Each key with each value that is to be tried."""
    known: dict[str, Any] = {}
    for part in PARTS.values():
        below = node_at(documents(part.target)[_number(part)], part.path)
        known.update((f"{part.name}.{key}", value) for key, value in leaves(below))
    known = {key: value for key, value in known.items() if not key.startswith(LEFT_OUT)}
    listed = dict.fromkeys(key for key in judgements.keys if "*" not in key)
    for key, current in {**listed, **known}.items():
        tried = [] if key not in known or judgements.only_listed(key) else [*of_value(current)]
        for value in distinct(iter([*tried, *judgements.values(key)]), current):
            yield Case(SURFACE, key, value)


def said_to_pod(case: Case, judgements: Judgements) -> Said:  # noqa: ARG001 (one form for all)
    """What check says to a value."""
    name, _, key = case.key.partition(".")
    part = PARTS[name]
    number = _number(part)
    changed = deepcopy(documents(part.target)[number])
    put(changed, f"{part.path}.{key}" if part.path else key, case.value)
    return said_to(with_document(part.target, number, changed), part.target)


def _number(part: Part) -> int:
    """Which of the target's documents it is in."""
    return next(
        number
        for number, document in enumerate(documents(part.target))
        if document["kind"] == part.kind
        and part.component in ("", document["metadata"]["labels"].get(COMPONENT))
    )
