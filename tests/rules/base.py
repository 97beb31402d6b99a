"""Two clean deployments that the examples of the rules are laid over."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from gptoss.facts.world import Facts

FACTS = Facts()
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
# Fields of a component that both versions call the same.
KEPT = (
    "eppConfig",
    "minAvailable",
    "multinode",
    "replicas",
    "runtimeVersionOverride",
    "topologyConstraint",
)
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


def graph(disaggregated: bool, release: str) -> dict[str, Any]:
    """The DynamoGraphDeployment, in ``v1alpha1``."""
    services = {"Frontend": _frontend(disaggregated, release)}
    roles = {"prefill": 1, "decode": 4} if disaggregated else {"worker": 4}
    for role, gpus in roles.items():
        services[role] = _worker(role, gpus, release)
    return {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoGraphDeployment",
        "metadata": {"name": NAME},
        "spec": {"backendFramework": "trtllm", "services": services},
    }


def config_map(engine_texts: dict[str, str]) -> dict[str, Any]:
    """The ConfigMap that holds the engine YAML of every role."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": f"{NAME}-engine"},
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


def benchmark(disaggregated: bool, release: str) -> dict[str, Any]:
    """The benchmark Job."""
    isl, osl, concurrency, gpus = (8192, 1024, 1280, 5) if disaggregated else (128, 1000, 3600, 4)
    flags = {
        "--model": MODEL,
        "--tokenizer": SNAPSHOT,
        "--url": f"http://{NAME}-frontend:8000",
        "--endpoint-type": "chat",
        "--synthetic-input-tokens-mean": isl,
        "--output-tokens-mean": osl,
        "--extra-inputs": "ignore_eos:true",
        "--concurrency": concurrency,
        "--request-count": 10 * concurrency,
        "--num-dataset-entries": 10 * concurrency,
        "--warmup-request-count": concurrency,
        "--artifact-dir": "/results",
    }
    container = {
        "name": "benchmark",
        "image": f"{IMAGE}:{release}",
        "command": ["aiperf", "profile"],
        "args": [str(word) for pair in flags.items() for word in pair] + ["--streaming"],
        "env": variables(
            {
                "CONCURRENCY_PER_GPU": str(concurrency // gpus),
                "DEPLOYMENT_GPU_COUNT": str(gpus),
            }
        ),
        "volumeMounts": [
            {"name": "model-cache", "mountPath": CACHE, "readOnly": True},
            {"name": "results", "mountPath": "/results"},
        ],
        "securityContext": RESTRICTED,
        "resources": {"requests": {"cpu": "4", "memory": "8Gi"}},
    }
    job = _job(f"{NAME}-benchmark", container)
    job["spec"]["template"]["spec"]["volumes"].append({"name": "results", "emptyDir": {}})
    return job


def as_v1beta1(graph: dict[str, Any]) -> dict[str, Any]:
    """The same graph, written in ``v1beta1``."""
    components = []
    for name, service in graph["spec"]["services"].items():
        pod = deepcopy(service["extraPodSpec"])
        container = {"name": "main", **pod.pop("mainContainer")}
        resources = service.get("resources", {})
        container["resources"] = {
            kind: {("nvidia.com/gpu" if k == "gpu" else k): v for k, v in amounts.items()}
            for kind, amounts in resources.items()
        }
        component: dict[str, Any] = {
            "name": name.lower(),
            "type": _type(service),
            "podTemplate": {
                "metadata": service.get("extraPodMetadata", {}),
                "spec": {**pod, "containers": [container]},
            },
        }
        component |= {key: service[key] for key in KEPT if key in service}
        if memory := service.get("sharedMemory"):
            component["sharedMemorySize"] = "0" if memory.get("disabled") else memory["size"]
        if service.get("scalingAdapter", {}).get("enabled"):
            component["scalingAdapter"] = {}
        if sharing := _gpu_sharing(service):
            component["experimental"] = sharing
        components.append(component)
    kept = {
        key: graph["spec"][key]
        for key in ("backendFramework", "experimental", "restart")
        if key in graph["spec"]
    }
    if topology := graph["spec"].get("topologyConstraint"):
        topology = dict(topology)
        name = topology.pop("topologyProfile", None)
        kept["topologyConstraint"] = {"clusterTopologyName": name, **topology}
    return {
        **graph,
        "apiVersion": "nvidia.com/v1beta1",
        "spec": {**kept, "components": components},
    }


def _gpu_sharing(service: dict[str, Any]) -> dict[str, Any]:
    """GPU memory service and failover, which are on by their presence in ``v1beta1``."""
    return {
        name: {}
        for name in ("gpuMemoryService", "failover")
        if service.get(name, {}).get("enabled")
    }


def _type(service: dict[str, Any]) -> str:
    """The ``type`` that the operator converts a v1alpha1 service to."""
    kind: str = service["componentType"]
    return str(service.get("subComponentType", kind)) if kind == "worker" else kind


def _frontend(disaggregated: bool, release: str) -> dict[str, Any]:
    args = ["--router-mode", "round-robin", "--http-port", "8000"]
    if disaggregated and FACTS.releases[release].enforce_disagg == "effective":
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


def _worker(role: str, gpus: int, release: str) -> dict[str, Any]:
    args = ["--model-path", SNAPSHOT, "--served-model-name", MODEL]
    args += ["--extra-engine-args", f"{CONFIG}/{role}.yaml"]
    args += ["--dyn-reasoning-parser", "gpt_oss", "--dyn-tool-call-parser", "harmony"]
    if role != "worker":
        args += ["--disaggregation-mode", role]
    service = {
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
                "env": variables({"HF_HOME": CACHE, "HF_HUB_OFFLINE": "1"}),
                "volumeMounts": [
                    {"name": "model-cache", "mountPath": CACHE, "readOnly": True},
                    {"name": "engine", "mountPath": CONFIG, "readOnly": True},
                ],
                "securityContext": RESTRICTED,
            },
            "volumes": [
                CACHE_VOLUME,
                {"name": "engine", "configMap": {"name": f"{NAME}-engine"}},
            ],
        },
    }
    if role != "worker":
        service["subComponentType"] = role
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
