"""Is everything there that pods name and the release does not bring?"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gptoss.cluster.live_cluster import DeniedError
from gptoss.cluster.preflight.answer import Answer, Status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.cluster.live_cluster import Cluster
    from gptoss.cluster.pod_sets import PodSet
    from gptoss.cluster.wanted import Wanted

# What pods name, by the name of the field, with what stands in the cluster and not in a namespace.
KINDS = {
    "Secret": "v1",
    "ConfigMap": "v1",
    "ServiceAccount": "v1",
    "PersistentVolumeClaim": "v1",
    "PriorityClass": "scheduling.k8s.io/v1",
    "RuntimeClass": "node.k8s.io/v1",
    "ResourceClaim": "resource.k8s.io/v1",
    "ResourceClaimTemplate": "resource.k8s.io/v1",
}


@dataclass(frozen=True, slots=True)
class Named:
    """An object that a pod names.

    Attributes:
        kind, name: The object.
        key: The key of it that is used; '' for all of it.
        pulls: Whether it is for pulling images: the pod starts without it where none is needed.
        optional: Whether pods start without it, as the download does without a token.
    """

    kind: str
    name: str
    key: str = ""
    pulls: bool = False
    optional: bool = False


def namespace(cluster: Cluster, wanted: Wanted) -> Iterator[Answer]:
    """Whether the namespace is there."""
    found = cluster.get("v1", "Namespace", wanted.namespace)
    if found is None:
        do = f"kubectl create namespace {wanted.namespace}, or install with --create-namespace"
        says = f"there is no namespace {wanted.namespace}"
        yield Answer("namespace", Status.WARNING, says, do)
    elif found.get("status", {}).get("phase") == "Terminating":
        says = f"namespace {wanted.namespace} is being deleted: nothing can be made in it"
        yield Answer("namespace", Status.ERROR, says, "wait until it is gone, or take another")
    else:
        yield Answer("namespace", Status.OK, f"namespace {wanted.namespace} is there")


def references(cluster: Cluster, wanted: Wanted) -> Iterator[Answer]:
    """Whether every Secret, ConfigMap, account, claim and class is there, with the keys used."""
    users: dict[Named, list[str]] = defaultdict(list)
    for pods in wanted.pods:
        for named in _named(pods):
            if not wanted.makes(named.kind, named.name) and pods.name not in users[named]:
                users[named].append(pods.name)
    for named, names in users.items():
        try:
            yield _answer(cluster, named, ", ".join(names))
        except DeniedError as error:
            says = f"whether {named.kind} {named.name} is there cannot be seen"
            yield Answer(_about(named), Status.UNKNOWN, says, f"grant: {error.right}")


def _answer(cluster: Cluster, named: Named, users: str) -> Answer:
    found = cluster.get(KINDS[named.kind], named.kind, named.name)
    here = f"{named.kind} {named.name}"
    if found is None:
        if named.optional:
            says = f"{here} is not there; pods start without it ({users})"
            return Answer(_about(named), Status.INFO, says, _making(cluster, named))
        if named.pulls:
            says = f"{here} is not there: images of a private registry cannot be pulled ({users})"
            return Answer(_about(named), Status.WARNING, says, _making(cluster, named))
        says = f"{here} is not there, and pods cannot start without it ({users})"
        return Answer(_about(named), Status.ERROR, says, _making(cluster, named))
    keys = {**(found.get("data") or {}), **(found.get("binaryData") or {})}
    if named.key and named.key not in keys:
        has = ", ".join(sorted(keys)) or "none"
        says = f"{here} has no key {named.key}, but {has} ({users})"
        do = f"add the key {named.key}, or name the one that is there in the values"
        return Answer(_about(named), Status.ERROR, says, do)
    if named.kind == "PersistentVolumeClaim":
        return _claim(found, here, users)
    key = f" and has the key {named.key}" if named.key else ""
    return Answer(_about(named), Status.OK, f"{here} is there{key}")


def _claim(found: dict[str, Any], here: str, users: str) -> Answer:
    phase = (found.get("status") or {}).get("phase")
    if phase == "Lost":
        says = f"{here} has lost its volume ({users})"
        return Answer("claim", Status.ERROR, says, "restore the volume, or name another claim")
    if phase != "Bound":
        says = f"{here} is not bound yet ({users})"
        return Answer("claim", Status.INFO, says, "kubectl describe pvc says what it waits for")
    return Answer("claim", Status.OK, f"{here} is bound")


def _about(named: Named) -> str:
    known = {"PersistentVolumeClaim": "claim", "ServiceAccount": "account"}
    return known.get(named.kind, named.kind.lower())


def _making(cluster: Cluster, named: Named) -> str:
    """How to make what is missing."""
    where = f"-n {cluster.namespace}"
    if named.pulls:
        return f"kubectl create secret docker-registry {named.name} {where} …"
    if named.kind == "Secret":
        key = named.key or "KEY"
        return f"kubectl create secret generic {named.name} {where} --from-literal={key}=…"
    return f"make it in namespace {cluster.namespace} before, or name one that is there"


def _named(pods: PodSet) -> Iterator[Named]:
    """What a pod names and cannot start without."""
    spec = pods.spec
    for each in spec.get("imagePullSecrets") or []:
        yield Named("Secret", each["name"], pulls=True)
    for container in pods.containers:
        yield from _of_container(container)
    for volume in spec.get("volumes") or []:
        yield from _of_volume(volume)
    if account := spec.get("serviceAccountName"):
        yield Named("ServiceAccount", account)
    if (chosen := spec.get("priorityClassName")) and not chosen.startswith("system-"):
        yield Named("PriorityClass", chosen)
    if runtime := spec.get("runtimeClassName"):
        yield Named("RuntimeClass", runtime)
    for claim in spec.get("resourceClaims") or []:
        if template := claim.get("resourceClaimTemplateName"):
            yield Named("ResourceClaimTemplate", template)
        elif name := claim.get("resourceClaimName"):
            yield Named("ResourceClaim", name)


def _of_container(container: dict[str, Any]) -> Iterator[Named]:
    for variable in container.get("env") or []:
        source = variable.get("valueFrom") or {}
        for field, kind in (("secretKeyRef", "Secret"), ("configMapKeyRef", "ConfigMap")):
            found = source.get(field)
            if found and (kind == "Secret" or not found.get("optional")):
                optional = bool(found.get("optional"))
                yield Named(kind, found["name"], found["key"], optional=optional)
    for source in container.get("envFrom") or []:
        for field, kind in (("secretRef", "Secret"), ("configMapRef", "ConfigMap")):
            if (found := source.get(field)) and not found.get("optional"):
                yield Named(kind, found["name"])


def _of_volume(volume: dict[str, Any]) -> Iterator[Named]:
    if claim := volume.get("persistentVolumeClaim"):
        yield Named("PersistentVolumeClaim", claim["claimName"])
    sources = [volume, *((volume.get("projected") or {}).get("sources") or [])]
    for source in sources:
        for field, kind in (("secret", "Secret"), ("configMap", "ConfigMap")):
            found = source.get(field)
            name = found and (found.get("name") or found.get("secretName"))
            if not name or found.get("optional"):
                continue
            for key in [item["key"] for item in found.get("items") or []] or [""]:
                yield Named(kind, name, key)
