"""A Kubernetes control plane at 127.0.0.1: its programs are real, nodes and pods are played.

KWOK plays the nodes (machines.py), the pods and their logs (stages.yaml); storage.py gives claims
their volumes. A port that is forwarded to a pod leads to a small server that answers as Dynamo's
frontend does; operator/ stands in for the operator of Dynamo.
"""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from testcluster import storage
from testcluster.machines import machines
from testcluster.operator import installing
from testcluster.programs import HOST, PATIENCE, ClusterError, free_ports, last_words, programs

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
BIN = ROOT / ".tools" / "bin"
DEFINITION = ROOT / "schema" / "crds" / "dynamographdeployments.yaml"
STAGES = Path(__file__).with_name("stages.yaml")
RBAC = "rbac.authorization.k8s.io"
# In the form of a container runtime's log files.
LOG = "2026-01-01T00:00:00Z stdout F simulated: no container runs here\n"


@dataclass(frozen=True)
class Cluster:
    """A control plane that runs.

    Attributes:
        kubeconfig: How its administrator reaches it.
    """

    kubeconfig: Path

    def run(self, *words: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
        """A kubectl that has ended, well or not."""
        command = [str(BIN / "kubectl"), "--kubeconfig", str(self.kubeconfig), *words]
        return subprocess.run(
            command, input=given, capture_output=True, text=True, check=False, timeout=PATIENCE
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

    def objects(self, kinds: str, *words: str) -> list[dict[str, Any]]:
        """The objects of some kinds, with commas between them."""
        found: list[dict[str, Any]]
        found = json.loads(self.kubectl("get", kinds, *words, "-o", "json"))["items"]
        return found

    def state(self) -> str:
        """What to read when something went wrong."""
        kinds = "dynamographdeployments,deployments,jobs,pods,persistentvolumeclaims,events"
        logs = sorted(self.kubeconfig.parent.glob("*.log"))
        ends = [f"--- {log.name}\n{last_words(log)}" for log in logs]
        return "\n".join([self.run("get", kinds, "-A").stdout, *ends])

    def user(self, name: str, *rules: dict[str, Any], namespace: str = "default") -> Cluster:
        """The same cluster as somebody sees it who may do nothing but what rules allow, everywhere.

        Args:
            name: What he is called: a ServiceAccount of the namespace.
            rules: Rules of a ClusterRole.
            namespace: Where the ServiceAccount is, and what his context names.
        """
        full = f"{namespace}-{name}"
        role = {"apiGroup": RBAC, "kind": "ClusterRole", "name": full}
        who = {"kind": "ServiceAccount", "name": name, "namespace": namespace}
        version = f"{RBAC}/v1"
        account = {"name": name, "namespace": namespace}
        items = [
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": account},
            {
                "apiVersion": version,
                "kind": "ClusterRole",
                "metadata": {"name": full},
                "rules": list(rules),
            },
            {
                "apiVersion": version,
                "kind": "ClusterRoleBinding",
                "metadata": {"name": full},
                "roleRef": role,
                "subjects": [who],
            },
        ]
        things = {"apiVersion": "v1", "kind": "List", "items": items}
        self.kubectl("apply", "--filename", "-", given=json.dumps(things))
        token = self.kubectl("create", "token", name, "--namespace", namespace).strip()
        config = yaml.safe_load(self.kubeconfig.read_text(encoding="utf-8"))
        config["users"] = [{"name": name, "user": {"token": token}}]
        context = {"cluster": "test", "user": name, "namespace": namespace}
        config["contexts"] = [{"name": "test", "context": context}]
        return Cluster(_private(self.kubeconfig.with_name(f"kubeconfig-{full}"), config))

    def accepts(self, manifests: str) -> None:
        """Fails unless the API server knows every field, and takes every object."""
        flags = ("--server-side", "--force-conflicts", "--dry-run=server", "--validate=strict")
        self.kubectl("apply", *flags, "--filename", "-", given=manifests)


@contextmanager
def control_plane(server_port: int) -> Iterator[Cluster]:
    """A cluster in which every port of every pod leads to a port of this machine."""
    with ExitStack() as ends:
        folder = Path(ends.enter_context(tempfile.TemporaryDirectory(prefix="gptoss-cluster-")))
        running = ends.enter_context(programs(folder))
        etcd, peer, api, kubelet = free_ports(4)
        make_keys(folder)
        cluster = Cluster(kubeconfig(folder, api))
        running.start("etcd", BIN / "etcd", *etcd_flags(folder, etcd, peer))
        running.start("api", BIN / "kube-apiserver", *api_flags(folder, etcd, api))
        running.wait_until("the API server is ready", lambda: is_ready(cluster))
        installing.start(running, cluster, folder / "cert.pem", folder / "key.pem")
        flags = ("--kubeconfig", str(cluster.kubeconfig))
        running.start("kwok", BIN / "kwok", *flags, *kwok_flags(folder, kubelet, server_port))
        running.start("scheduler", BIN / "kube-scheduler", *flags, "--secure-port=0")
        running.start(
            "controllers", BIN / "kube-controller-manager", *flags, *controller_flags(folder)
        )
        items = [*machines(kubelet), *storage.storage_classes()]
        things = {"apiVersion": "v1", "kind": "List", "items": items}
        cluster.kubectl("create", "--filename", "-", given=json.dumps(things))
        wait = ("wait", f"--timeout={PATIENCE}s")
        running.start("storage", sys.executable, "-m", storage.__name__, str(cluster.kubeconfig))
        cluster.kubectl(*wait, "--for=condition=Ready", "node", "--all")
        cluster.kubectl(*wait, "--for=create", "serviceaccount/default")
        yield cluster


def make_keys(folder: Path) -> None:
    """One certificate for every server, whose key also signs service accounts' tokens."""
    kind = ("-x509", "-nodes", "-newkey", "rsa:2048", "-days", "2", "-subj", "/CN=gpt-oss")
    names = ("-addext", f"subjectAltName=IP:{HOST}", "-keyout", "key.pem", "-out", "cert.pem")
    subprocess.run(
        ["openssl", "req", *kind, *names],
        cwd=folder,
        check=True,
        capture_output=True,
    )


def kubeconfig(folder: Path, api: int) -> Path:
    """Writes how an administrator reaches the API server, and lets him in there."""
    token = secrets.token_hex(16)
    (folder / "tokens.csv").write_text(f"{token},admin,admin,system:masters\n", encoding="utf-8")
    server = {"server": f"https://{HOST}:{api}", "certificate-authority": str(folder / "cert.pem")}
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "test", "cluster": server}],
        "users": [{"name": "admin", "user": {"token": token}}],
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "admin"}}],
        "current-context": "test",
    }
    return _private(folder / "kubeconfig", config)


