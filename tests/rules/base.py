"""Two clean deployments that the examples of the rules are laid over."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from gptoss.facts.world import Facts
from tests.rules.patches import lay, set_variables

FACTS = Facts()
GRAPH = "DynamoGraphDeployment"
NAME = "gpt-oss"
IMAGE = "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime"
REVISION = "b5c939de8f754692c1647ca79fbf85e8c1e70f8a"
MODEL = "openai/gpt-oss-120b"
CACHE = "/opt/models"
SNAPSHOT = f"{CACHE}/hub/models--openai--gpt-oss-120b/snapshots/{REVISION}"
CONFIG = "/opt/gpt-oss"
CLAIM = "gpt-oss-model-cache"

SECURITY = {"runAsNonRoot": True, "runAsUser": 1000, "fsGroup": 1000}
RESTRICTED = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
CACHE_VOLUME = {"name": "model-cache", "persistentVolumeClaim": {"claimName": CLAIM}}

AGGREGATED: dict[str, Any] = {
    "worker": {
        "tensor_parallel_size": 4,
        "moe_expert_parallel_size": 4,
        "enable_attention_dp": True,
        "max_batch_size": 900,
        "max_num_tokens": 8192,
        "max_seq_len": 2048,
        "cuda_graph_config": {"enable_padding": True, "max_batch_size": 900},
        "kv_cache_config": {"free_gpu_memory_fraction": 0.9},
        "moe_config": {"backend": "TRTLLM"},
        "stream_interval": 20,
    }
}
_DISAGGREGATED: dict[str, Any] = {
    "max_num_tokens": 20000,
    "max_seq_len": 11008,
    "kv_cache_config": {"dtype": "fp8", "free_gpu_memory_fraction": 0.85},
    "moe_config": {"backend": "TRTLLM"},
    "cache_transceiver_config": {"backend": "UCX", "max_tokens_in_buffer": 11008},
}
DISAGGREGATED: dict[str, Any] = {
    "prefill": {
        **_DISAGGREGATED,
        "tensor_parallel_size": 1,
        "max_batch_size": 64,
        "disable_overlap_scheduler": True,
        "cuda_graph_config": {"enable_padding": True, "max_batch_size": 64},
    },
    "decode": {
        **_DISAGGREGATED,
        "tensor_parallel_size": 4,
        "max_batch_size": 1280,
        "cuda_graph_config": {"enable_padding": True, "max_batch_size": 1280},
    },
}


def engines(disaggregated: bool) -> dict[str, Any]:
    """Engine YAML by role."""
    roles = DISAGGREGATED if disaggregated else AGGREGATED
    return {role: deepcopy(engine) for role, engine in roles.items()}


def graph(disaggregated: bool, release: str, name: str = NAME) -> dict[str, Any]:
    """The DynamoGraphDeployment, in ``v1alpha1``."""
    services = {"Frontend": _frontend(disaggregated, release)}
    roles = {"prefill": 1, "decode": 4} if disaggregated else {"worker": 4}
    for role, gpus in roles.items():
        services[role] = _worker(role, gpus, release, name)
    return {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": GRAPH,
        "metadata": {"name": name},
        "spec": {"backendFramework": "trtllm", "services": services},
    }


def config_map(engine_texts: dict[str, str], name: str = NAME) -> dict[str, Any]:
    """The ConfigMap that holds the engine YAML of every role."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": f"{name}-engine"},
        "data": {f"{role}.yaml": text for role, text in engine_texts.items()},
    }


def claim() -> dict[str, Any]:
    """The claim of the model cache."""
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": CLAIM},
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "resources": {"requests": {"storage": "150Gi"}},
        },
    }


def download(release: str) -> dict[str, Any]:
    """The Job that fills the model cache."""
    container = {
        "name": "download",
        "image": f"{IMAGE}:{release}",
        "command": ["hf", "download", MODEL, "--revision", REVISION],
        "env": variables({"HF_HOME": CACHE}),
        "volumeMounts": [{"name": "model-cache", "mountPath": CACHE}],
        "securityContext": RESTRICTED,
        "resources": {"requests": {"cpu": "4", "memory": "8Gi"}},
    }
    return _job(f"{NAME}-download", container)


def benchmark(disaggregated: bool, release: str, name: str = NAME) -> dict[str, Any]:
    """The benchmark Job."""
    isl, osl, concurrency, gpus = (768, 1024, 1280, 5) if disaggregated else (128, 1000, 3600, 4)
    flags = {
        "--model": MODEL,
        "--tokenizer": SNAPSHOT,
        "--url": f"http://{name}-frontend:8000",
        "--endpoint-type": "chat",
        "--synthetic-input-tokens-mean": isl,
        "--output-tokens-mean": osl,
        "--extra-inputs": "ignore_eos:true",
        "--artifact-dir": "/results",
    }
    container = {
        "name": "benchmark",
        "image": f"{IMAGE}:{release}",
        "command": ["aiperf", "profile"],
        "args": ["--streaming", *(str(word) for pair in flags.items() for word in pair)],
        "env": [],
        "volumeMounts": [
            {"name": "model-cache", "mountPath": CACHE, "readOnly": True},
            {"name": "results", "mountPath": "/results"},
        ],
        "securityContext": RESTRICTED,
        "resources": {"requests": {"cpu": "4", "memory": "8Gi"}},
    }
    job = _job(f"{name}-benchmark", container)
    job["spec"]["template"]["spec"]["volumes"].append({"name": "results", "emptyDir": {}})
    set_load(job, gpus, concurrency, 10 * concurrency)
    return job


