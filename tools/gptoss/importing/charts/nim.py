"""Values of NVIDIA's nim-llm chart.

What they mean: NVIDIA/nim-deploy 23a592c, helm/nim-llm; variables of the container: NVIDIA NIM for
LLMs 2.0, reference of environment variables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.model import Runtime
from gptoss.importing.charts.carrying import has_key
from gptoss.importing.charts.other_nodes import (
    carry_gpu,
    carry_selector,
    carry_tolerations,
    labels_of,
)
from gptoss.importing.charts.shared_values import (
    POD_KEYS,
    carry_environment,
    carry_ingress,
    carry_model,
    carry_monitor,
    carry_pull_secrets,
    carry_resources,
    is_on,
    text_of,
)
from gptoss.importing.charts.vllm_flags import carry_flags, flags_of
from gptoss.text.places import Located

if TYPE_CHECKING:
    from gptoss.importing.charts.carrying import Carrying
    from gptoss.importing.charts.vllm_flags import Flags
    from gptoss.text.yaml_tree import Tree

WORKER = "worker"
FLAGS = {
    "NIM_TENSOR_PARALLEL_SIZE": "tensor-parallel-size",
    "NIM_PIPELINE_PARALLEL_SIZE": "pipeline-parallel-size",
    "NIM_MAX_MODEL_LEN": "max-model-len",
    "NIM_SERVED_MODEL_NAME": "served-model-name",
    "NIM_ENABLE_KV_CACHE_REUSE": "enable-prefix-caching",
    "NIM_DISABLE_CUDA_GRAPH": "enforce-eager",
}
PASSED_ON, PATH = "NIM_PASSTHROUGH_ARGS", "NIM_MODEL_PATH"
SWITCHED = {"0": "false", "1": "true"}
HUB = "hf://"
STORAGE = {
    "existingClaim": "existingClaim",
    "size": "size",
    "storageClass": "storageClassName",
    "accessMode": "accessMode",
    "annotations": "annotations",
}
WORKER_KEYS = {
    "replicaCount": "replicas",
    "model.labels": "podLabels",
    "podAnnotations": POD_KEYS["podAnnotations"],
}
# Waiting requests a replica above which there are too few.
QUEUED = 10
SCALING = {"enabled": "enabled", "minReplicas": "minReplicas", "maxReplicas": "maxReplicas"}
WHOLE = {
    "podSecurityContext": "podSecurityContext",
    "service.type": "service.type",
    "service.annotations": "service.annotations",
    "service.labels": "service.labels",
    "image.pullPolicy": "runtime.imagePullPolicy",
    "serviceAccount.create": "serviceAccount.create",
    "serviceAccount.name": "serviceAccount.name",
    "serviceAccount.annotations": "serviceAccount.annotations",
}
PROBES = "the chart's probes wait for the model to load"
REASONS = {
    "*Probe": PROBES,
    "autoscaling.metrics": "NIM's metrics are not TensorRT-LLM's",
    "image": "the image is that of runtime.release",
    "image.*": "the image is that of runtime.release",
    "model.ngc*": "the model comes from the Hugging Face hub, not from NGC",
    "model.nimCache": "the model cache has a place of its own",
    "model.*ort": "the chart's ports are fixed",
    "service.*ort": "the chart's ports are fixed",
    "model.*": "NIM's own",
    "nfs": "make a claim of it and name that in modelCache.existingClaim",
    "customCommand": "NIM's command; the chart has its own",
    "customArgs": "NIM's arguments; the chart has its own",
    "initContainers*": "extraPodSpec.initContainers has others",
    "statefulSet*": "the server is a Deployment",
    "persistence*": "the claim is one for all replicas",
    "containerSecurityContext": "the chart's containers have no rights that they could lose",
    "metrics*": "metrics are always there",
    "multiNode*": "workers.worker.nodes has several nodes, under runtime.kind dynamo",
}


def carry_nim(carrying: Carrying) -> str:
    """Carries them over; the name of what they serve."""
    tree = carrying.tree
    several = is_on(tree.at("multiNode", "enabled"))
    kind = Runtime.DYNAMO if several else Runtime.SERVE
    carrying.choose("runtime.kind", kind.value)
    carry_gpu(labels_of(tree.at("nodeSelector")), carrying)
    carrying.choose(f"workers.{WORKER}.role", "aggregated")
    carrying.carry_all(tree, WORKER_KEYS, f"workers.{WORKER}.")
    variables = carry_environment(tree.at("env"), WORKER, carrying)
    _carry_model(variables, carrying)
    gpus = carry_resources(tree.at("resources"), f"workers.{WORKER}", carrying)
    flags = _flags(variables)
    for name, variable in variables.items():
        carrying.left_out(f"{WORKER}: ${name} is read by nobody here", variable.place)
    if several and gpus and tree.at("multiNode", "workers") is not None:
        carrying.carry(tree.at("multiNode", "workers"), f"workers.{WORKER}.nodes")
    if served := flags.get("served-model-name"):
        where = f"{served.place.file}:{served.place.line}"
        carrying.choose("model.servedName", served.value, where)
    carry_flags(flags, WORKER, None if several else gpus, carrying)
    _carry_storage(carrying)
    for key in ("extraVolumes", "extraVolumeMounts"):
        carrying.carry(tree.at(key), f"workers.{WORKER}.{key}", _listed(tree.at(key)))
    carry_selector(tree.at("nodeSelector"), carrying)
    affinity = tree.at("affinity")
    carrying.carry(affinity, "hardware.affinity")
    carry_tolerations([tree.at("tolerations")], carrying)
    carry_pull_secrets([tree.at("imagePullSecrets")], carrying)
    carry_ingress(tree.at("ingress"), carrying)
    monitor = tree.at("metrics", "serviceMonitor")
    carry_monitor(monitor, carrying, "additionalLabels")
    if monitor is not None and is_on(monitor.at("enabled")) and not several:
        why = "trtllm-serve has metrics only then"
        carrying.choose(f"workers.{WORKER}.engine.return_perf_metrics", True, why)
    if is_on(tree.at("autoscaling", "enabled")):
        carrying.carry_all(tree.at("autoscaling"), SCALING, f"workers.{WORKER}.autoscaling.")
        _choose_signal(carrying)
    carrying.carry_all(tree, WHOLE)
    carrying.rest(REASONS)
    return "gpt-oss"


def _carry_model(variables: dict[str, Located[str]], carrying: Carrying) -> None:
    """Puts the model: what NIM_MODEL_PATH, the model's name or the image calls it."""
    path = variables.pop(PATH, None)
    named = carrying.tree.at("model", "name")
    image = carrying.tree.at("image", "repository")
    told = (path.value.removeprefix(HUB) if path else "", text_of(named), _of_image(image))
    identifier = next((each for each in told if each in carrying.facts.models), told[0] or told[1])
    carrying.done(image, carrying.tree.at("image", "tag"))
    carry_model(named, identifier, carrying)
    if text_of(named) and text_of(named) != identifier and named is not None:
        carrying.choose(
            "model.servedName", text_of(named), f"{named.where.file}:{named.where.line}"
        )


