"""Builds a deployment from Kubernetes manifests.

Every place in the model is the locator's answer for a path (:mod:`gptoss.deployment.paths`).

Problems that the reader finds have the kinds ``duplicate-key``, ``config-map-twice``,
``engine-file-missing``, ``engine-file-empty``, ``field-unknown``, ``field-refused``,
``operator-needs-field``, ``resource-rule-broken`` and ``override-not-json``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gptoss.deployment import paths
from gptoss.deployment.model import Deployment, Problem
from gptoss.sources.kubernetes.components import Components
from gptoss.sources.kubernetes.fields import field_problems
from gptoss.sources.kubernetes.graph import V1ALPHA1, parts
from gptoss.sources.kubernetes.objects import Objects
from gptoss.sources.kubernetes.operator import broken_rules, missing_fields, read_operator_settings
from gptoss.sources.kubernetes.workloads import (
    pod_template,
    read_rollout,
    read_service,
    scraped_paths,
    selects,
    worker_name,
)
from gptoss.sources.parts.engine_yaml import engine_yaml, repeated_key, repeated_keys
from gptoss.sources.parts.environment import variables
from gptoss.sources.parts.jobs import read_accuracy, read_benchmark, read_download
from gptoss.sources.parts.pod_spec import read_pod
from gptoss.sources.parts.reading import Locator, Scope, a_map, as_rendered, string, string_map
from gptoss.sources.parts.releases import tag_of
from gptoss.sources.parts.server import Server, serve_deployment
from gptoss.sources.parts.workers import model_of
from gptoss.text.places import Located

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Worker
    from gptoss.facts.world import Facts, Model, Release
    from gptoss.sources.kubernetes.components import Running
    from gptoss.text.command import Variable
    from gptoss.text.places import Place
    from gptoss.text.yaml_tree import Tree


def build(
    documents: list[Tree],
    source: str,
    facts: Facts,
    locate: Locator = as_rendered,
    release: str | None = None,
) -> Deployment:
    """Builds the deployment that manifests describe.

    Args:
        documents: Every document: the DynamoGraphDeployment and what belongs to it.
        source: What they were read from, as the user named it.
        facts: What is known about releases, GPUs, models and engine settings.
        locate: Gives the place to show for a deployment path and a place in a manifest. The place
            may be one that it gave before.
        release: Dynamo release to take it for, instead of the one of the workers' image.

    Raises:
        InputError: There is not exactly one DynamoGraphDeployment or workload that runs
            ``trtllm-serve``, the release is not known, or a field has a shape that the API server
            or the engine would refuse.
    """
    root = Scope(locate)
    objects = Objects.of(documents, source)
    if objects.is_graph:
        deployment = _graph_deployment(objects, source, facts, root, release)
    else:
        deployment = _serve_deployment(objects, source, facts, root, release)
    benchmark = next((job for job in objects.jobs if job.is_benchmark), None)
    downloads = [job for job in objects.jobs if not job.is_benchmark and job.is_download]
    accuracy = next((job for job in objects.jobs if job.is_accuracy), None)
    return replace(
        deployment,
        name=objects.graph.name,
        place=root.at("name", _start(objects.graph.tree)),
        api_version=_api_version(objects.graph.tree, root),
        annotations=_annotations(objects.graph.tree, root),
        config_maps=objects.located_config_maps(root),
        claims=objects.located_claims(root),
        volumes=objects.volumes(root),
        downloads=tuple(read_download(job, root.part(paths.DOWNLOADS)) for job in downloads),
        benchmark=read_benchmark(benchmark, root.part(paths.BENCHMARK)) if benchmark else None,
        accuracy=read_accuracy(accuracy, root.part(paths.ACCURACY)) if accuracy else None,
        problems=(
            *_repeated_keys(objects.trees, root),
            *objects.config_map_problems(root),
            *deployment.problems,
            *_field_problems(objects.trees, facts, root),
        ),
    )


def _graph_deployment(
    objects: Objects, source: str, facts: Facts, root: Scope, release: str | None
) -> Deployment:
    """The components of a DynamoGraphDeployment."""
    graph, where = objects.graph, _start(objects.graph.tree)
    common = _common_variables(graph.tree, root)
    components = Components(facts, root, objects.config_map_trees)
    written = parts(graph.tree, common)
    for part in written:
        components.add(part)
    chosen, release_place = _release(components.running, facts, release)
    workers = components.workers(chosen)
    return Deployment(
        name=graph.name,
        place=where,
        source=source,
        api_version=_api_version(graph.tree, root),
        release=chosen,
        release_place=root.at("release", release_place or where),
        model=_model(workers, facts),
        frontend=components.frontend(chosen),
        workers=workers,
        others=tuple(components.others),
        environment=common,
        backend=_backend(graph.tree, root),
        operator=read_operator_settings(graph.tree, written, root),
        problems=(
            *components.problems,
            *missing_fields(graph.tree, written, root),
            *broken_rules(graph.tree, written, root),
        ),
    )


def _serve_deployment(
    objects: Objects, source: str, facts: Facts, root: Scope, release: str | None
) -> Deployment:
    """The server of a Deployment or StatefulSet."""
    workload = objects.graph.tree
    name = worker_name(workload, objects.graph.name)
    scope = root.part(paths.workers(name))
    read = read_pod(pod_template(workload), scope)
    config_maps = objects.config_map_trees
    spec = a_map(workload.at("spec"), "spec")
    server = Server(
        name=name,
        read=read,
        scope=scope,
        engine=lambda path: engine_yaml(path, read, config_maps, scope),
        replicas=scope.whole("replicas", spec.at("replicas") if spec else None, "replicas"),
    )
    found = serve_deployment(server, source, facts, release)
    services = (tree for tree in objects.trees if selects(tree, workload))
    return replace(
        found,
        services=tuple(read_service(tree, workload, root) for tree in services),
        rollout=read_rollout(workload, root),
        scraped=tuple(scraped_paths(workload, objects.trees, root)),
        release_place=root.at("release", found.release_place),
    )


def _api_version(tree: Tree, root: Scope) -> Located[str]:
    version = string(tree.at("apiVersion"), "apiVersion") or ""
    return Located(version, root.at("api_version", tree.place))


def _backend(graph: Tree, root: Scope) -> Located[str] | None:
    tree = graph.at("spec", "backendFramework")
    name = string(tree, "backendFramework")
    return Located(name, root.at("backend", tree.where)) if tree and name else None


def _start(graph: Tree) -> Place:
    """Where a graph begins for a reader: at its name."""
    name = graph.at("metadata", "name")
    return name.where if name else graph.place


def _common_variables(graph: Tree, root: Scope) -> dict[str, Variable]:
    spec = a_map(graph.at("spec"), "spec")
    field = "envs" if graph.text("apiVersion") == V1ALPHA1 else "env"
    return variables(spec.at(field) if spec else None, root, "environment")


def _annotations(graph: Tree, root: Scope) -> dict[str, Located[str]]:
    metadata = a_map(graph.at("metadata"), "metadata")
    annotations = string_map(metadata.at("annotations") if metadata else None, "annotations")
    return {
        key: Located(value, root.entry("annotations", key, tree.where))
        for key, value, tree in annotations
    }


def _release(
    running: list[Running], facts: Facts, asked: str | None
) -> tuple[Release | None, Place | None]:
    """The release, as asked for or by the workers' images, and where it is chosen."""
    images = [one.read.pod.image for one in running if one.read.pod.image]
    place = images[0].place if images else None
    if asked is not None:
        return facts.release(asked), place
    for image in images:
        if release := facts.release_of(tag_of(image.value)):
            return release, image.place
    return None, place


def _model(workers: tuple[Worker, ...], facts: Facts) -> Model | None:
    known = (model_of(worker, facts) for worker in workers)
    return next((model for model in known if model), None)


def _repeated_keys(trees: list[Tree], root: Scope) -> Iterator[Problem]:
    for tree in trees:
        for key, place in repeated_keys(tree):
            yield repeated_key(key, root.at("manifest", place))


def _field_problems(trees: list[Tree], facts: Facts, root: Scope) -> Iterator[Problem]:
    for tree in trees:
        for problem in field_problems(tree, facts):
            yield replace(problem, place=root.at("manifest", problem.place))
