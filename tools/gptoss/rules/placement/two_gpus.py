"""Is there a node that has all labels that a pod asks for?"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from gptoss.rules.placement.wrong_nodes import GPU_LABEL
from gptoss.rules.rule import Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Worker


@rule(
    "L202",
    "labels-of-two-gpus",
    Severity.ERROR,
    of=WORKERS,
)
def labels_of_two_gpus(worker: Worker) -> Iterator[Said]:
    """A pod asks for nodes that have one kind of GPU and another kind too.

    Node selector and required affinity have to hold together, and a label has one value. The pod
    stays Pending for ever.
    """
    asked = [
        node
        for node in worker.pod.nodes
        if node.required and node.operator == "In" and node.key == GPU_LABEL
    ]
    for first, second in pairwise(asked):
        if not {*first.values} & {*second.values}:
            one, other = (" or ".join(node.values) for node in (first, second))
            yield Said(
                first,
                f"the pod asks for {GPU_LABEL} {one} and for {other}; no node has both",
                "keep one of the two",
                also=[(second, f"asks for {other}")],
            )
