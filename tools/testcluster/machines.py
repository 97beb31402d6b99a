"""Nodes that are played: of every GPU of schema/hardware.yaml, and such without, as real ones are.

Labels: those of kubelet, and of GPU feature discovery (NVIDIA/k8s-device-plugin internal/lm; the
GPU operator adds gpu.present). Taints: of GPUs and of ARM64, as GKE sets both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gptoss.facts.world import Facts
from testcluster.programs import HOST

if TYPE_CHECKING:
    from gptoss.facts.world import Gpu

# All shipped targets fit twice at once, while a roll keeps old pods until new ones are ready.
NODES = {"gb200": 24, "b200": 32}
NODES_OF_OTHER_GPUS = 6
CPU_NODES = 8
CPU_ROOM = {"cpu": "64", "memory": "256Gi", "ephemeral-storage": "894Gi"}
ZONE = {"topology.kubernetes.io/region": "test", "topology.kubernetes.io/zone": "test-a"}
PODS_OF_A_NODE = "110"
# The oldest branch of the NVIDIA driver that has what every release needs.
DRIVER = str(max(release.driver or 0 for release in Facts().releases.values()))
GPU_TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
ARM_TAINT = {"key": "kubernetes.io/arch", "value": "arm64", "effect": "NoSchedule"}

READY = {"type": "Ready", "status": "True", "reason": "Simulated", "message": "simulated"}
# What a kubelet says of its system besides.
SYSTEM = (
    *("machineID", "systemUUID", "bootID", "kernelVersion", "osImage"),
    *("containerRuntimeVersion", "kubeletVersion", "kubeProxyVersion"),
)


def node_names(gpu: str) -> list[str]:
    """Names of the nodes with a kind of GPU, or of those without one: ``cpu``."""
    counts = {"cpu": CPU_NODES, **NODES}
    return [f"{gpu}-{number}" for number in range(counts.get(gpu, NODES_OF_OTHER_GPUS))]


def described() -> str:
    """How many nodes there are of each kind, in words."""
    kinds = [f"{len(node_names(key))} {gpu.name}" for key, gpu in Facts().gpus.items()]
    return ", ".join([*kinds, f"{CPU_NODES} without GPU"])


def machines(kubelet_port: int) -> list[dict[str, Any]]:
    """Every node; its kubelet is asked at a port of this machine."""
    plain = {"kubernetes.io/arch": "amd64", "node.kubernetes.io/instance-type": "cpu"}
    found = [_node(name, kubelet_port, plain, CPU_ROOM, []) for name in node_names("cpu")]
    for gpu in Facts().gpus.values():
        room = {
            "cpu": str(gpu.node_cpu),
            "memory": gpu.node_memory,
            "ephemeral-storage": gpu.node_disk,
            "nvidia.com/gpu": str(gpu.per_node),
        }
        taints = [GPU_TAINT, *([ARM_TAINT] if gpu.architecture == "arm64" else [])]
        found += [
            _node(name, kubelet_port, gpu_labels(gpu), room, taints) for name in node_names(gpu.key)
        ]
    return found


def gpu_labels(gpu: Gpu) -> dict[str, str]:
    """What kubelet and GPU feature discovery say of a node with a kind of GPU."""
    major, minor = divmod(gpu.sm, 10)
    return {
        "kubernetes.io/arch": gpu.architecture,
        "node.kubernetes.io/instance-type": gpu.key,
        "nvidia.com/cuda.driver-version.major": DRIVER,
        "nvidia.com/gpu.compute.major": str(major),
        "nvidia.com/gpu.compute.minor": str(minor),
        "nvidia.com/gpu.count": str(gpu.per_node),
        "nvidia.com/gpu.family": "hopper" if gpu.is_hopper else "blackwell",
        "nvidia.com/gpu.memory": str(round(gpu.memory_gib * 1024)),
        "nvidia.com/gpu.present": "true",
        "nvidia.com/gpu.product": gpu.product_labels[0],
    }


def _node(
    name: str,
    kubelet_port: int,
    labels: dict[str, str],
    room: dict[str, str],
    taints: list[dict[str, str]],
) -> dict[str, Any]:
    own = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux"}
    capacity = {"pods": PODS_OF_A_NODE, **room}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": own | ZONE | labels},
        "spec": {"taints": taints},
        "status": {
            "capacity": capacity,
            "allocatable": capacity,
            "addresses": [
                {"type": "InternalIP", "address": HOST},
                {"type": "Hostname", "address": name},
            ],
            "conditions": [READY],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": kubelet_port}},
            "nodeInfo": {
                **dict.fromkeys(SYSTEM, "simulated"),
                "architecture": labels["kubernetes.io/arch"],
                "operatingSystem": "linux",
            },
        },
    }