def _of_image(image: Tree | None) -> str:
    return "/".join(text_of(image).split("/")[-2:])


def _flags(variables: dict[str, Located[str]]) -> Flags:
    """The flags that variables stand for; those of vLLM that are passed on are weaker."""
    passed = variables.pop(PASSED_ON, None)
    words = passed.value.split() if passed else []
    flags = flags_of(Located(word, passed.place) for word in words) if passed else {}
    for name, flag in FLAGS.items():
        if found := variables.pop(name, None):
            flags[flag] = Located(SWITCHED.get(found.value, found.value), found.place)
    return flags


def _choose_signal(carrying: Carrying) -> None:
    """What replicas follow, for NIM's metrics are not TensorRT-LLM's."""
    signal = f"workers.{WORKER}.autoscaling.targetQueuedRequests"
    if has_key(signal):
        carrying.choose("autoscaling.kind", "hpa")
        counted = f"workers.{WORKER}.engine.enable_iter_perf_stats"
        carrying.choose(counted, True, "trtllm-serve counts waiting requests only then")
        carrying.choose(signal, QUEUED, "a guess: NIM's metrics are others")
        told = f"replicas follow {QUEUED} waiting requests a replica, for NIM's metrics are others"
        carrying.chosen(told, carrying.tree.at("autoscaling"))


def _listed(named: Tree | None) -> list[dict[str, object]]:
    """Maps by name as a list of maps with names."""
    inner = named.items() if named is not None else ()
    return [{"name": name} | tree.plain() for name, tree in inner if tree.is_map]


def _carry_storage(carrying: Carrying) -> None:
    storage, path = carrying.tree.at("persistence"), carrying.tree.at("hostPath")
    if storage is not None and is_on(storage.at("enabled")):
        carrying.done(storage.at("enabled"))
        carrying.carry_all(storage, STORAGE, "modelCache.")
    elif path is not None and is_on(path.at("enabled")):
        carrying.done(path.at("enabled"))
        carrying.carry(path.at("path"), "modelCache.hostPath")
