"""Plays the driver of a storage: makes, grows and deletes the volumes of claims; it stores nothing.

Claims of a class that binds at first use get theirs once the scheduler has chosen a node. What a
driver does: kubernetes-csi/external-provisioner and external-resizer.

    python -m testcluster.storage KUBECONFIG
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from testcluster.api import Api, RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable

    Reaction = Callable[[Api, dict[str, Any]], None]

DRIVER = "volumes.testcluster"
CLAIMS = "/api/v1/persistentvolumeclaims"
VOLUMES = "/api/v1/persistentvolumes"
CLASSES = "/apis/storage.k8s.io/v1/storageclasses"
MADE_BY = "pv.kubernetes.io/provisioned-by"
CHOSEN_NODE = "volume.kubernetes.io/selected-node"
FIRST_USE = "WaitForFirstConsumer"
# Of a class: the access modes that its volumes have, with commas between them.
MODES = "accessModes"
DISK = "ReadWriteOnce"


def storage_classes() -> list[dict[str, Any]]:
    """File systems that bind at once or at first use, one that cannot grow, and disks."""
    return [
        _class("shared", default=True),
        _class("first-use", volumeBindingMode=FIRST_USE),
        _class("rigid", allowVolumeExpansion=False),
        _class("disk", volumeBindingMode=FIRST_USE, parameters={MODES: DISK}),
    ]


def _class(name: str, *, default: bool = False, **own: Any) -> dict[str, Any]:
    annotation = {"storageclass.kubernetes.io/is-default-class": str(default).lower()}
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name, "annotations": annotation},
        "provisioner": DRIVER,
        "reclaimPolicy": "Delete",
        "allowVolumeExpansion": True,
        "volumeBindingMode": "Immediate",
        **own,
    }


def serve(api: Api) -> None:
    """Follows claims and volumes."""
    happened: SimpleQueue[tuple[Reaction, dict[str, Any]]] = SimpleQueue()

    def follow(path: str, do: Reaction) -> None:
        for event in api.events(path):
            if event["type"] != "DELETED":
                happened.put((do, event["object"]))

    for followed in ((CLAIMS, serve_claim), (VOLUMES, drop_volume)):
        threading.Thread(target=follow, args=followed, daemon=True).start()
    while True:
        do, thing = happened.get()
        try:
            do(api, thing)
        except RefusedError as refused:  # it goes, or its namespace
            sys.stderr.write(f"{thing['metadata']['name']}: {refused}\n")


def serve_claim(api: Api, claim: dict[str, Any]) -> None:
    """Makes the volume of a claim that waits for it, or makes it as large as is asked for."""
    meta, spec, status = claim["metadata"], claim["spec"], claim["status"]
    kind = api.get(f"{CLASSES}/{spec.get('storageClassName')}")
    if kind is None or kind["provisioner"] != DRIVER or "deletionTimestamp" in meta:
        return
    if status["phase"] == "Bound":
        size = spec["resources"]["requests"]["storage"]
        if status["capacity"]["storage"] != size:
            _grow(api, claim, size)
        return
    chosen = CHOSEN_NODE in meta.get("annotations", {})
    if kind["volumeBindingMode"] == FIRST_USE and not chosen:
        return
    offered = kind.get("parameters", {}).get(MODES)
    if offered and not set(spec["accessModes"]) <= set(offered.split(",")):
        _refuse(api, claim, f"class {kind['metadata']['name']} has volumes of {offered} alone")
        return
    api.create(VOLUMES, volume(claim))


def volume(claim: dict[str, Any]) -> dict[str, Any]:
    """The volume of a claim."""
    meta, spec = claim["metadata"], claim["spec"]
    name = f"pvc-{meta['uid']}"
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name, "annotations": {MADE_BY: DRIVER}},
        "spec": {
            "capacity": spec["resources"]["requests"],
            "accessModes": spec["accessModes"],
            "storageClassName": spec["storageClassName"],
            "persistentVolumeReclaimPolicy": "Delete",
            "claimRef": {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                **{key: meta[key] for key in ("namespace", "name", "uid")},
            },
            "nfs": {"server": "nfs.example.com", "path": f"/{name}"},
        },
    }


def drop_volume(api: Api, volume: dict[str, Any]) -> None:
    """Deletes a volume whose claim is gone."""
    ours = volume["metadata"].get("annotations", {}).get(MADE_BY) == DRIVER
    if ours and volume["status"].get("phase") == "Released":
        api.delete(f"{VOLUMES}/{volume['metadata']['name']}")


def _grow(api: Api, claim: dict[str, Any], size: str) -> None:
    capacity = {"capacity": {"storage": size}}
    api.merge(f"{VOLUMES}/{claim['spec']['volumeName']}", {"spec": capacity})
    api.merge(f"{_path(claim)}/status", {"status": capacity})


def _refuse(api: Api, claim: dict[str, Any], why: str) -> None:
    """Says on a claim why it gets no volume."""
    meta = claim["metadata"]
    event = {
        "metadata": {"name": f"{meta['name']}.refused", "namespace": meta["namespace"]},
        "type": "Warning",
        "reason": "ProvisioningFailed",
        "message": f"failed to provision volume: {why}",
        "source": {"component": DRIVER},
        "involvedObject": {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            **{key: meta[key] for key in ("namespace", "name", "uid")},
        },
    }
    api.create(f"/api/v1/namespaces/{meta['namespace']}/events", event)


def _path(claim: dict[str, Any]) -> str:
    meta = claim["metadata"]
    return f"/api/v1/namespaces/{meta['namespace']}/persistentvolumeclaims/{meta['name']}"


if __name__ == "__main__":
    serve(Api(Path(sys.argv[1]), DRIVER))
