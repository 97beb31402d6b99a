"""Objects of the simulated machines: nodes of every GPU of schema/hardware.yaml, and volumes."""

from __future__ import annotations

from typing import Any

from gptoss.facts.world import Facts
from testcluster.programs import HOST

NODES_OF_A_KIND = 6
CPU_NODES = 2
# One a claim: what held data is not given to another.
VOLUMES = 12
CLASS = "shared"


def machines(kubelet_port: int) -> list[dict[str, Any]]:
    """Every node, and the volumes of a shared file system that claims are bound to."""
    found = [
        _node(f"cpu-{number}", kubelet_port, {"kubernetes.io/arch": "amd64"}, {"cpu": "64"})
        for number in range(CPU_NODES)
    ]
    for kind, gpu in Facts().gpus.items():
        labels = {
            "kubernetes.io/arch": gpu.architecture,
            "nvidia.com/gpu.product": gpu.product_labels[0],
        }
        capacity = {"cpu": "144", "nvidia.com/gpu": str(gpu.per_node)}
        taints = [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}]
        found += [
            _node(f"{kind}-{number}", kubelet_port, labels, capacity, taints)
            for number in range(NODES_OF_A_KIND)
        ]
    return [*found, _storage_class(), *(_volume(number) for number in range(VOLUMES))]


def _node(
    name: str,
    kubelet_port: int,
    labels: dict[str, str],
    capacity: dict[str, str],
    taints: list[dict[str, str]] | None = None,
) -> dict[str, Any]:
    room = {"memory": "960Gi", "pods": "110", **capacity}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **labels}},
        "spec": {"taints": taints or []},
        "status": {
            "capacity": room,
            "allocatable": room,
            "addresses": [
                {"type": "InternalIP", "address": HOST},
                {"type": "Hostname", "address": name},
            ],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": kubelet_port}},
        },
    }


def _storage_class() -> dict[str, Any]:
    default = {"storageclass.kubernetes.io/is-default-class": "true"}
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": CLASS, "annotations": default},
        "provisioner": "kubernetes.io/no-provisioner",
    }


def _volume(number: int) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": f"shared-{number}"},
        "spec": {
            "capacity": {"storage": "500Gi"},
            "accessModes": ["ReadWriteMany"],
            "persistentVolumeReclaimPolicy": "Retain",
            "storageClassName": CLASS,
            "nfs": {"server": "nfs.example.com", "path": f"/{number}"},
        },
    }
