"""Builds a deployment from Kubernetes manifests.

Every place in the model is the locator's answer for a path (:mod:`gptoss.deployment.paths`).

Problems that the reader finds have the kinds ``duplicate-key``, ``config-map-twice``,
``engine-file-missing``, ``engine-file-empty``, ``field-unknown``, ``field-refused``,
``operator-needs-field``, ``resource-rule-broken``, ``namespace-refused``, ``closed-off`` and
``override-not-json``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gptoss.deployment.autoscalers import Scaling
from gptoss.sources.kubernetes.alert_rules import alerts
from gptoss.sources.kubernetes.fields import field_problems
from gptoss.sources.kubernetes.graph import KIND, V1ALPHA1, parts
from gptoss.sources.kubernetes.objects import Objects, claim_templates, namespace_of
from gptoss.sources.kubernetes.operator import broken_rules, missing_fields, read_operator_settings
from gptoss.sources.kubernetes.policies import closed_off
from gptoss.sources.kubernetes.scaling_objects import Scaled
from gptoss.sources.kubernetes.unchangeable import fixed_fields
from gptoss.sources.kubernetes.ways_in import ways_in
from gptoss.sources.kubernetes.workloads import (
    helm_test,
    read_rollout,
    read_service,
    scraped_paths,
    selects,
    server,
)
from gptoss.sources.parts.assembly import Origin, assemble
from gptoss.sources.parts.devices import given_devices
from gptoss.sources.parts.engine_yaml import repeated_key, repeated_keys
from gptoss.sources.parts.environment import variables
from gptoss.sources.parts.reading import Locator, Scope, a_map, as_rendered, string, string_map
from gptoss.text.places import Located

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Problem
    from gptoss.facts.world import Facts, Release
    from gptoss.text.command import Variable
    from gptoss.text.places import Place
    from gptoss.text.yaml_tree import Tree


UNKNOWN = "field-unknown"


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
    graph = objects.graph.tree
    origin = Origin(
        name=objects.graph.name,
        place=root.at("name", _start(graph)),
        source=source,
        release=release,
        locate=locate,
        config_maps=objects.config_map_trees,
    )
    made = _graph_deployment if objects.is_graph else _server_deployment
    deployment = made(objects, origin, facts)
    return replace(
        deployment,
        api_version=_api_version(graph, root),
        annotations=_annotations(graph, root),
        config_maps=objects.located_config_maps(root),
        claims=objects.located_claims(root),
        volumes=objects.volumes(root),
        namespace=_namespace(graph, root),
        given=tuple(objects.given(root)),
        fixed=tuple(fixed_fields(objects.trees, root)),
        claim_templates=claim_templates(objects.trees, root),
        alerts=tuple(alerts(objects.trees, root)),
        ways_in=tuple(ways_in(objects.trees, graph, root)),
        tests=tuple(helm_test(tree, root) for tree in objects.tests),
        problems=(
            *_repeated_keys(objects.trees, root),
            *objects.config_map_problems(root),
            *deployment.problems,
            *_field_problems([*objects.trees, *objects.tests], facts, root, deployment.release),
            *objects.namespace_problems(root),
        ),
    )


def _graph_deployment(objects: Objects, origin: Origin, facts: Facts) -> Deployment:
    """The components of a DynamoGraphDeployment, and what it asks of the operator."""
    graph, root = objects.graph.tree, Scope(origin.locate)
    common = _common_variables(graph, root)
    written = parts(graph, common, given_devices(objects.trees))
    deployment = assemble([*(part.container for part in written), *objects.jobs], origin, facts)
    scaled = Scaled.of_graph(origin.name, written)
    return replace(
        _scaled(deployment, scaled, objects, root),
        environment=common,
        backend=_backend(graph, root),
        operator=read_operator_settings(graph, written, root),
        problems=(
            *deployment.problems,
            *missing_fields(graph, written, root),
            *broken_rules(graph, written, root),
            *closed_off(objects.trees, graph, root),
        ),
    )


def _server_deployment(objects: Objects, origin: Origin, facts: Facts) -> Deployment:
    """The server of a Deployment or StatefulSet, and what leads to it."""
    workload, root = objects.graph.tree, Scope(origin.locate)
    serving = server(workload, origin.name, given_devices(objects.trees))
    services = (tree for tree in objects.trees if selects(tree, workload))
    deployment = assemble([serving, *objects.jobs], origin, facts)
    scaled = Scaled.of_server(workload, origin.name, serving.name)
    return replace(
        _scaled(deployment, scaled, objects, root),
        services=tuple(read_service(tree, workload, root) for tree in services),
        rollout=read_rollout(workload, root),
        scraped=tuple(scraped_paths(workload, objects.trees, root)),
    )


def _scaled(deployment: Deployment, scaled: Scaled, objects: Objects, root: Scope) -> Deployment:
    """The same with its autoscalers and budgets, and the replicas that autoscalers keep."""
    autoscalers = tuple(scaled.autoscalers(objects.trees, root))
    floors = {each.component: Located(max(1, each.floor), each.place) for each in autoscalers}
    frontend = deployment.frontend
    return replace(
        deployment,
        scaling=Scaling(autoscalers, tuple(scaled.budgets(objects.trees, root))),
        frontend=frontend and replace(frontend, floor=floors.get(frontend.name)),
        workers=tuple(replace(w, floor=floors.get(w.name)) for w in deployment.workers),
        others=tuple(replace(c, floor=floors.get(c.name)) for c in deployment.others),
    )


def _api_version(tree: Tree, root: Scope) -> Located[str]:
    version = string(tree.at("apiVersion"), "apiVersion") or ""
    return Located(version, root.at("api_version", tree.place))


def _backend(graph: Tree, root: Scope) -> Located[str] | None:
    tree = graph.at("spec", "backendFramework")
    name = string(tree, "backendFramework")
    return Located(name, root.at("backend", tree.where)) if tree and name else None


def _namespace(graph: Tree, root: Scope) -> Located[str] | None:
    tree, name = graph.at("metadata", "namespace"), namespace_of(graph)
    return Located(name, root.at("manifest", tree.where)) if tree and name else None


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


def _repeated_keys(trees: list[Tree], root: Scope) -> Iterator[Problem]:
    for tree in trees:
        for key, place in repeated_keys(tree):
            yield repeated_key(key, root.at("manifest", place))


def _field_problems(
    trees: list[Tree], facts: Facts, root: Scope, release: Release | None
) -> Iterator[Problem]:
    """What is wrong with fields; which fields operators before 1.0 knew was not read."""
    is_older = release is not None and release.version in facts.older
    for tree in trees:
        for problem in field_problems(tree, facts):
            if not (is_older and problem.kind == UNKNOWN and tree.text("kind") == KIND):
                yield replace(problem, place=root.at("manifest", problem.place))
