"""What of a deployment a cluster holds, read as manifests are."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import yaml

from gptoss.cluster.live_cluster import DeniedError
from gptoss.sources.kubernetes.build import build
from gptoss.sources.kubernetes.graph import KIND, V1ALPHA1, V1BETA1
from gptoss.sources.kubernetes.split import split
from gptoss.text.errors import InputError
from gptoss.text.yaml_tree import parse_documents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from gptoss.cluster.live_cluster import Cluster, Object
    from gptoss.deployment.model import Deployment
    from gptoss.facts.world import Facts

# What a change is compared in, and how the API server serves it.
COMPARED = {
    "Deployment": "apps/v1",
    "StatefulSet": "apps/v1",
    "DaemonSet": "apps/v1",
    "Job": "batch/v1",
    "Service": "v1",
    "ConfigMap": "v1",
    "PersistentVolumeClaim": "v1",
    "RoleBinding": "rbac.authorization.k8s.io/v1",
    "ResourceClaimTemplate": "resource.k8s.io/v1",
    "ComputeDomain": "resource.nvidia.com/v1beta1",
}
# Without these a deployment cannot be found at all.
NEEDED = ("Deployment", "ConfigMap", "PersistentVolumeClaim")
INSTANCE = "app.kubernetes.io/instance"
OF_RELEASE = ("app.kubernetes.io/name", INSTANCE)
CLAIM, STORAGE_CLASS = "PersistentVolumeClaim", "StorageClass"


class NotInstalledError(InputError):
    """Nothing of a deployment serves in the namespace."""


def installed_beside(
    cluster: Cluster,
    deployments: Sequence[Deployment],
    facts: Facts,
    tell: Callable[[str], None],
) -> list[Deployment]:
    """What the cluster's namespace holds of deployments: their objects, and those of their release.

    Args:
        cluster: The cluster, and the namespace to look in.
        deployments: What is to be installed.
        facts: What is known about the world.
        tell: Takes a line about each kind that the account may not read and that is left out.

    Raises:
        DeniedError: The account may not read what cannot be left out.
        NotInstalledError: There is nothing of them.
        InputError: It cannot be read.
    """
    objects = [o for o in _readable(cluster, tell) if not is_made_by_another(o)]
    found = _of_these(objects, {each.value for one in deployments for each in one.given})
    label = f"namespace {cluster.namespace} of {cluster.context or 'the cluster'}"
    if not any(_serves(each) for each in found):
        named = ", ".join(dict.fromkeys(each.name for each in deployments))
        raise NotInstalledError(
            f"--against cluster: nothing of {named} serves in {label}; say where with -n and "
            "--context, and with --name what a target is installed as"
        )
    found += _storage_classes(cluster, found)
    trees = [tree for each in found for tree in parse_documents(_text(each), _place(each))]
    return [build(part, label, facts) for part in split(trees)]


def _readable(cluster: Cluster, tell: Callable[[str], None]) -> Iterator[Object]:
    """Every object of a namespace that is compared and may be read."""
    yield from graphs(cluster)
    for kind, version in COMPARED.items():
        try:
            yield from cluster.objects(version, kind)
        except DeniedError as error:
            if kind in NEEDED:
                raise
            tell(f"not compared: the account may not {error.right}")


def graphs(cluster: Cluster) -> Iterator[Object]:
    """The graphs of a namespace, each in the API version in which its author wrote it.

    Raises:
        DeniedError: The account may not list them.
        InputError: The cluster does not answer, or cannot convert one.
    """
    version = V1BETA1 if cluster.kinds(V1BETA1) else V1ALPHA1
    for graph in cluster.objects(version, KIND):
        written = _written_version(graph)
        if written in (version, None):
            yield graph
        else:
            again = cluster.get(str(written), KIND, graph["metadata"]["name"])
            yield from [again] if again else []


def _written_version(graph: Object) -> str | None:
    """The API version in which the components were written last."""
    entries = [
        entry
        for entry in graph["metadata"].get("managedFields", [])
        if {"f:components", "f:services"} & entry.get("fieldsV1", {}).get("f:spec", {}).keys()
    ]
    last = max(entries, key=lambda entry: str(entry.get("time", "")), default=None)
    return last and str(last["apiVersion"])


def is_made_by_another(thing: Object) -> bool:
    """Whether the operator or Kubernetes has made it of something else."""
    return any(owner.get("controller") for owner in thing["metadata"].get("ownerReferences", []))


def _of_these(objects: Sequence[Object], named: set[str]) -> list[Object]:
    """The objects of these kinds and names, and all others of the releases that they are of."""
    by_name = [each for each in objects if f"{each['kind']} {each['metadata']['name']}" in named]
    releases = {release for each in by_name if (release := release_of(each))}
    return [each for each in objects if each in by_name or release_of(each) in releases]


def release_of(thing: Object) -> tuple[str, ...] | None:
    """The labels that all objects of a release have."""
    labels = thing["metadata"].get("labels", {})
    found = tuple(labels[name] for name in OF_RELEASE if name in labels)
    return found if len(found) == len(OF_RELEASE) else None


def _serves(thing: Object) -> bool:
    return thing["kind"] in (KIND, "Deployment", "StatefulSet")


def _storage_classes(cluster: Cluster, objects: Iterable[Object]) -> list[Object]:
    """The classes of claims; none where the account may not read them, which a rule then says."""
    specs = [each["spec"] for each in objects if each["kind"] == CLAIM]
    names = sorted({spec["storageClassName"] for spec in specs if spec.get("storageClassName")})
    get = partial(cluster.get, "storage.k8s.io/v1", STORAGE_CLASS)
    try:
        return [found for name in names if (found := get(name))]
    except DeniedError:
        return []


def _text(thing: Object) -> str:
    """An object as kubectl shows it, without what changes by itself."""
    metadata = dict(thing["metadata"])
    if thing["kind"] != CLAIM:
        metadata.pop("managedFields", None)
    rest: dict[str, Any] = {key: value for key, value in thing.items() if key != "status"}
    return yaml.dump({**rest, "metadata": metadata}, Dumper=_Dumper, sort_keys=False)


def _place(thing: Object) -> str:
    """What an object is called where its place is told."""
    name = f"{thing['kind'].lower()}/{thing['metadata']['name']}"
    return f"cluster {name}"


_Dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
