"""When workers are replaced: one hash for all of a graph, of what their pods are made of.

So a change in one worker replaces them all; the frontend, replicas and scaling are not in it.
Source: ai-dynamo/dynamo deploy/operator/internal/dynamo/hash.go @03bad24; the numbers are others
there.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from testcluster.operator.conversion import components
from testcluster.operator.validation import WORKERS

CURRENT = "nvidia.com/current-worker-hash"
LABEL = "nvidia.com/dynamo-worker-hash"
OF_THE_GRAPH = ("backendFramework", "env")
OF_A_WORKER = (
    "compilationCache", "experimental", "frontendSidecar", "globalDynamoNamespace", "multinode",
    "podTemplate", "sharedMemorySize",
)  # fmt: skip
DIGITS = 8


def worker_hash(graph: dict[str, Any]) -> str:
    """The hash of a graph of v1beta1."""
    workers = {
        component["name"]: {key: component.get(key) for key in OF_A_WORKER}
        for component in components(graph)
        if component.get("type") in WORKERS
    }
    spec = {key: graph["spec"].get(key) for key in OF_THE_GRAPH}
    text = json.dumps([spec, workers], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def is_rolled_by_hash(graph: dict[str, Any]) -> bool:
    """Whether the operator rolls the workers itself: not where one has several nodes."""
    return not any(component.get("multinode") for component in components(graph))
