"""What a pod asks for, and what of it the chart decides otherwise."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.importing.context import leaf
from gptoss.importing.document import Block, Leaf

if TYPE_CHECKING:
    from gptoss.deployment.pods import Mount, Pod
    from gptoss.importing.context import Context

QUANTITY = re.compile(r"[0-9]+(\.[0-9]+)?(m|k|Ki|M|Mi|G|Gi|T|Ti)?")
# Labels that the chart asks for itself.
PLACEMENT = ("kubernetes.io/arch", "nvidia.com/gpu.present", "nvidia.com/gpu.product")
LOCK = "IPC_LOCK"
HUB_CACHE = "/root/.cache/huggingface"
SHARED_MEMORY = "/dev/shm"  # noqa: S108 (where it is mounted, not a temporary file)
TAINTS = ("", "kubernetes.io/arch", "nvidia.com/gpu")


def resources(name: str, pod: Pod, context: Context, handled: str | None = None) -> Block:
    """CPU, memory and special resources; GPUs follow from the engine.

    Args:
        name: The component.
        pod: Its pod.
        context: The import.
        handled: A resource that another value stands for.
    """
    found: Block = {}
    for kind, quantities in (("requests", pod.requests), ("limits", pod.limits)):
        inner: Block = {}
        for resource, quantity in quantities.items():
            if resource == handled:
                continue
            if QUANTITY.fullmatch(quantity.value):
                inner[resource] = leaf(quantity.value, quantity.place)
            else:
                told = f"{name}: {kind} of {resource} is {quantity.value}, which is no quantity"
                context.left_out(told, quantity.place)
        if inner:
            found[kind] = inner
    return found


def termination_grace(pod: Pod) -> Block:
    """Seconds between SIGTERM and SIGKILL, when set."""
    grace = pod.termination_grace
    if grace is None or grace.value < 1:
        return {}
    return {"terminationGracePeriodSeconds": leaf(grace.value, grace.place)}


def note_left_out(name: str, pod: Pod, context: Context, *, locks_memory: bool = False) -> None:
    """Notes what the chart decides otherwise: rights, probes, placement and volumes.

    Args:
        name: The component.
        pod: Its pod.
        context: The import.
        locks_memory: Whether another value gives it the right to pin memory, as root.
    """
    _note_rights(name, pod, context, locks_memory=locks_memory)
    for kind, probe in pod.probes.items():
        told = f"{name}: the {kind} probe; the chart or the operator sets one for loading time"
        context.left_out(told, probe.place)
    for away in pod.anti_affinity:
        told = f"{name}: anti-affinity; hardware.affinity has it for workers"
        context.left_out(told, away.place)
    for toleration in pod.tolerations:
        if toleration.key not in TAINTS:
            told = f"{name}: toleration of {toleration.key}; add it to hardware.tolerations"
            context.left_out(told, toleration.place)
    for container in pod.before:
        told = f"{name}: init container {container.value}; extraPodSpec has it"
        context.left_out(told, container.place)
    note_volumes(name, pod, context)


def _note_rights(name: str, pod: Pod, context: Context, *, locks_memory: bool) -> None:
    """Notes privileges, users and groups."""
    if pod.privileged:
        told = f"{name}: privileged; the chart's containers have no privileges"
        context.mended(told, pod.privileged)
    if pod.root and not locks_memory:
        context.mended(f"{name}: runs as root; the chart's containers run as user 1000", pod.root)
    for capability in pod.capabilities:
        if capability.value.removeprefix("CAP_") != LOCK:
            has = "what needs it has containerSecurityContext.capabilities.add"
        elif locks_memory:
            continue
        else:
            has = "hardware.rdma gives it to workers"
        context.left_out(f"{name}: capability {capability.value}; {has}", capability.place)
    for namespace in pod.host_namespaces:
        told = f"{name}: {namespace.value}; extraPodSpec has it for what cannot do without"
        context.left_out(told, namespace.place)
    for who in pod.identity:
        if not who.value.endswith(" 0"):
            told = f"{name}: {who.value}; the chart's pods have 1000, podSecurityContext has it"
            context.left_out(told, who.place)


def note_volumes(name: str, pod: Pod, context: Context, *used: str) -> None:
    """Notes volumes that are neither the model cache nor hold an engine YAML.

    Args:
        name: The component.
        pod: Its pod.
        context: The import.
        used: Claims that another value stands for.
    """
    files = [w.engine_file.value for w in context.deployment.workers if w.engine_file]
    known = {None, context.cache_claim, *used}
    for mount in pod.mounts:
        behind = mount.claim if mount.claim not in known else mount.source
        if mount.config_map and mount.claim is None:
            behind = f"ConfigMap {mount.config_map}"
        if not behind or behind == context.cache_disk or mount.path.rstrip("/") == SHARED_MEMORY:
            continue
        if any(_holds(mount, file) for file in files):
            continue
        context.left_out(f"{name}: {_behind(mount, behind, context)}", mount.place)


def _behind(mount: Mount, behind: str, context: Context) -> str:
    models = [worker.model.value for worker in context.deployment.workers if worker.model]
    if any(_holds(mount, model) for model in models):
        return (
            f"{behind} at {mount.path} holds the weights, and the chart downloads its own; to keep "
            "it fill a claim from it and name that in modelCache.existingClaim"
        )
    if _holds(mount, HUB_CACHE):
        return f"{behind} at {mount.path}; the chart has a model cache of its own"
    volume = "" if mount.source or mount.config_map else "volume "
    return f"{volume}{behind} at {mount.path}; add it to extraVolumes"


def _holds(mount: Mount, path: str) -> bool:
    return f"{path.rstrip('/')}/".startswith(f"{mount.path.rstrip('/')}/")


def node_selector(context: Context) -> Block:
    """The whole node selector, where a label is asked for beyond those of the kind of GPU."""
    found: Block = {}
    for worker in context.deployment.workers:
        for asked in worker.pod.nodes:
            one = asked.required and asked.operator == "In" and len(asked.values) == 1
            if one and asked.key not in PLACEMENT:
                found[asked.key] = leaf(asked.values[0], asked.place)
            elif asked.key not in PLACEMENT:
                told = (
                    f"{worker.name}: node label {asked.key} {asked.operator} "
                    f"{', '.join(asked.values)}; hardware.affinity has it"
                )
                context.left_out(told, asked.place)
    if not found:
        return {}
    gpu, why = context.gpu, "as the chart asks for this kind of GPU"
    chosen: Block = {
        "kubernetes.io/arch": Leaf(gpu.architecture, why),
        "nvidia.com/gpu.product": Leaf(gpu.product_labels[0], why),
    }
    return chosen | found
