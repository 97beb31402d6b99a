"""A clean deployment of trtllm-serve that the examples of the rules are laid over."""

from __future__ import annotations

from typing import Any

from gptoss.facts.world import Facts
from tests.rules import base, patches

FACTS = Facts()
NAME = f"{base.NAME}-server"
IMAGE = "nvcr.io/nvidia/tensorrt-llm/release"
ENGINE: dict[str, Any] = {
    "tensor_parallel_size": 4,
    "moe_expert_parallel_size": 4,
    "max_batch_size": 720,
    "max_num_tokens": 16384,
    "max_seq_len": 2048,
    "cuda_graph_config": {"enable_padding": True, "max_batch_size": 720},
    "kv_cache_config": {"free_gpu_memory_fraction": 0.9},
    "moe_config": {"backend": "TRTLLM"},
    "num_postprocess_workers": 4,
    "return_perf_metrics": True,
    "stream_interval": 20,
}
FLAGS = {
    "--revision": base.REVISION,
    "--config": f"{base.CONFIG}/server.yaml",
    "--host": "0.0.0.0",  # noqa: S104 (of the container)
}
PROBE = {"httpGet": {"path": "/health", "port": "http"}, "periodSeconds": 10}
RESOURCES = {"cpu": "24", "memory": "128Gi"}


def server(release: str) -> dict[str, Any]:
    """The Deployment."""
    labels = {"app": base.NAME}
    gpus = {"nvidia.com/gpu": "4"}
    container = {
        "name": "main",
        "image": f"{IMAGE}:{FACTS.every_release[release].trtllm}",
        "command": ["trtllm-serve"],
        "args": [base.MODEL, *(word for pair in FLAGS.items() for word in pair)],
        "env": base.variables(
            {
                "HF_HOME": base.CACHE,
                "HF_HUB_OFFLINE": "1",
                "ALL_REDUCE_FUSION_KERNEL_ACC_FP32": "1",
                "TIKTOKEN_ENCODINGS_BASE": f"{base.CACHE}/vocabulary",
            }
        ),
        "ports": [{"name": "http", "containerPort": 8000}],
        "resources": {"requests": RESOURCES | gpus, "limits": gpus},
        "startupProbe": PROBE | {"failureThreshold": 360},
        "readinessProbe": PROBE,
        "volumeMounts": [
            {"name": "model-cache", "mountPath": base.CACHE, "readOnly": True},
            {"name": "engine", "mountPath": base.CONFIG, "readOnly": True},
            {"name": "shared-memory", "mountPath": "/dev/shm"},  # noqa: S108
        ],
        "securityContext": base.RESTRICTED,
    }
    memory = {"medium": "Memory", "sizeLimit": "16Gi"}
    template = {
        "metadata": {"labels": labels, "annotations": {"checksum/engine": "5d41402abc4b2a76"}},
        "spec": {
            "terminationGracePeriodSeconds": 360,
            "nodeSelector": {
                "nvidia.com/gpu.product": "NVIDIA-GB200",
                "kubernetes.io/arch": "arm64",
            },
            "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}],
            "securityContext": base.SECURITY,
            "containers": [container],
            "volumes": [
                base.CACHE_VOLUME,
                {"name": "engine", "configMap": {"name": f"{base.NAME}-engine"}},
                {"name": "shared-memory", "emptyDir": memory},
            ],
        },
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": NAME},
        "spec": {
            "replicas": 1,
            "strategy": {"type": "Recreate"},
            "progressDeadlineSeconds": 7200,
            "selector": {"matchLabels": labels},
            "template": template,
        },
    }


def service() -> dict[str, Any]:
    """The Service in front of it."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": NAME},
        "spec": {
            "selector": {"app": base.NAME},
            "ports": [{"name": "http", "port": 8000, "targetPort": "http"}],
        },
    }


def benchmark(release: str) -> dict[str, Any]:
    """The benchmark Job."""
    job = base.benchmark(disaggregated=False, release=release)
    patches.lay(job, "flags", f"--url http://{NAME}:8000")
    base.set_load(job, gpus=4, concurrency=720, requests=7200)
    return job
