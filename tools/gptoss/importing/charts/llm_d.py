"""Values of llm-d's modelservice chart.

What they mean: llm-d-incubation/llm-d-modelservice 024c0f2, charts/llm-d-modelservice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.hub import snapshot_of
from gptoss.importing.charts.other_nodes import (
    Label,
    carry_gpu,
    carry_selector,
    labels_of,
)
from gptoss.importing.charts.shared_values import (
    POD_KEYS,
    carry_account,
    carry_environment,
    carry_model,
    carry_monitor,
    carry_resources,
    is_on,
    text_of,
    word_of,
)
from gptoss.importing.charts.vllm_flags import carry_flags, flags_of
from gptoss.text.errors import InputError
from gptoss.text.places import Located

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.importing.charts.carrying import Carrying
    from gptoss.text.yaml_tree import Tree

ROLES = ("prefill", "decode")
HUB, CLAIM = "hf://", "pvc://"
# The chart's own templating, where the file leaves the default.
NAMED = "{{ .Values.modelArtifacts.name }}"
PARALLEL = {"tensor": "tensor-parallel-size", "data": "data-parallel-size"}
OWN_VOLUMES = ("metrics-volume", "torch-compile-cache")
# Both sides of a split need it; the engine chooses the way.
TRANSFER = {"backend": "DEFAULT"}
PROBES = "the chart's probes wait for the model to load"
REASONS = {
    "routing*": "Dynamo's frontend finds the workers and routes to them",
    "requester*": "a part of llm-d",
    "accelerator*": "GPUs are those of hardware.gpu",
    "modelArtifacts.mountPath": "the model cache has a place of its own",
    "modelArtifacts.labels": "they lead an InferencePool to vLLM's pods",
    "*.containers*.image": "the image is that of runtime.release",
    "*.containers*.name": "the container is called main",
    "*.containers*.ports": "the chart's ports are fixed",
    "*.containers*.modelCommand": "the chart has its own command",
    "*.containers*.command": "the chart has its own command",
    "*.containers*.mountModelVolume": "the model cache is mounted everywhere",
    "*.containers*Probe": PROBES,
    "*.containers*": "extraPodSpec.containers has sidecars",
    "*.initContainers": "extraPodSpec.initContainers has others",
    "*.autoscaling": "autoscaling has the chart's own triggers",
    "*.parallelism.workers": "nodes of a worker follow from its GPUs",
    "multinode": "nodes of a worker follow from its GPUs",
}


def carry_llm_d(carrying: Carrying) -> str:
    """Carries them over; the name of what they serve."""
    tree = carrying.tree
    roles = {role: tree.at(role) for role in ROLES}
    serving = {role: each for role, each in roles.items() if each is not None and _serves(each)}
    if not serving:
        raise InputError("neither decode nor prefill serves anything", tree.place)
    for role, each in roles.items():
        if role not in serving:
            carrying.done(each)
    workers = {("worker" if len(serving) == 1 else role): each for role, each in serving.items()}
    carry_gpu([label for each in workers.values() for label in _labels(each)], carrying)
    _carry_artifacts(carrying)
    for name, spec in workers.items():
        carrying.choose(f"workers.{name}.role", "aggregated" if name == "worker" else name)
        _carry_worker(name, spec, carrying)
        if len(serving) > 1:
            engine = f"workers.{name}.engine"
            carrying.choose(f"{engine}.cache_transceiver_config", TRANSFER)
            if name == "prefill":
                carrying.choose(f"{engine}.disable_overlap_scheduler", True)
    if len(serving) > 1:
        carrying.chosen(
            "cache_transceiver_config.backend DEFAULT for prefill and decode, where vLLM has "
            "--kv-transfer-config; give max_tokens_in_buffer for the longest prompt"
        )
    rows = {"fullnameOverride": "fullnameOverride", "extraObjects": "extraObjects"}
    carrying.carry_all(tree, rows)
    carry_account(tree.at("serviceAccountOverride"), carrying)
    carrying.rest(REASONS)
    return text_of(tree.at("fullnameOverride")) or "gpt-oss"


def _serves(spec: Tree) -> bool:
    """Whether a role has pods."""
    create = spec.at("create")
    return (create is None or is_on(create)) and text_of(spec.at("replicas")) != "0"


def _labels(spec: Tree) -> Iterator[Label]:
    yield from labels_of(spec.at("nodeSelector"))
    types = spec.at("acceleratorTypes")
    if types is not None and types.at("labelValues") is not None:
        listed = types.at("labelValues")
        words = tuple(text_of(each) for each in listed.elements()) if listed else ()
        yield Label(text_of(types.at("labelKey")), words, types.where)


def _carry_artifacts(carrying: Carrying) -> None:
    """Puts the model, and the claim or the Secret that it comes from."""
    artifacts = carrying.tree.at("modelArtifacts") or carrying.tree
    named, uri = artifacts.at("name"), artifacts.at("uri")
    address = text_of(uri).replace(NAMED, text_of(named))
    identifier = text_of(named)
    tells = named
    if address.startswith(HUB):
        identifier, tells = address.removeprefix(HUB), uri
    elif address.startswith(CLAIM):
        claim, _, path = address.removeprefix(CLAIM).partition("/")
        carrying.carry(uri, "modelCache.existingClaim", claim)
        if path and not snapshot_of(path):
            where = f"{uri.where.file}:{uri.where.line}" if uri is not None else ""
            carrying.choose("modelCache.path", path, where)
    carry_model(tells, identifier, carrying)
    if named is not None and text_of(named) != identifier:
        carrying.carry(named, "model.servedName")
    carrying.done(named)
    carrying.carry(artifacts.at("authSecretName"), "modelCache.download.tokenSecret.name")
    carrying.carry(artifacts.at("size"), "modelCache.size")


def _carry_worker(name: str, spec: Tree, carrying: Carrying) -> None:
    worker = f"workers.{name}"
    rows = {"replicas": "replicas", **POD_KEYS, "extraVolumes": ""}
    carrying.carry_all(spec, {key: to for key, to in rows.items() if to}, f"{worker}.")
    carrying.done(spec.at("create"), spec.at("acceleratorTypes"))
    containers = spec.at("containers")
    served = containers.elements()[:1] if containers is not None else []
    flags, gpus = {}, None
    for container in served:
        gpus = carry_resources(container.at("resources"), worker, carrying)
        carry_environment(container.at("env"), name, carrying)
        words = container.at("args")
        if words is not None:
            flags = flags_of(Located(text_of(each), each.place) for each in words.elements())
            carrying.done(words)
        carrying.carry(container.at("imagePullPolicy"), "runtime.imagePullPolicy")
        _carry_volumes(container.at("volumeMounts"), f"{worker}.extraVolumeMounts", carrying)
    sizes = spec.at("parallelism")
    for key, flag in PARALLEL.items():
        if sizes is not None and (size := word_of(sizes.at(key))):
            flags.setdefault(flag, size)
            carrying.done(sizes.at(key))
    if sizes is not None:
        carrying.done(sizes.at("dataLocal"))
    if name_flag := flags.get("served-model-name"):
        where = f"{name_flag.place.file}:{name_flag.place.line}"
        carrying.choose("model.servedName", name_flag.value, where)
    several = is_on(carrying.tree.at("multinode"))
    carry_flags(flags, name, None if several else gpus, carrying)
    _carry_volumes(spec.at("volumes"), f"{worker}.extraVolumes", carrying)
    carrying.carry(spec.at("resourceClaims"), f"{worker}.resourceClaims")
    carry_selector(spec.at("nodeSelector"), carrying)
    monitoring = spec.at("monitoring")
    carry_monitor(monitoring.at("podmonitor") if monitoring else None, carrying)


def _carry_volumes(tree: Tree | None, to: str, carrying: Carrying) -> None:
    """Puts volumes, or their mounts, without those that only vLLM writes to."""
    entries = tree.elements() if tree is not None else []
    own = [each.plain() for each in entries if text_of(each.at("name")) not in OWN_VOLUMES]
    if own:
        carrying.carry(tree, to, own)
    carrying.done(tree)