def set_load(job: dict[str, Any], gpus: int, concurrency: int, requests: int) -> None:
    """Lets a benchmark keep so many requests in flight of so many, and divide by the GPUs."""
    flags = f"--concurrency {concurrency} --warmup-request-count {concurrency} "
    flags += f"--request-count {requests} --num-dataset-entries {requests}"
    lay(job, "flags", flags)
    whole = concurrency % gpus == 0
    set_variables(
        job,
        {
            "CONCURRENCY_PER_GPU": str(concurrency // gpus) if whole else None,
            "DEPLOYMENT_GPU_COUNT": str(gpus),
        },
    )


def accuracy() -> dict[str, Any]:
    """A Job that evaluates the answers."""
    container = {
        "name": "evals",
        "image": "registry.internal/gpt-oss-evals:0.0.9",
        "command": ["python3", "-m", "gpt_oss.evals"],
        "args": [],
        "env": [],
        "securityContext": RESTRICTED,
        "resources": {"requests": {"cpu": "4", "memory": "8Gi"}},
    }
    return _job(f"{NAME}-accuracy", container)


def _frontend(disaggregated: bool, release: str) -> dict[str, Any]:
    args = ["--router-mode", "round-robin", "--http-port", "8000", "--migration-limit", "3"]
    if disaggregated and FACTS.every_release[release].enforce_disagg == "effective":
        args.append("--enforce-disagg")
    return {
        "componentType": "frontend",
        "replicas": 1,
        "resources": {"requests": {"cpu": "4", "memory": "8Gi"}},
        "extraPodSpec": {
            "securityContext": SECURITY,
            "mainContainer": {
                "image": f"{IMAGE}:{release}",
                "command": ["python3", "-m", "dynamo.frontend"],
                "args": args,
                "env": variables(
                    {
                        "HF_HOME": CACHE,
                        "HF_HUB_OFFLINE": "1",
                        "TIKTOKEN_ENCODINGS_BASE": f"{CACHE}/vocabulary",
                    }
                ),
                "volumeMounts": [{"name": "model-cache", "mountPath": CACHE, "readOnly": True}],
                "securityContext": RESTRICTED,
            },
            "volumes": [CACHE_VOLUME],
        },
    }


def _worker(role: str, gpus: int, release: str, name: str) -> dict[str, Any]:
    args = ["--model-path", SNAPSHOT, "--served-model-name", MODEL]
    args += ["--extra-engine-args", f"{CONFIG}/{role}.yaml"]
    args += ["--dyn-reasoning-parser", "gpt_oss", "--dyn-tool-call-parser", "harmony"]
    if role != "worker":
        args += ["--disaggregation-mode", role]
    service: dict[str, Any] = {
        "componentType": "worker",
        "replicas": 1,
        "resources": {
            "requests": {"cpu": "24", "memory": "128Gi", "gpu": str(gpus)},
            "limits": {"gpu": str(gpus)},
        },
        "sharedMemory": {"size": "80Gi"},
        "extraPodMetadata": {"annotations": {"checksum/engine": "5d41402abc4b2a76"}},
        "extraPodSpec": {
            "nodeSelector": {
                "nvidia.com/gpu.product": "NVIDIA-GB200",
                "kubernetes.io/arch": "arm64",
            },
            "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}],
            "securityContext": SECURITY,
            "mainContainer": {
                "image": f"{IMAGE}:{release}",
                "command": ["python3", "-m", "dynamo.trtllm"],
                "args": args,
                "livenessProbe": {
                    "httpGet": {"path": "/live", "port": 9090},
                    "failureThreshold": 3,
                },
                "env": variables(
                    {
                        "HF_HOME": CACHE,
                        "HF_HUB_OFFLINE": "1",
                        "ALL_REDUCE_FUSION_KERNEL_ACC_FP32": "1",
                        "TRTLLM_FORCE_COMM_METHOD": "ALLGATHER",
                        "DYN_GRACEFUL_SHUTDOWN_GRACE_PERIOD_SECS": "20",
                    }
                ),
                "volumeMounts": [
                    {"name": "model-cache", "mountPath": CACHE, "readOnly": True},
                    {"name": "engine", "mountPath": CONFIG, "readOnly": True},
                ],
                "securityContext": RESTRICTED,
            },
            "volumes": [
                CACHE_VOLUME,
                {"name": "engine", "configMap": {"name": f"{name}-engine"}},
            ],
        },
    }
    if role != "worker":
        service["subComponentType"] = role
        for amounts in service["resources"].values():
            amounts["custom"] = {"rdma/ib": str(gpus)}
    return service


def _job(name: str, container: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {
            "template": {
                "spec": {
                    "restartPolicy": "Never",
                    "securityContext": SECURITY,
                    "containers": [container],
                    "volumes": [CACHE_VOLUME],
                }
            }
        },
    }


def variables(values: dict[str, str]) -> list[dict[str, str]]:
    """Variables as a container lists them."""
    return [{"name": name, "value": value} for name, value in values.items()]
