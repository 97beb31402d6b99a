"""Installs a release of the stand-in in a cluster, or another one over it, as an administrator."""

from __future__ import annotations

import base64
import json
import socket
import sys
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from testcluster.operator.definition import ADAPTERS, GRAPHS, installed
from testcluster.operator.releases import DEFAULT, Release
from testcluster.programs import HOST, PATIENCE, free_ports

if TYPE_CHECKING:
    from pathlib import Path

    from testcluster.control_plane import Cluster
    from testcluster.programs import Programs

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
    """Installs another release over the one that is there; graphs stay."""
    found = json.loads(cluster.kubectl("get", CONFIGURATION, "-o", "json"))
    client = found["webhooks"][0]["clientConfig"]
    address = f"https://{urlsplit(client['url']).netloc}"
    _install(cluster, Release(version), address, base64.b64decode(client["caBundle"]))


def _install(cluster: Cluster, release: Release, address: str, authority: bytes) -> None:
    things = {"apiVersion": "v1", "kind": "List", "items": installed(release, address, authority)}
    flags = ("--server-side", "--force-conflicts", "--filename", "-")
    cluster.kubectl("apply", *flags, given=json.dumps(things))


def _is_open(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex((HOST, port)) == 0
