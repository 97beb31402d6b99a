"""Will the claims of a release get their volumes?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gptoss.cluster.live_cluster import DeniedError
from gptoss.cluster.preflight.answer import Answer, Status
from gptoss.text.quantity import amount

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.cluster.live_cluster import Cluster, Object
    from gptoss.cluster.wanted import Wanted

STORAGE = "storage.k8s.io/v1"
DEFAULT = "storageclass.kubernetes.io/is-default-class"
MANUAL = "kubernetes.io/no-provisioner"
# Provisioners of disks that one node attaches; their drivers say so of file systems.
ONE_NODE = (
    "ebs.csi.aws.com",
    "disk.csi.azure.com",
    "pd.csi.storage.gke.io",
    "cinder.csi.openstack.org",
    "rancher.io/local-path",
    "topolvm.io",
)
MANY = ("ReadWriteMany", "ReadOnlyMany")


def claims(cluster: Cluster, wanted: Wanted) -> Iterator[Answer]:
    """Whether there is a storage class, and one that has the access mode and can grow."""
    for claim in wanted.objects:
        if claim["kind"] == "PersistentVolumeClaim":
            name = claim["metadata"]["name"]
            try:
                found = cluster.get("v1", "PersistentVolumeClaim", name)
            except DeniedError as error:
                says = f"whether claim {name} is there already cannot be seen"
                yield Answer("storage", Status.UNKNOWN, says, f"grant: {error.right}")
                found = None
            yield from _kept(cluster, claim, found) if found else _new(cluster, claim)


def _kept(cluster: Cluster, claim: Object, found: Object) -> Iterator[Answer]:
    """A claim that is there already: bound, and able to grow where more is asked."""
    name, asked, has = claim["metadata"]["name"], _size(claim), _size(found)
    phase = (found.get("status") or {}).get("phase")
    if phase == "Lost":
        says = f"claim {name} has lost its volume"
        yield Answer("storage", Status.ERROR, says, "restore the volume, or delete the claim")
    elif (amount(asked) or 0) > (amount(has) or 0):
        chosen = found["spec"].get("storageClassName")
        owner = cluster.get(STORAGE, "StorageClass", chosen) if chosen else None
        if owner and owner.get("allowVolumeExpansion"):
            says = f"claim {name} is there with {has} and will grow to {asked}"
            yield Answer("storage", Status.OK, says)
        else:
            says = f"claim {name} has {has}, and its class {chosen} cannot grow it to {asked}"
            do = f"ask for {has}, or fill a new claim (modelCache.existingClaim)"
            yield Answer("storage", Status.ERROR, says, do)
    else:
        yield Answer("storage", Status.OK, f"claim {name} is there already ({phase}, {has})")


def _new(cluster: Cluster, claim: Object) -> Iterator[Answer]:
    name, spec = claim["metadata"]["name"], claim["spec"]
    chosen = spec.get("storageClassName")
    if chosen == "" or spec.get("volumeName"):
        says = f"claim {name} waits for a volume that is made by hand"
        yield Answer("storage", Status.INFO, says, "make the PersistentVolume before")
        return
    classes = cluster.objects(STORAGE, "StorageClass")
    named = {each["metadata"]["name"]: each for each in classes}
    default = [each for each in classes if _is_default(each)]
    if chosen is None and not default:
        says = f"claim {name} names no storage class, and the cluster has no default one"
        yield Answer("storage", Status.ERROR, says, _choose(named))
    elif chosen is not None and chosen not in named:
        says = f"claim {name} asks for storage class {chosen}, which is not there"
        yield Answer("storage", Status.ERROR, says, _choose(named))
    else:
        yield _of_class(cluster, claim, named[chosen] if chosen else _newest(default))


def _of_class(cluster: Cluster, claim: Object, owner: Object) -> Answer:
    name, owner_name = claim["metadata"]["name"], owner["metadata"]["name"]
    modes: list[str] = claim["spec"].get("accessModes") or []
    told = f"claim {name} ({_size(claim)}, {', '.join(modes)}) is made by class {owner_name}"
    provisioner = owner["provisioner"]
    if provisioner in ONE_NODE and any(mode in MANY for mode in modes):
        says = f"{told}, whose disks ({provisioner}) one node attaches: it may stay Pending"
        do = "choose a class of a shared file system, or modelCache.accessMode: ReadWriteOnce"
        return Answer("storage", Status.WARNING, says, do)
    if provisioner == MANUAL and not _volume_fits(cluster, claim, owner_name):
        says = f"{told}, which makes no volumes, and none that is free fits: it stays Pending"
        return Answer("storage", Status.ERROR, says, "make a PersistentVolume that fits")
    when = owner.get("volumeBindingMode") == "WaitForFirstConsumer"
    return Answer("storage", Status.OK, told + (", once its first pod is placed" if when else ""))


def _volume_fits(cluster: Cluster, claim: Object, owner: str) -> bool:
    """Whether a volume is free for a claim of a class that makes none."""
    wanted = amount(_size(claim)) or 0
    for volume in cluster.objects("v1", "PersistentVolume"):
        spec: dict[str, Any] = volume["spec"]
        fits = (amount(spec["capacity"]["storage"]) or 0) >= wanted
        fits = fits and set(claim["spec"]["accessModes"]) <= set(spec["accessModes"])
        free = (volume.get("status") or {}).get("phase") == "Available"
        if fits and free and spec.get("storageClassName", "") == owner:
            return True
    return False


def _size(claim: Object) -> str:
    return str(claim["spec"]["resources"]["requests"]["storage"])


def _is_default(owner: Object) -> bool:
    return (owner["metadata"].get("annotations") or {}).get(DEFAULT) == "true"


def _newest(default: list[Object]) -> Object:
    """Of several default classes the newest is taken."""
    return max(default, key=lambda each: str(each["metadata"]["creationTimestamp"]))


def _choose(named: dict[str, Object]) -> str:
    known = ", ".join(named)
    if not known:
        return "install a storage provisioner, or name a claim: modelCache.existingClaim"
    return f"set modelCache.storageClassName to one of: {known}"
