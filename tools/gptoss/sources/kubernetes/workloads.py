"""Deployments and StatefulSets of Kubernetes whose pods run ``trtllm-serve``."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from gptoss.deployment import paths
from gptoss.deployment.jobs import HelmTest
from gptoss.deployment.objects import Rollout, Service, ServicePort
from gptoss.sources.parts.commands import read_commands
from gptoss.sources.parts.container import Container, Task
from gptoss.sources.parts.jobs import EVALUATES, GPUS_ANNOTATION
from gptoss.sources.parts.pod_spec import PodTemplate, ReadPod, main_container, read_pod
from gptoss.sources.parts.reading import (
    Scope,
    a_map,
    as_rendered,
    maps,
    string,
    string_map,
    whole_number,
)
from gptoss.sources.parts.server import MODULE, PROGRAM, server_command
from gptoss.text.budget import Kind, spend
from gptoss.text.places import Located
from gptoss.text.yaml_tree import Tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.sources.parts.devices import Given

KINDS = ("Deployment", "StatefulSet")
JOB, DAEMON_SET = "Job", "DaemonSet"
ENDING = (JOB, DAEMON_SET)
SHARED_MEMORY = "/dev/shm"  # noqa: S108 (a path in the container)
SCRAPE = "prometheus.io/scrape"
SCRAPE_PATH = "prometheus.io/path"
MONITORS = {"PodMonitor": "podMetricsEndpoints", "ServiceMonitor": "endpoints"}
MEASURES = ("aiperf profile", "genai-perf profile", "benchmark_serving")
DOWNLOADS = ("hf download", "huggingface-cli download", "snapshot_download")
WORKER_LABEL = "gpt-oss.worker"
"""Label of a pod template that says what the user calls the worker."""


def is_serve_workload(tree: Tree) -> bool:
    """Whether an object runs ``trtllm-serve`` in its pods.

    Raises:
        InputError: A field has a shape that the API server would refuse.
    """
    if tree.text("kind") not in KINDS:
        return False
    return _runs_server(pod_template(tree))


def pod_template(tree: Tree) -> PodTemplate:
    """The pod template of a workload; its main container is the one that runs the server.

    Raises:
        InputError: A field has a shape that the API server would refuse.
    """
    pod, annotations = _template(tree)
    containers = maps(pod.at("containers") if pod else None, "containers")
    serving = [c for c in containers if _runs_server(PodTemplate(tree, pod, c, None))]
    container = serving[0] if serving else main_container(pod)
    memory = shared_memory(pod, container)
    return PodTemplate(tree, pod, container, annotations, shared_memory=memory)


def _template(tree: Tree) -> tuple[Tree | None, Tree | None]:
    """The pod of an object's template, and the annotations that stand above it."""
    spec = a_map(tree.at("spec"), "spec")
    template = a_map(spec.at("template"), "template") if spec else None
    metadata = a_map(template.at("metadata"), "metadata") if template else None
    pod = a_map(template.at("spec"), "spec") if template else None
    annotations = a_map(metadata.at("annotations"), "annotations") if metadata else None
    return pod, annotations


def server(tree: Tree, name: str, devices: Given) -> Container:
    """The server that a workload runs, under the label of its pods or else the object's name.

    Args:
        tree: The workload.
        name: The object's name.
        devices: What claims hand out that are given along.

    Raises:
        InputError: A field has a shape that the API server would refuse.
    """
    spec = a_map(tree.at("spec"), "spec")
    return Container(
        name=labels_of(tree).get(WORKER_LABEL, name),
        read=partial(read_pod, replace(pod_template(tree), devices=devices)),
        may=(Task.SERVER,),
        replicas=spec.at("replicas") if spec else None,
    )


