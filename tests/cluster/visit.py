"""Somebody who follows a document on a cluster, and what he sees there."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from testcluster.programs import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable

    from gptoss.deployment.model import Deployment
    from testcluster.control_plane import Cluster
    from tests.chart.odd_server import Odd
    from tests.cluster.terminal import Terminal

INSTANCE = "app.kubernetes.io/instance=gpt-oss"
GRAPHS = "dynamographdeployments.nvidia.com"
# What is ours in a namespace.
KINDS = f"{GRAPHS},deployments,services,jobs,pods,configmaps,persistentvolumeclaims"


@dataclass
class Visit:
    """Somebody who follows a document.

    Attributes:
        cluster: Where.
        terminal: Where commands are typed.
        namespace: What ``NAMESPACE`` is.
        deployment: The target as the checker knows it.
        server: What answers behind a forwarded port.
        asks: What is typed as soon as a port is forwarded.
        taken: The steps so far, in words.
    """

    cluster: Cluster
    terminal: Terminal
    namespace: str
    deployment: Deployment
    server: Odd
    asks: list[str]
    taken: list[str] = field(default_factory=list)

    def objects(self, kinds: str = KINDS, *words: str) -> list[dict[str, Any]]:
        """What the namespace holds, without what every namespace has."""
        found = self.cluster.objects(kinds, "--namespace", self.namespace, *words)
        return [thing for thing in found if thing["metadata"]["name"] != "kube-root-ca.crt"]

    def names(self, kinds: str = KINDS) -> list[str]:
        """What the namespace holds, as Kind/name."""
        return [f"{thing['kind']}/{thing['metadata']['name']}" for thing in self.objects(kinds)]

    def part(self, kind: str, component: str) -> list[dict[str, Any]]:
        """The objects of a kind that belong to a part of the release."""
        label = f"app.kubernetes.io/component={component}"
        return self.objects(kind, "--selector", f"{INSTANCE},{label}")

    def serving(self) -> dict[str, Any]:
        """Pod templates by Deployment: pods restart when theirs changes."""
        found = self.objects("deployments")
        return {thing["metadata"]["name"]: thing["spec"]["template"] for thing in found}

    def images(self) -> set[str]:
        """Images of the pods that run, but not for a Job or a test."""
        pods = [pod for pod in self.objects("pods") if pod["status"].get("phase") == "Running"]
        serving = [pod for pod in pods if "pod-template-hash" in pod["metadata"]["labels"]]
        return {c["image"] for pod in serving for c in pod["spec"]["containers"]}

    def finish(self, component: str) -> None:
        """Lets the container of a Job end, as it would by itself, and waits for the Job."""
        (job,) = self.part("jobs", component)
        name = job["metadata"]["name"]
        here = ("--namespace", self.namespace)
        pods = ("pods", "--selector", f"job-name={name}")
        self.cluster.kubectl("annotate", *here, *pods, "simulated=done")
        complete = ("--for=condition=Complete", f"--timeout={PATIENCE}s")
        self.cluster.kubectl("wait", *here, *complete, f"job/{name}")

    def eventually(self, what: str, holds: Callable[[], Any]) -> None:
        """Waits until a controller has done something."""
        last = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < last, f"{what}: not in {PATIENCE} seconds: {self.names()}"
