"""Builds a deployment from Kubernetes manifests.

Every place in the model is the locator's answer for a deployment path:

=============================================  ===================================================
``name``, ``api_version``, ``release``         of the DynamoGraphDeployment
``annotations.<key>``                          its annotations
``environment.<NAME>``                         variables that it sets for every component
``frontend``                                   the frontend; ``frontend.…`` what is in it
``workers.<name>``                             a worker; the name as it is written
``others.<name>``                              a component that is neither
``benchmark``, ``downloads``                   Jobs
``config_maps.<name>``, ``claims.<name>``      objects given along with it
``manifest``                                   anything else in a manifest
=============================================  ===================================================

A component or Job ``<pod>`` has:

=============================================  ===================================================
``<pod>.image``, ``<pod>.command``             image; words of the command that belong to no flag
``<pod>.flags.<--flag>``                       a flag and its value
``<pod>.env.<NAME>``, ``<pod>.secrets``        variables; Secrets taken whole
``<pod>.mounts.<path>``                        volumes
``<pod>.nodes.<label>``                        what is asked of the node
``<pod>.anti_affinity``                        pods it keeps away from
``<pod>.tolerations.<key>``                    taints it tolerates
``<pod>.requests.<name>``, ``…limits.<name>``  resource quantities without GPUs
``<pod>.annotations.<key>``                    pod annotations
``<pod>.pull_secrets``, ``privileged``,        the fields of :class:`gptoss.pods.Pod`
``root``, ``non_root``, ``probes.<kind>``,
``termination_grace``, ``shared_memory``
=============================================  ===================================================

A component also has ``type``, ``sub_type``, ``replicas``, ``runtime_version`` and
``ignored.<field>``; a worker ``gpus``, ``node_count``, ``model``, ``served_name``, ``engine`` (the
engine YAML as a whole) and ``engine.<dotted key>``; the benchmark ``concurrency``, ``requests``,
``input_tokens``, ``output_tokens``, ``concurrency_per_gpu`` and ``gpu_count``; a download ``model``
and ``revision``.

Problems that the reader finds have the kinds ``duplicate-key``, ``config-map-twice``,
``engine-file-missing``, ``engine-file-empty`` and ``override-not-json``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.errors import InputError
from gptoss.model import Component, Deployment, Frontend, Problem, Worker
from gptoss.places import Located, Place
from gptoss.sources.commands import module_command
from gptoss.sources.engine_yaml import repeated_key, repeated_keys
from gptoss.sources.environment import variables
from gptoss.sources.graph import FRONTEND, KIND, Part, parts
from gptoss.sources.jobs import read_benchmark, read_download
from gptoss.sources.objects import Objects
from gptoss.sources.pod_spec import read_pod
from gptoss.sources.reading import Locator, Scope, a_map, as_rendered, string_map
from gptoss.sources.workers import MODULE, model_of, read_worker

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.facts import Facts, Release
    from gptoss.pods import Variable
    from gptoss.yaml_tree import Tree


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
        InputError: There is not exactly one DynamoGraphDeployment, the release is not known, or
            a field has a shape that the API server or the engine would refuse.
    """
    root = Scope(locate)
    objects = Objects.of(documents, source)
    graph = objects.graph
    spec = a_map(graph.tree.at("spec"), "spec")
    common = _common(spec, root) if spec else {}
    reader = _Reader(facts, root, objects)
    for part in parts(graph.tree, common):
        reader.read(part)
    start = graph.tree.at("metadata", "name") or graph.tree
    chosen, release_place = _release(reader, facts, release, root, start.where)
    benchmarks = [job for job in objects.jobs if job.is_benchmark]
    downloads = [job for job in objects.jobs if not job.is_benchmark and job.is_download]
    manifest = [
        repeated_key(key, root.at("manifest", place))
        for tree in objects.trees
        for key, place in repeated_keys(tree)
    ]
    return Deployment(
        name=graph.name,
        place=root.at("name", start.where),
        source=source,
        api_version=_located(graph.tree.at("apiVersion"), "api_version", root),
        release=chosen,
        release_place=release_place,
        model=next((m for m in (model_of(w, facts) for w in reader.workers) if m), None),
        frontend=reader.frontend,
        workers=tuple(reader.workers),
        others=tuple(reader.others),
        annotations=_annotations(graph.tree, root),
        environment=common,
        config_maps=objects.located_config_maps(root),
        claims=objects.located_claims(root),
        downloads=tuple(read_download(job, root.under("downloads")) for job in downloads),
        benchmark=read_benchmark(benchmarks[0], root.under("benchmark")) if benchmarks else None,
        problems=(*manifest, *objects.config_map_problems(root), *reader.problems),
    )


class _Reader:
    """Sorts components into frontend, workers and others as it reads them."""

    def __init__(self, facts: Facts, root: Scope, objects: Objects) -> None:
        self.frontend: Frontend | None = None
        self.workers: list[Worker] = []
        self.others: list[Component] = []
        self.problems: list[Problem] = []
        self._facts = facts
        self._root = root
        self._config_maps = objects.config_map_trees

    def read(self, part: Part) -> None:
        """Reads one component."""
        if part.may_run(MODULE) and self._read_worker(part):
            return
        is_frontend = part.type is not None and part.type.value == "frontend"
        if self.frontend is None and (is_frontend or part.may_run(FRONTEND)):
            scope = self._root.under("frontend")
            pod = read_pod(part.template, scope).pod
            command = module_command(pod.commands, FRONTEND)
            self.frontend = Frontend(**_fields(part, pod, scope), command=command)
            return
        scope = self._root.under("others", part.name)
        self.others.append(Component(**_fields(part, read_pod(part.template, scope).pod, scope)))

    def _read_worker(self, part: Part) -> bool:
        scope = self._root.under("workers", part.name)
        read = read_pod(part.template, scope)
        command = module_command(read.pod.commands, MODULE)
        if command is None:
            return False
        details, problems = read_worker(part, read, command, scope, self._config_maps, self._facts)
        self.workers.append(Worker(**_fields(part, read.pod, scope), **details))
        self.problems += problems
        return True