def job(tree: Tree, name: str) -> Container:
    """What a Job or DaemonSet runs, known by the marks of its script, annotations and variables.

    Raises:
        InputError: A field has a shape that the API server would refuse.
    """
    pod, annotations = _template(tree)
    written = PodTemplate(tree, pod, main_container(pod), annotations)
    return Container(
        name=name,
        read=partial(_read_job, tree, written),
        may=(),
        sign=_job_task(written),
        kind=tree.text("kind") or JOB,
    )


def helm_test(tree: Tree, root: Scope) -> HelmTest:
    """A pod of ``helm test``.

    Raises:
        InputError: A field has a shape that the API server would refuse.
    """
    pod = a_map(tree.at("spec"), "spec")
    annotations = a_map(tree.at("metadata", "annotations"), "annotations")
    written = PodTemplate(tree, pod, main_container(pod), annotations)
    read = read_pod(written, Scope(root.locate, paths.TESTS)).pod
    return HelmTest(tree.text("metadata", "name") or "", read.place, read)


def _read_job(tree: Tree, template: PodTemplate, scope: Scope) -> ReadPod:
    """A Job's pod, with when the Job ends and goes."""
    spec = a_map(tree.at("spec"), "spec") or Tree({}, tree.place)
    ends, goes = "activeDeadlineSeconds", "ttlSecondsAfterFinished"
    found = read_pod(template, scope)
    pod = replace(
        found.pod,
        deadline=scope.whole("deadline", spec.at(ends), ends),
        kept=scope.whole("kept", spec.at(goes), goes),
    )
    return replace(found, pod=pod)


def _job_task(template: PodTemplate) -> Task | None:
    text = template.text
    notes = dict(template.annotations.items()) if template.annotations else {}
    if any(mark in text for mark in MEASURES) or GPUS_ANNOTATION in notes:
        return Task.BENCHMARK
    if EVALUATES in text:
        return Task.ACCURACY
    entries = template.container.at("env") if template.container else None
    names = [entry.text("name") for entry in entries.elements()] if entries else []
    is_download = any(mark in text for mark in DOWNLOADS) or "MODEL_REVISION" in names
    return Task.DOWNLOAD if is_download else None


def selects(service: Tree, workload: Tree) -> bool:
    """Whether an object is a Service that selects the pods of a workload, in its namespace.

    Raises:
        InputError: There are more pairs of both than a run looks at.
    """
    if service.text("kind") != "Service" or workload.text("kind") not in KINDS:
        return False
    spend(Kind.PAIRS, 1, service.place)
    namespaces = {tree.text("metadata", "namespace") for tree in (service, workload)} - {None}
    selector = service.at("spec", "selector")
    labels = workload.at("spec", "template", "metadata", "labels")
    if len(namespaces) > 1 or not (selector and selector.value and labels):
        return False
    return all(labels.text(key) == value.value for key, value in selector.items())


def read_service(tree: Tree, workload: Tree, root: Scope) -> Service:
    """A Service with its ports.

    Raises:
        InputError: A field has a shape that the API server would refuse.
    """
    name = tree.text("metadata", "name") or ""
    scope = root.part(paths.services(name))
    spec = a_map(tree.at("spec"), "spec")
    named = _port_names(workload)
    sidecars = len(maps(workload.at("spec", "template", "spec", "containers"), "containers")) > 1
    ports = []
    for entry in maps(spec.at("ports") if spec else None, "ports"):
        port = scope.whole("port", entry.at("port"), "port")
        target = entry.at("targetPort")
        if port is None:
            continue
        leads_to = port.value if target is None or target.value is None else target.value
        if isinstance(leads_to, str):
            leads_to = int(leads_to) if leads_to.isdecimal() else named.get(leads_to)
        ours = not sidecars or leads_to in named.values()
        ports.append(ServicePort(port, leads_to if ours else None))
    return Service(name, scope.here(tree.where), tuple(ports))


