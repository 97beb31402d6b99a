"""Installs a release of the stand-in in a cluster, or another one over it, as an administrator."""

from __future__ import annotations

import base64
import json
import socket
import sys
import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from testcluster.operator.defaulting import ORIGIN
from testcluster.operator.definition import ADAPTERS, GRAPHS, installed
from testcluster.operator.releases import DEFAULT, Release
from testcluster.programs import HOST, PATIENCE, ClusterError, free_ports

if TYPE_CHECKING:
    from pathlib import Path

    from testcluster.control_plane import Cluster
    from testcluster.programs import Programs

# A graph that every release takes.
SMALLEST = {
    "apiVersion": "nvidia.com/v1beta1",
    "kind": "DynamoGraphDeployment",
    "metadata": {"name": "smallest", "namespace": "default"},
    "spec": {
        "components": [
            {
                "name": "frontend",
                "podTemplate": {"spec": {"containers": [{"name": "main", "image": "a:1.2.0"}]}},
            }
        ]
    },
}
CONFIGURATION = "validatingwebhookconfiguration/dynamo-operator-validating"


def start(running: Programs, cluster: Cluster, certificate: Path, key: Path) -> None:
    """Starts it, and installs the release that most targets are made for.

    Args:
        running: What it runs beside.
        cluster: Whose API server takes requests.
        certificate: Of a server at 127.0.0.1, and its own authority.
        key: Of that certificate.
    """
    (port,) = free_ports(1)
    _install(cluster, Release(DEFAULT), f"https://{HOST}:{port}", certificate.read_bytes())
    established = ("--for=condition=Established", f"--timeout={PATIENCE}s")
    for file in (GRAPHS, ADAPTERS):
        cluster.kubectl("wait", *established, "--filename", str(file))
    flags = (cluster.kubeconfig, certificate, key, str(port))
    running.start("operator", sys.executable, "-m", __package__ or "", *flags)
    running.wait_until("the operator's webhooks answer", lambda: _is_open(port))


def change_release(cluster: Cluster, version: str) -> None:
    """Installs another release over the one that is there; graphs stay.

    Raises:
        ClusterError: The API server does not ask it in time.
    """
    found = json.loads(cluster.kubectl("get", CONFIGURATION, "-o", "json"))
    client = found["webhooks"][0]["clientConfig"]
    address = f"https://{urlsplit(client['url']).netloc}"
    _install(cluster, Release(version), address, base64.b64decode(client["caBundle"]))
    last = time.monotonic() + PATIENCE
    while not _is_asked(cluster, version):
        if time.monotonic() > last:
            raise ClusterError(f"the operator {version} is not asked after {PATIENCE} seconds")
        time.sleep(0.05)


def _install(cluster: Cluster, release: Release, address: str, authority: bytes) -> None:
    things = {"apiVersion": "v1", "kind": "List", "items": installed(release, address, authority)}
    flags = ("--server-side", "--force-conflicts", "--filename", "-")
    cluster.kubectl("apply", *flags, given=json.dumps(things))


def _is_asked(cluster: Cluster, version: str) -> bool:
    """Whether it is that release that fills in what a graph leaves out."""
    dry = ("create", "--dry-run=server", "--filename", "-", "-o", "json")
    done = cluster.run(*dry, given=json.dumps(SMALLEST))
    if done.returncode != 0:
        return False
    said = json.loads(done.stdout)["metadata"]["annotations"].get(ORIGIN)
    return bool(said == version)


def _is_open(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex((HOST, port)) == 0
