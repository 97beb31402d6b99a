"""A Kubernetes control plane at 127.0.0.1: its programs are real, nodes and pods are played.

KWOK plays the nodes (machines.py), the pods and their logs (stages.yaml); storage.py gives claims
their volumes. A port that is forwarded to a pod leads to a small server that answers as Dynamo's
frontend does; operator/ stands in for the operator of Dynamo.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from testcluster import storage
from testcluster.access import kubeconfig, make_keys
from testcluster.flags import GATES_OF_OLDEST, api_flags, controller_flags, etcd_flags, kwok_flags
from testcluster.lists import lists
from testcluster.machines import machines
from testcluster.operator import installing
from testcluster.programs import PATIENCE, ClusterError, free_ports, last_words, programs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from testcluster.api import Thing

ROOT = Path(__file__).resolve().parents[2]
BIN = ROOT / ".tools" / "bin"
DEFINITION = ROOT / "schema" / "crds" / "dynamographdeployments.yaml"


@dataclass(frozen=True)
class Cluster:
    """A control plane that runs.

    Attributes:
        kubeconfig: How its administrator reaches it.
    """

    kubeconfig: Path

    @property
    def environment(self) -> dict[str, str]:
        """Where kubectl and Helm find it; what they keep of its API goes when it does."""
        kept = str(self.kubeconfig.parent / "kube")
        return {**os.environ, "KUBECONFIG": str(self.kubeconfig), "KUBECACHEDIR": kept}

    def run(self, *words: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
        """A kubectl that has ended, well or not."""
        return subprocess.run(
            [BIN / "kubectl", *words],
            env=self.environment,
            input=given,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )

    def kubectl(self, *words: str, given: str | None = None) -> str:
        """What kubectl prints.

        Raises:
            ClusterError: It has failed; with what it said.
        """
        done = self.run(*words, given=given)
        if done.returncode != 0:
            raise ClusterError(f"kubectl {' '.join(words)}: {done.stderr}")
        return done.stdout

    def objects(self, kinds: str, *words: str) -> list[Thing]:
        """The objects of some kinds, with commas between them; where, as kubectl's options say."""
        return lists(self.kubeconfig).of(kinds, *words)

    def state(self) -> str:
        """What to read when something went wrong."""
        kinds = "dynamographdeployments,deployments,jobs,pods,persistentvolumeclaims"
        # What went well is most of what happens, and fills a report.
        warnings = ("events", "--field-selector=type=Warning", "--sort-by=.lastTimestamp")
        logs = sorted(self.kubeconfig.parent.glob("*.log"))
        ends = [f"--- {log.name}\n{last_words(log)}" for log in logs]
        told = [self.run("get", *what, "-A").stdout for what in ((kinds,), warnings)]
        return "\n".join([*told, *ends])

    def accepts(self, manifests: str) -> None:
        """Fails unless the API server knows every field, and takes every object."""
        flags = ("--server-side", "--force-conflicts", "--dry-run=server", "--validate=strict")
        self.kubectl("apply", *flags, "--filename", "-", given=manifests)


@contextmanager
def control_plane(server_port: int | None, *, oldest: bool = False) -> Iterator[Cluster]:
    """A cluster of the newest Kubernetes, or of the oldest that the chart is for.

    Args:
        server_port: Where every port of every pod leads on this machine; None: nowhere.
        oldest: Whether it is the oldest.
    """
    age = "-oldest" if oldest else ""
    with ExitStack() as ends:
        folder = Path(ends.enter_context(tempfile.TemporaryDirectory(prefix="gptoss-cluster-")))
        running = ends.enter_context(programs(folder))
        etcd, peer, api, kubelet = free_ports(4)
        make_keys(folder)
        cluster = Cluster(kubeconfig(folder, api))
        running.start("etcd", BIN / "etcd", *etcd_flags(folder, etcd, peer))
        api_server = [str(BIN / f"kube-apiserver{age}"), *api_flags(folder, etcd, api)]
        running.start("api", *api_server, *([GATES_OF_OLDEST] if oldest else []))
        running.wait_until("the API server is ready", lambda: is_ready(cluster))
        installing.start(running, cluster, folder / "cert.pem", folder / "key.pem")
        flags = ("--kubeconfig", str(cluster.kubeconfig))
        running.start("kwok", BIN / "kwok", *flags, *kwok_flags(folder, kubelet, server_port))
        running.start("scheduler", BIN / f"kube-scheduler{age}", *flags, "--secure-port=0")
        controllers = BIN / f"kube-controller-manager{age}"
        running.start("controllers", controllers, *flags, *controller_flags(folder))
        items = [*machines(kubelet), *storage.storage_classes()]
        things = {"apiVersion": "v1", "kind": "List", "items": items}
        cluster.kubectl("create", "--filename", "-", given=json.dumps(things))
        wait = ("wait", f"--timeout={PATIENCE}s")
        running.start("storage", sys.executable, "-m", storage.__name__, str(cluster.kubeconfig))
        cluster.kubectl(*wait, "--for=condition=Ready", "node", "--all")
        cluster.kubectl(*wait, "--for=create", "serviceaccount/default")
        yield cluster


def is_ready(cluster: Cluster) -> bool:
    """Whether the API server takes requests."""
    return cluster.run("get", "--raw", "/readyz").returncode == 0