def read_rollout(workload: Tree, root: Scope) -> Rollout | None:
    """How the pods of a Deployment are replaced; None for a StatefulSet, which has no surplus.

    Raises:
        InputError: A field has a shape that the API server would refuse.
    """
    if workload.text("kind") != "Deployment":
        return None
    scope = root.part(paths.ROLLOUT)
    spec = a_map(workload.at("spec"), "spec") or Tree({}, workload.place)
    strategy = a_map(spec.at("strategy"), "strategy")
    surge = strategy.at("rollingUpdate", "maxSurge") if strategy else None
    where = workload.at("metadata", "name") or workload
    return Rollout(
        place=scope.here(where.where),
        strategy=scope.text("strategy", strategy.at("type") if strategy else None),
        surge=Located(str(surge.value), scope.at("surge", surge.where)) if surge else None,
        deadline=scope.whole(
            "deadline", spec.at("progressDeadlineSeconds"), "progressDeadlineSeconds"
        ),
    )


def scraped_paths(workload: Tree, trees: list[Tree], root: Scope) -> Iterator[Located[str]]:
    """Paths under which a PodMonitor, or the pods' own annotations, have the metrics read.

    Raises:
        InputError: A field has a shape that the API server would refuse.
    """
    template, labels = workload.at("spec", "template", "metadata"), labels_of(workload)
    notes = dict(_located(template.at("annotations"), "annotations")) if template else {}
    path, scrape = notes.get(SCRAPE_PATH), notes.get(SCRAPE)
    if scrape and scrape.value == "true":
        found = path or Located("/metrics", scrape.place)
        yield Located(found.value, root.at("scraped", found.place))
    for tree in trees:
        if tree.text("kind") not in MONITORS:
            continue
        spec = a_map(tree.at("spec"), "spec") or Tree({}, tree.place)
        selector = dict(_strings(spec.at("selector", "matchLabels"), "matchLabels"))
        if tree.text("kind") == "PodMonitor" and not selector.items() <= labels.items():
            continue
        for endpoint in maps(spec.at(MONITORS[tree.text("kind") or ""]), "endpoints"):
            written = endpoint.at("path")
            value = string(written, "path") or "/metrics"
            yield Located(value, root.at("scraped", (written or endpoint).where))


def shared_memory(spec: Tree | None, container: Tree | None) -> Tree | None:
    """The size of the volume in memory that is mounted at /dev/shm, if there is one."""
    mounts = maps(container.at("volumeMounts") if container else None, "volumeMounts")
    names = [mount.text("name") for mount in mounts if mount.text("mountPath") == SHARED_MEMORY]
    for volume in maps(spec.at("volumes") if spec else None, "volumes"):
        folder = a_map(volume.at("emptyDir"), "emptyDir")
        if folder and volume.text("name") in names and folder.text("medium") == "Memory":
            return folder.at("sizeLimit")
    return None


def _runs_server(template: PodTemplate) -> bool:
    words = template.words
    if not any(name in word for word, _ in words for name in (PROGRAM, MODULE)):
        return False
    return server_command(read_commands(words, {}, Scope(as_rendered)).commands) is not None


def labels_of(tree: Tree) -> dict[str, str]:
    """The labels of a workload's pods."""
    spec = a_map(tree.at("spec"), "spec")
    template = a_map(spec.at("template"), "template") if spec else None
    metadata = a_map(template.at("metadata"), "metadata") if template else None
    return dict(_strings(metadata.at("labels"), "labels")) if metadata else {}


def _port_names(workload: Tree) -> dict[str, int]:
    """Numbers of the container ports that have names."""
    container = pod_template(workload).container
    found = {}
    for entry in maps(container.at("ports") if container else None, "ports"):
        name = string(entry.at("name"), "the name of a port")
        number = whole_number(entry.at("containerPort"), "containerPort")
        if name and number is not None:
            found[name] = number
    return found


def _located(tree: Tree | None, what: str) -> Iterator[tuple[str, Located[str]]]:
    return ((key, Located(text, at.where)) for key, text, at in string_map(tree, what))


def _strings(tree: Tree | None, what: str) -> Iterator[tuple[str, str]]:
    return ((key, value) for key, value, _ in string_map(tree, what))
