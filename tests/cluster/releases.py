"""A release on the cluster: what Helm is told, and what Kubernetes then has."""

from __future__ import annotations

import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gptoss.deployment.model import Runtime
from testcluster.control_plane import BIN, Cluster
from testcluster.programs import PATIENCE
from tests.chart.rendering import CHART, ROOT
from tests.cluster.terminal import warnings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

GRAPHS = "dynamographdeployments.nvidia.com"
# What a release or the operator makes, but for Helm's own records.
KINDS = (
    f"{GRAPHS},deployments,daemonsets,jobs,services,configmaps,persistentvolumeclaims,"
    "serviceaccounts,roles,rolebindings,pods"
)
EVERY_NAMESPACE_HAS = {"ConfigMap/kube-root-ca.crt", "ServiceAccount/default"}
COMPONENT = "app.kubernetes.io/component"
CLAIM = "PersistentVolumeClaim"
RESTRICTED = "pod-security.kubernetes.io/enforce=restricted"
# Helm and kubectl give up before their starter does.
TIME_OUT = f"--timeout={PATIENCE - 5}s"


@dataclass(frozen=True)
class Release:
    """A release, be it there or not.

    Attributes:
        cluster: Where.
        helm: The Helm that is asked: helm3 or helm4.
        namespace: In which namespace.
        name: What it is called.
    """

    cluster: Cluster
    helm: str
    namespace: str
    name: str = "gpt-oss"

    @property
    def here(self) -> tuple[str, str]:
        return ("--namespace", self.namespace)

    def start(self, *words: str) -> subprocess.Popen[str]:
        """A Helm that runs."""
        environment = {
            "HELM_CACHE_HOME": str(self.cluster.kubeconfig.parent / "helm"),
            # One command is over before Go's garbage collector would pay off.
            "GOGC": "off",
        }
        return subprocess.Popen(
            [BIN / self.helm, *words, *self.here],
            cwd=ROOT,
            env={**self.cluster.environment, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """A Helm that has ended, well or not."""
        process = self.start(*words)
        said, complained = process.communicate(timeout=2 * PATIENCE)
        return subprocess.CompletedProcess(words, process.returncode, said, complained)

    def types(self, *words: str) -> str:
        """What Helm prints; it must succeed, and warn of nothing."""
        done = self.run(*words)
        assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout}{done.stderr}"
        assert not warnings(done.stderr), done.stderr
        return done.stdout

    def install(self, *options: str, chart: object = CHART) -> str:
        """Installs it, and waits as Helm does."""
        return self.types("install", self.name, str(chart), "--wait", TIME_OUT, *options)

    def upgrade(self, *options: str, chart: object = CHART) -> str:
        """Upgrades it; what it then takes is waited for with :meth:`serves`."""
        return self.types("upgrade", self.name, str(chart), TIME_OUT, *options)

    def rollback(self, revision: int) -> str:
        return self.types("rollback", self.name, str(revision), TIME_OUT)

    def uninstall(self) -> str:
        return self.types("uninstall", self.name)

    def manifest(self) -> str:
        return self.types("get", "manifest", self.name)

    def serves(self, runtime: Runtime, name: str = "") -> None:
        """Waits until what it serves with is as it was last written, and all of it runs.

        Args:
            runtime: What serves.
            name: What its objects are called, where that is not the release's name.
        """
        name = name or self.name
        ready = ("wait", f"{GRAPHS}/{name}", "--for=condition=Ready")
        if runtime is Runtime.SERVE:
            ready = ("rollout", "status", f"deployments/{name}-server")
        self.cluster.kubectl(*ready, TIME_OUT, *self.here)

    def downloaded(self) -> None:
        """Waits until its download has ended."""
        label = f"{COMPONENT}=download,app.kubernetes.io/instance={self.name}"
        wait = ("wait", "jobs", "--selector", label, "--for=condition=Complete", TIME_OUT)
        self.cluster.kubectl(*wait, *self.here)

    def gone(self, pods: set[str]) -> None:
        """Waits until pods are no more."""
        names = [f"pod/{name}" for name in sorted(pods)]
        self.cluster.kubectl("wait", *names, "--for=delete", TIME_OUT, *self.here)

    def objects(self, kinds: str = KINDS, *words: str) -> list[dict[str, Any]]:
        """What the namespace holds, without what every namespace has."""
        found = self.cluster.objects(kinds, *self.here, *words)
        return [each for each in found if path(each) not in EVERY_NAMESPACE_HAS]

    def state(self) -> State:
        return State({path(each): each for each in self.objects()})

    def eventually(self, what: str, holds: Callable[[State], bool]) -> State:
        """Waits until a controller has done something; what there is then."""
        last = time.monotonic() + PATIENCE
        while not holds(state := self.state()):
            assert time.monotonic() < last, f"{what}: not in {PATIENCE} seconds: {sorted(state)}"
        return state


class State(dict[str, dict[str, Any]]):
    """Objects by Kind/name."""

    def identities(self) -> dict[str, Any]:
        """By Kind/name what differs after a change: another object, or another content of it."""
        return {name: _identity(thing) for name, thing in self.items()}

    def of(self, kind: str) -> dict[str, dict[str, Any]]:
        """Objects of a kind by name."""
        pairs = [(name.partition("/"), thing) for name, thing in self.items()]
        return {name: thing for (each, _, name), thing in pairs if each == kind}

    def pods(self) -> dict[str, set[str]]:
        """Names of pods by the part of the release that they are of."""
        found: dict[str, set[str]] = {}
        for name, pod in self.of("Pod").items():
            found.setdefault(part_of(pod), set()).add(name)
        return found

    def named(self, name: str) -> State:
        """Those that are named after a release, or after an alias in one."""
        found = {each: thing for each, thing in self.items() if f"/{name}-" in f"{each}-"}
        return State(found)

    def written(self) -> dict[str, Any]:
        """By Kind/name what was asked for: a release that is the same again has the same here."""
        return {
            name: _content(thing) for name, thing in self.items() if not name.startswith("Pod/")
        }


def part_of(pod: dict[str, Any]) -> str:
    """The part of a release that a pod is of."""
    return str(pod["metadata"]["labels"].get(COMPONENT, "test"))


def path(thing: dict[str, Any]) -> str:
    """An object as Kind/name."""
    return f"{thing['kind']}/{thing['metadata']['name']}"


def _identity(thing: dict[str, Any]) -> Any:
    meta = thing["metadata"]
    if thing["kind"] == "Pod":
        return meta["uid"]
    return meta["uid"], meta.get("generation", _content(thing))


def _content(thing: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in thing.items() if key not in ("metadata", "status")}


@contextmanager
def namespace(cluster: Cluster, name: str, *limits: str) -> Iterator[str]:
    """A namespace that admits restricted pods only, with limits; it goes in the end."""
    cluster.kubectl("create", "namespace", name)
    try:
        cluster.kubectl("label", "namespace", name, RESTRICTED)
        for manifest in limits:
            cluster.kubectl("create", "--namespace", name, "--filename", "-", given=manifest)
        yield name
    finally:
        cluster.kubectl("delete", "namespace", name, "--wait=false")
