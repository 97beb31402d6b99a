"""Values of vLLM's production-stack chart.

What they mean: vllm-project/production-stack 00c38d1, helm/values.yaml and helm/templates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.importing.charts.other_nodes import (
    carry_gpu,
    carry_selector,
    carry_tolerations,
    labels_of,
    labels_of_terms,
)
from gptoss.importing.charts.shared_values import (
    GPU,
    POD_KEYS,
    carry_account,
    carry_environment,
    carry_ingress,
    carry_model,
    carry_monitor,
    carry_pull_secrets,
    carry_resources,
    carry_token,
    is_on,
    text_of,
    word_of,
)
from gptoss.importing.charts.vllm_flags import OFF, ON, carry_flags, flags_of
from gptoss.importing.pods import PLACEMENT
from gptoss.text.errors import InputError
from gptoss.text.places import Located

if TYPE_CHECKING:
    from gptoss.importing.charts.carrying import Carrying
    from gptoss.importing.charts.vllm_flags import Flags
    from gptoss.text.yaml_tree import Tree

WORKER = "worker"
VLLM = {
    "tensorParallelSize": "tensor-parallel-size",
    "maxModelLen": "max-model-len",
    "maxNumSeqs": "max-num-seqs",
    "enablePrefixCaching": "enable-prefix-caching",
    "enableChunkedPrefill": "enable-chunked-prefill",
    "gpuMemoryUtilization": "gpu-memory-utilization",
    "dtype": "dtype",
}
ROUTES = {"roundrobin": "round-robin", "kvaware": "kv", "prefixaware": "kv"}
MODEL_KEYS = {"replicaCount": "replicas", "shmSize": "sharedMemory", **POD_KEYS}
STORAGE = {
    "pvcStorage": "size",
    "storageClass": "storageClassName",
    "pvcAnnotations": "annotations",
    "pvcLabels": "labels",
    "pvcMatchLabels": "selector.matchLabels",
}
SCALING = {
    "enabled": "enabled",
    "minReplicaCount": "minReplicas",
    "maxReplicaCount": "maxReplicas",
}
# What its triggers ask vLLM for.
WAITING = "vllm:num_requests_waiting"
BUDGET = {
    "enabled": "enabled",
    "minAvailable": "minAvailable",
    "maxUnavailable": "maxUnavailable",
}
ROUTER = {
    "replicaCount": "replicas",
    "podAnnotations": "podAnnotations",
    "priorityClassName": "priorityClassName",
    "extraArgs": "",
}
SERVICE = {"serviceType": "type", "serviceAnnotations": "annotations"}
ROUTE = ("enabled", "annotations", "labels", "hostnames", "parentRefs")
PROBES = "the chart's probes wait for the model to load"
REASONS = {
    "servingEngineSpec.*Probe": PROBES,
    "routerSpec.*Probe": PROBES,
    "*.vllmApiKey": "Dynamo's frontend checks no key; examples/gateway is a proxy that does",
    "servingEngineSpec.modelSpec*.initContainer": "extraPodSpec.initContainers has others",
    "servingEngineSpec.modelSpec*.lmcacheConfig": "LMCache is vLLM's; TensorRT-LLM keeps blocks in "
    "the host's memory with engine.kv_cache_config.host_cache_size",
    "servingEngineSpec.modelSpec*.raySpec": "workers on several nodes need no Ray; see nodes",
    "servingEngineSpec.modelSpec*.keda*": "workers.worker.autoscaling has what it follows here",
    "servingEngineSpec.modelSpec*.repository": "the image is that of runtime.release",
    "servingEngineSpec.modelSpec*.tag": "the image is that of runtime.release",
    "servingEngineSpec.modelSpec*.requestGPU*": "GPUs are whole ones of hardware.gpu",
    "servingEngineSpec.modelSpec*.limitGPU*": "GPUs are whole ones of hardware.gpu",
    "servingEngineSpec.modelSpec*.chatTemplate": "gpt-oss has its own, which the frontend applies",
    "servingEngineSpec.*Port*": "the chart's ports are fixed",
    "servingEngineSpec.sidecar*": "vLLM's sidecar; the model is in the cache",
    "servingEngineSpec.enableEngine": "without an engine there is nothing to install",
    "routerSpec.*": "Dynamo's frontend takes the router's place",
    "cacheserverSpec": "LMCache is vLLM's",
    "loraController": "LoRA adapters have no place here",
    "sharedPvcStorage": "modelCache.existingClaim names a claim that several releases share",
}


def carry_production_stack(carrying: Carrying) -> str:
    """Carries them over; the name of what they serve."""
    engines = carrying.tree.at("servingEngineSpec")
    spec = _model(carrying, engines)
    identifier = text_of(spec.at("modelURL"))
    terms, selector = spec.at("nodeSelectorTerms"), spec.at("nodeSelector")
    carry_gpu([*labels_of_terms(terms), *labels_of(selector)], carrying)
    carry_model(spec.at("modelURL"), identifier, carrying)
    carrying.choose(f"workers.{WORKER}.role", "aggregated")
    carrying.carry_all(spec, MODEL_KEYS, f"workers.{WORKER}.")
    _carry_engine(spec, carrying)
    _carry_storage(spec, carrying)
    _carry_placement(spec, engines, carrying)
    carry_environment(spec.at("env"), WORKER, carrying)
    _carry_scaling(spec.at("keda"), carrying)
    carry_account(spec.at("serviceAccountName"), carrying)
    for shared in ("runtimeClassName", "schedulerName"):
        if engines is not None and spec.at(shared) is None:
            carrying.carry(engines.at(shared), f"workers.{WORKER}.{shared}")
    if engines is not None:
        carrying.carry(engines.at("labels"), f"workers.{WORKER}.podLabels")
        carrying.carry(engines.at("imagePullPolicy"), "runtime.imagePullPolicy")
        carrying.carry(engines.at("strategy"), "updateStrategy")
        carry_monitor(engines.at("serviceMonitor"), carrying, "additionalLabels")
    _carry_router(carrying)
    carrying.rest(REASONS)
    return text_of(spec.at("name")) or "gpt-oss"


def _model(carrying: Carrying, engines: Tree | None) -> Tree:
    """The one model that is served; the others are said to be left out.

    Raises:
        InputError: There is none.
    """
    listed = engines.at("modelSpec") if engines is not None else None
    specs = listed.elements() if listed is not None else []
    off = [
        each for each in specs if each.at("enabled") is not None and not is_on(each.at("enabled"))
    ]
    carrying.done(*off)
    specs = [each for each in specs if each not in off]
    if not specs:
        raise InputError("servingEngineSpec.modelSpec serves no model", carrying.tree.place)
    known = [each for each in specs if text_of(each.at("modelURL")) in carrying.facts.models]
    chosen = (known or specs)[0]
    for other in specs:
        if other is not chosen:
            told = f"model {text_of(other.at('modelURL'))}: a release of the chart serves one"
            carrying.left_out(told, other)
    carrying.done(chosen.at("name"), chosen.at("enabled"))
    return chosen


def _carry_engine(spec: Tree, carrying: Carrying) -> None:
    config, flags = spec.at("vllmConfig"), dict[str, Located[str]]()
    for key, name in VLLM.items():
        tree = config.at(key) if config is not None else None
        carrying.done(tree)
        if tree is not None and tree.value is not None:
            value = (ON if tree.value else OFF) if isinstance(tree.value, bool) else text_of(tree)
            flags[name] = Located(value, tree.where)
    extra = config.at("extraArgs") if config is not None else None
    carrying.done(extra)
    words = extra.elements() if extra is not None else []
    flags |= flags_of(Located(text_of(each), each.place) for each in words)
    _carry_served_name(flags, carrying)
    worker = f"workers.{WORKER}"
    gpus = carry_resources(spec.at("resources"), worker, carrying)
    if gpus is None and text_of(spec.at("requestGPUType")) in ("", GPU):
        gpus = word_of(spec.at("requestGPU"))
        carrying.done(spec.at("requestGPU"))
    for kind in ("request", "limit"):
        for name in ("CPU", "Memory"):
            to = f"{worker}.resources.{kind}s.{name.lower()}"
            tree = spec.at(f"{kind}{name}")
            carrying.carry(tree, to, text_of(tree))
    carry_flags(flags, WORKER, gpus, carrying)


def _carry_served_name(flags: Flags, carrying: Carrying) -> None:
    served = flags.get("served-model-name")
    if served:
        where = f"{served.place.file}:{served.place.line}"
        carrying.choose("model.servedName", served.value, where)


def _carry_scaling(keda: Tree | None, carrying: Carrying) -> None:
    """Puts limits of the replicas, and the requests that wait as what they follow."""
    if keda is None or not is_on(keda.at("enabled")):
        return
    carrying.carry_all(keda, SCALING, f"workers.{WORKER}.autoscaling.")
    triggers = keda.at("triggers")
    for trigger in (triggers.elements() or [triggers]) if triggers is not None else ():
        metadata = trigger.at("metadata")
        threshold = text_of(metadata.at("threshold")) if metadata is not None else ""
        if metadata is None or WAITING not in text_of(metadata.at("query")):
            continue
        carrying.carry(metadata.at("serverAddress"), "autoscaling.prometheus.serverAddress")
        if threshold.isdecimal():
            to = f"workers.{WORKER}.autoscaling.targetQueuedRequests"
            carrying.carry(metadata.at("threshold"), to, int(threshold))
            carrying.done(metadata.at("query"), metadata.at("metricName"), trigger.at("type"))


def _carry_storage(spec: Tree, carrying: Carrying) -> None:
    carrying.carry_all(spec, STORAGE, "modelCache.")
    modes = spec.at("pvcAccessMode")
    if modes is not None and modes.elements():
        carrying.carry(modes, "modelCache.accessMode", text_of(modes.elements()[0]))
    token = spec.at("hf_token")
    if token is not None and token.is_map:
        carry_token(token.at("secretName"), token.at("secretKey"), carrying)
        carrying.done(token)
    elif text_of(token) and token is not None:
        told = "hf_token stands there as plain text; put it into a Secret and name that in "
        carrying.left_out(f"{told}modelCache.download.tokenSecret", token)
    carry_pull_secrets([spec.at("imagePullSecret")], carrying)


def _carry_placement(spec: Tree, engines: Tree | None, carrying: Carrying) -> None:
    terms, affinity = spec.at("nodeSelectorTerms"), spec.at("affinity")
    if affinity is not None and affinity.value:
        carrying.carry(affinity, "hardware.affinity")
    elif terms is not None and any(each.key not in PLACEMENT for each in labels_of_terms(terms)):
        required = {"nodeSelectorTerms": terms.plain()}
        node = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
        carrying.carry(terms, "hardware.affinity", node)
    carrying.done(terms)
    carry_selector(spec.at("nodeSelector"), carrying)
    shared = engines.at("tolerations") if engines is not None else None
    own = spec.at("tolerations")
    replaced = text_of(spec.at("tolerationsPolicy")) == "override"
    carrying.done(spec.at("tolerationsPolicy"), shared)
    carry_tolerations([None if replaced else shared, own], carrying)


def _carry_router(carrying: Carrying) -> None:
    """Puts the router's replicas and way of routing as the frontend's, and its way in."""
    router = carrying.tree.at("routerSpec")
    if router is None:
        return
    carrying.done(router.at("enableRouter"), router.at("repository"), router.at("tag"))
    rows = {key: to for key, to in ROUTER.items() if to}
    carrying.carry_all(router, rows, "frontend.")
    carry_resources(router.at("resources"), "frontend", carrying)
    routing = router.at("routingLogic")
    if text_of(routing) in ROUTES:
        carrying.carry(routing, "frontend.routerMode", ROUTES[text_of(routing)])
    carrying.carry_all(router, SERVICE, "service.")
    carry_pull_secrets([router.at("imagePullSecrets")], carrying)
    carry_ingress(router.at("ingress"), carrying)
    carrying.carry_all(router.at("pdb"), BUDGET, "frontend.pdb.")
    routes = router.at("route")
    for _, route in routes.items() if routes is not None else ():
        if is_on(route.at("enabled")):
            carrying.carry_all(route, {key: key for key in ROUTE}, "httpRoute.")
            carrying.done(route.at("apiVersion"), route.at("kind"), route.at("matches"))