def _private(path: Path, config: dict[str, Any]) -> Path:
    """Writes a kubeconfig that its owner alone can read."""
    path.touch(mode=0o600)
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    return path


def is_ready(cluster: Cluster) -> bool:
    """Whether the API server takes requests."""
    return cluster.run("get", "--raw", "/readyz").returncode == 0


def etcd_flags(folder: Path, port: int, peer: int) -> list[str]:
    """Flags of etcd, which keeps nothing for longer than this test."""
    return [
        f"--data-dir={folder / 'etcd'}",
        "--unsafe-no-fsync",
        f"--listen-client-urls=http://{HOST}:{port}",
        f"--advertise-client-urls=http://{HOST}:{port}",
        f"--listen-peer-urls=http://{HOST}:{peer}",
        f"--initial-advertise-peer-urls=http://{HOST}:{peer}",
        f"--initial-cluster=default=http://{HOST}:{peer}",
    ]


def api_flags(folder: Path, etcd: int, port: int) -> list[str]:
    """Flags of the API server; it asks the nodes' kubelet, which KWOK plays, at its address."""
    return [
        f"--etcd-servers=http://{HOST}:{etcd}",
        f"--bind-address={HOST}",
        f"--advertise-address={HOST}",
        f"--secure-port={port}",
        "--endpoint-reconciler-type=none",
        f"--tls-cert-file={folder / 'cert.pem'}",
        f"--tls-private-key-file={folder / 'key.pem'}",
        f"--token-auth-file={folder / 'tokens.csv'}",
        "--authorization-mode=RBAC",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={folder / 'cert.pem'}",
        f"--service-account-signing-key-file={folder / 'key.pem'}",
        "--service-cluster-ip-range=10.96.0.0/16",
        f"--kubelet-certificate-authority={folder / 'cert.pem'}",
        "--kubelet-preferred-address-types=InternalIP",
    ]


def controller_flags(folder: Path) -> list[str]:
    """Flags of the controller manager, which listens nowhere."""
    return [
        "--secure-port=0",
        "--leader-elect=false",
        "--node-monitor-grace-period=8760h",  # nodes that are played have no heartbeat
        f"--root-ca-file={folder / 'cert.pem'}",
        f"--service-account-private-key-file={folder / 'key.pem'}",
    ]


def kwok_flags(folder: Path, kubelet: int, server: int) -> list[str]:
    """Flags of KWOK, and its file: what pods do, what they log, where their ports lead."""
    log = folder / "container.log"
    log.write_text(LOG, encoding="utf-8")
    target = {"address": HOST, "port": server}
    rules = [
        _rule("ClusterLogs", {"logs": [{"logsFile": str(log), "follow": True}]}),
        _rule("ClusterPortForward", {"forwards": [{"target": target}]}),
    ]
    config = folder / "kwok.yaml"
    stages = STAGES.read_text(encoding="utf-8")
    config.write_text(f"{stages}---\n{yaml.safe_dump_all(rules)}", encoding="utf-8")
    return [
        f"--config={config}",
        "--manage-all-nodes",
        f"--server-address={HOST}:{kubelet}",
        f"--node-ip={HOST}",
        f"--node-port={kubelet}",
        f"--tls-cert-file={folder / 'cert.pem'}",
        f"--tls-private-key-file={folder / 'key.pem'}",
    ]


def _rule(kind: str, spec: dict[str, Any]) -> dict[str, Any]:
    meta = {"name": "every-pod"}
    return {"apiVersion": "kwok.x-k8s.io/v1alpha1", "kind": kind, "metadata": meta, "spec": spec}
