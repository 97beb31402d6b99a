"""What the programs of a control plane are told when they start."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from testcluster.programs import HOST

# On by default from 1.30; definitions of operators after 1.2 need it (optionalOldSelf).
GATES_OF_OLDEST = "--feature-gates=CRDValidationRatcheting=true"
STAGES = Path(__file__).with_name("stages.yaml")
# In the form of a container runtime's log files.
LOG = "2026-01-01T00:00:00Z stdout F simulated: no container runs here\n"


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
        "--disable-admission-plugins=TaintNodesByCondition",  # nodes are ready when they are made
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


def kwok_flags(folder: Path, kubelet: int, server: int | None) -> list[str]:
    """Flags of KWOK, and its file: what pods do, what they log, where their ports lead."""
    log = folder / "container.log"
    log.write_text(LOG, encoding="utf-8")
    rules = [_rule("ClusterLogs", {"logs": [{"logsFile": str(log), "follow": True}]})]
    if server is not None:
        target = {"address": HOST, "port": server}
        rules.append(_rule("ClusterPortForward", {"forwards": [{"target": target}]}))
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
