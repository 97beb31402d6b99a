"""Does a changed engine config reach the workers, and only the workers it is meant for?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.deployment.model import Platform, Runtime
from gptoss.rules.rule import ANY, ANYWHERE, Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Problem, Worker
    from gptoss.deployment.pods import Mount

HASHED_NAME = re.compile(r"-([0-9a-f]{8,64}|[b-df-hj-np-tv-z2-9kmgth]{10})$")
ROLLING_ANNOTATION = re.compile(r"checksum|hash|sha256|digest|reloader|revision", re.IGNORECASE)


def _engine_mount(worker: Worker) -> Mount | None:
    """The ConfigMap mount that holds a worker's engine file, if that is where it comes from."""
    if worker.engine_file is None:
        return None
    mount = worker.pod.mount_at(worker.engine_file.value)
    return mount if mount and mount.config_map else None


@rule(
    "G030",
    "config-map-name-not-scoped",
    Severity.INFO,
    runtimes=ANY,
)
def config_map_name_not_scoped(deployment: Deployment) -> Iterator[Said]:
    """The ConfigMap with the engine YAML is not named after the deployment.

    A second deployment in the namespace that brings a ConfigMap of the same name overwrites it.
    Running workers notice nothing; the next pod that starts loads the wrong engine YAML or finds
    no file at all.
    """
    used = {mount.config_map for w in deployment.workers if (mount := _engine_mount(w))}
    owner = _owner(deployment)
    for config_map in deployment.config_maps:
        if config_map.name in used and owner not in config_map.name:
            yield Said(
                config_map,
                f"ConfigMap {config_map.name} does not carry the name of deployment "
                f"{deployment.name}, so another deployment of this namespace may overwrite it",
                f"name it {owner}-engine and mount that",
                also=[(deployment, f"deployment {deployment.name}")],
            )


def _owner(deployment: Deployment) -> str:
    """The name that objects of a deployment begin with: a server's without its last word."""
    if deployment.runtime is Runtime.DYNAMO:
        return deployment.name
    return deployment.name.rpartition("-")[0] or deployment.name


@rule(
    "G031",
    "config-map-twice",
    Severity.ERROR,
    reports="config-map-twice",
    hint="give each ConfigMap a name of its own",
    runtimes=ANY,
)
def config_map_twice() -> None:
    """Two ConfigMaps have the same name.

    They are one object: what is applied last replaces the other, and workers that mount a key of
    the other find no file.
    """


@rule(
    "G032",
    "engine-change-rolls-nothing",
    Severity.INFO,
    of=WORKERS,
    runtimes=ANY,
)
def engine_change_rolls_nothing(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """A changed engine YAML does not restart the workers that read it.

    A worker reads its engine YAML once, when it starts. It is restarted when its pod template
    changes, and the content of a ConfigMap is not part of it. A checksum of the content in the
    pod's annotations, or in the ConfigMap's name, is.
    """
    mount = _engine_mount(worker)
    if mount is None or HASHED_NAME.search(mount.config_map or ""):
        return
    if any(ROLLING_ANNOTATION.search(key) for key in worker.pod.annotations):
        return
    yield Said(
        mount,
        f"the engine YAML comes from ConfigMap {mount.config_map}, and no pod "
        "annotation changes with its content: an edit restarts nothing",
        "add a pod annotation such as checksum/engine with the content's checksum "
        f"({_ANNOTATIONS[deployment.runtime]})",
    )


_ANNOTATIONS = {
    Runtime.DYNAMO: "extraPodMetadata.annotations, or podTemplate.metadata.annotations",
    Runtime.SERVE: "spec.template.metadata.annotations",
}


@rule(
    "G033",
    "engine-file-not-in-config-map",
    Severity.ERROR,
    reports="engine-file-missing",
    runtimes=ANY,
    platforms=ANYWHERE,
)
def engine_file_not_in_config_map(problem: Problem, deployment: Deployment) -> Iterator[Said]:
    """The engine file is mounted from a ConfigMap that has no such key, or from a missing file.

    The mounted folder holds one file for each key of the ConfigMap, so the worker finds no file
    and stops.
    """
    on_cluster = deployment.platform is Platform.KUBERNETES
    key = "name one of the ConfigMap's keys, or add the key to it"
    yield Said(
        problem,
        f"{problem.message}: the worker finds no engine YAML and stops",
        key if on_cluster else "name a file that is there, or put it there",
    )


@rule(
    "G034",
    "yaml-key-twice",
    Severity.WARNING,
    reports="duplicate-key",
    hint="keep one of the two",
    engine_only=True,
    runtimes=ANY,
    platforms=ANYWHERE,
)
def yaml_key_twice() -> None:
    """A YAML map has the same key twice.

    The last one counts and nothing says so: the value that is read first by a person is not in
    force.
    """


@rule(
    "G035",
    "engine-file-empty",
    Severity.WARNING,
    reports="engine-file-empty",
    hint="write a setting, or drop the flag that names it",
    engine_only=True,
    runtimes=ANY,
    platforms=ANYWHERE,
)
def engine_file_empty() -> None:
    """The engine YAML is empty.

    The engine merges it as a map, which nothing is not: it most likely stops with a TypeError.
    """
