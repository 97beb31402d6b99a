"""What is there once a target is installed, to hold the words of documents against."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import yaml

from gptoss.text import plain_yaml
from tests.chart.rendering import components, pods, run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

GRAPH = "nvidia.com/dynamo-graph-deployment-name"
KINDS = {
    "pod": "Pod",
    "pods": "Pod",
    "po": "Pod",
    "job": "Job",
    "pvc": "PersistentVolumeClaim",
    "svc": "Service",
    "secret": "Secret",
    "deployment": "Deployment",
    "dynamographdeployment": "DynamoGraphDeployment",
    "configmap": "ConfigMap",
    "scaledobject": "ScaledObject",
    "dgdsa": "DynamoGraphDeploymentScalingAdapter",
}


@dataclass(frozen=True)
class Installed:
    """A target as Helm installs it, and what the cluster makes of it.

    Attributes:
        name: Name of the Helm release.
        namespace: Its namespace.
        objects: What Helm renders, its test included.
        notes: What Helm prints at the end.
    """

    name: str
    namespace: str
    objects: Sequence[dict[str, Any]]
    notes: str

    def labels(self, kind: str) -> Mapping[str, Mapping[str, str]]:
        """Labels by name of everything of a kind, as in ``Pod``."""
        if kind == "Pod":
            return {name: self._pod_labels(name, pod) for name, pod in self.pods.items()}
        found = {
            item["metadata"]["name"]: item["metadata"].get("labels", {})
            for item in self.objects
            if item["kind"] == kind
        }
        if kind == "Service" and self._graph:
            found[f"{self._graph}-frontend"] = {}
        if kind == "Secret":
            found |= {name: {} for name, _ in self.secrets}
        return found

    def selected(self, kind: str, selector: str) -> list[str]:
        """Names of what a label selector finds."""
        wanted = dict(part.split("=") for part in selector.split(","))
        labels = self.labels(kind)
        return sorted(name for name, has in labels.items() if wanted.items() <= has.items())

    @cached_property
    def pods(self) -> Mapping[str, dict[str, Any]]:
        """A pod of everything that makes some, by the name of what makes it."""
        return pods(list(self.objects))

    @cached_property
    def serving(self) -> list[str]:
        """Names of the pods that serve."""
        return sorted(components(list(self.objects)))

    @cached_property
    def secrets(self) -> set[tuple[str, str]]:
        """Name and key of every Secret that a pod reads."""
        references = re.findall(
            r"secretKeyRef:\n\s+key: (\S+)\n\s+name: (\S+)", yaml.dump(list(self.objects))
        )
        return {(name, key) for key, name in references}

    @property
    def _graph(self) -> str | None:
        kind = "DynamoGraphDeployment"
        return next((o["metadata"]["name"] for o in self.objects if o["kind"] == kind), None)

    def _pod_labels(self, name: str, pod: dict[str, Any]) -> dict[str, str]:
        labels = dict(pod["metadata"].get("labels", {}))
        if self._graph and name in self.serving:
            labels[GRAPH] = self._graph
        return labels


def installed(namespace: str, *words: str) -> Installed:
    """What the words of a ``helm install`` make, by the pinned Helm and without a cluster."""
    if "-n" not in words:
        words = (*words, "-n", namespace)
    done = run("helm4", *words, "--dry-run=client")
    assert done.returncode == 0, f"helm {words}: {done.stderr}"
    manifest, _, told = done.stdout.partition("\nNOTES:\n")
    loaded = [o for o in plain_yaml.load_all(_objects(manifest)) if o]
    return Installed(words[1], namespace, loaded, told)


def _objects(text: str) -> str:
    """The manifest and hooks of what Helm prints, without its headings."""
    _, _, text = text.partition("HOOKS:\n")
    return text.replace("\nMANIFEST:\n", "\n")
