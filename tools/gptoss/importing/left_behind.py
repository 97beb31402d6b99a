"""What stands beside workers and frontend in a source, and has no place in the values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.model import Runtime
from gptoss.importing.claim_values import made_for
from gptoss.importing.scaled_values import told_scaling
from gptoss.importing.ways_values import carried_ways
from gptoss.sources.truss.build import KIND as TRUSS_KEY

if TYPE_CHECKING:
    from gptoss.importing.context import Context

COMMAND_WIDTH = 80
# What the chart makes itself, by kind.
MADE = {
    "Service": "the chart makes its own",
    "PersistentVolumeClaim": "the chart makes none but that of its model cache",
    "PodMonitor": "monitoring.podMonitor makes the chart's own",
    "ServiceMonitor": "monitoring.podMonitor reads the pods themselves",
    "PrometheusRule": "monitoring.prometheusRule makes the chart's own",
    "ComputeDomain": "hardware.computeDomain makes the chart's own",
    "NetworkPolicy": "networkPolicy makes the chart's own",
    "Ingress": "ingress makes the chart's own",
    "HTTPRoute": "httpRoute makes the chart's own",
}


def note_left_behind(context: Context) -> None:
    """Notes downloads, other components and objects that the values do not stand for."""
    deployment = context.deployment
    for problem in deployment.problems:
        if problem.kind == TRUSS_KEY:
            context.left_out(problem.message, problem.place)
    for other in deployment.others:
        told = f"{other.name}: the chart has no component of this kind"
        context.left_out(told, other.place)
    for download in deployment.downloads:
        line = download.pod.commands[-1].line if download.pod.commands else ""
        shown = f"{line[:COMMAND_WIDTH]}…" if len(line) > COMMAND_WIDTH else line
        context.left_out(
            f"{download.name}: {shown}; the chart downloads model.id at model.revision into its "
            "own cache",
            download.place,
        )
    if name := deployment.namespace:
        told = "helm install is given it, as the head of the file says"
        context.left_out(f"namespace {name.value}: {told}", name.place)
    _note_pods(context)
    _note_objects(context)


def _note_pods(context: Context) -> None:
    """Notes Secrets whose every key is a variable, and the user where the source leaves it open."""
    deployment = context.deployment
    for component in deployment.components:
        for secret in component.pod.secrets:
            context.left_out(
                f"{component.name}: every key of Secret {secret.value} as a variable; the download "
                "Job takes HF_TOKEN from it, write what else is needed under env",
                secret.place,
            )
    pods = [worker.pod for worker in deployment.workers]
    if not any(pod.identity or pod.root or pod.non_root for pod in pods):
        told = "user and group 1000 for every pod, where the source has those of its image"
        context.chosen(f"{told}; podSecurityContext has another")


def _note_objects(context: Context) -> None:
    deployment = context.deployment
    read = {deployment.name, *(download.name for download in deployment.downloads)}
    read |= {job.name for job in (deployment.benchmark, deployment.accuracy) if job}
    engines = {
        mount.config_map
        for worker in deployment.workers
        for mount in worker.pod.mounts
        if mount.config_map
    }
    carried = {str(way) for way in carried_ways(deployment)} | set(told_scaling(context))
    for given in deployment.given:
        if given.value in carried:
            continue
        kind, _, name = given.value.partition(" ")
        is_read = name in (engines if kind == "ConfigMap" else read) and kind not in MADE
        if is_read:
            continue
        if kind == "ResourceClaimTemplate":
            told = made_for(name, context)
        elif kind == "PersistentVolumeClaim" and name == context.cache_claim:
            told = "modelCache.existingClaim names it, and the chart does not make it: keep it"
        else:
            told = MADE.get(kind, "the chart has no such object; apply it beside")
        context.left_out(f"{given.value}: {told}", given.place)
    if deployment.accuracy and deployment.runtime is Runtime.DYNAMO:
        told = "the chart has an evaluation of its own; accuracy.enabled makes its Job"
        context.left_out(f"{deployment.accuracy.name}: {told}", deployment.accuracy.place)
