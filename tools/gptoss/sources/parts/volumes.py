"""Volumes of a pod joined with the mounts of its main container."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.deployment.pods import Mount
from gptoss.facts.versions import version_number
from gptoss.sources.parts.reading import a_map, is_on, maps, string
from gptoss.sources.parts.releases import tag_of

if TYPE_CHECKING:
    from gptoss.sources.parts.reading import Scope
    from gptoss.text.yaml_tree import Tree


@dataclass(frozen=True, slots=True)
class _Volume:
    claim: str | None
    config_map: str | None
    items: tuple[tuple[str, str], ...]
    read_only: bool
    source: str


FIRST_WITHOUT_PVC = (1, 0)
NOTHING = _Volume(None, None, (), read_only=False, source="")
# Kinds of volumes, each with the field that says which one it is.
KINDS = {
    "hostPath": "path",
    "secret": "secretName",
    "nfs": "path",
    "csi": "driver",
    "image": "reference",
    "emptyDir": "",
    "ephemeral": "",
    "projected": "",
    "downwardAPI": "",
}


def mounts(spec: Tree | None, container: Tree | None, scope: Scope) -> list[Mount]:
    """The mounts of a container with what is behind them."""
    volumes = _volumes(spec)
    found = []
    for entry in maps(container.at("volumeMounts") if container else None, "volumeMounts"):
        path = string(entry.at("mountPath"), "mountPath")
        if not path:
            continue
        volume = volumes.get(string(entry.at("name"), "the name of a volume") or "", NOTHING)
        found.append(
            Mount(
                path=path,
                claim=volume.claim,
                config_map=volume.config_map,
                read_only=bool(is_on(entry.at("readOnly"), "readOnly")) or volume.read_only,
                sub_path=string(entry.at("subPath"), "subPath"),
                place=scope.entry("mounts", path, entry.place),
                items=volume.items,
                source=volume.source,
            )
        )
    return found


def claim_mounts(tree: Tree | None, scope: Scope) -> list[Mount]:
    """The ``volumeMounts`` of a v1alpha1 service, which mount claims by name."""
    found = []
    for entry in maps(tree, "volumeMounts"):
        path = string(entry.at("mountPoint"), "mountPoint")
        claim = string(entry.at("name"), "the name of a claim")
        if path:
            place = scope.entry("mounts", path, entry.place)
            found.append(Mount(path, claim, None, read_only=False, sub_path=None, place=place))
    return found


def old_claim_mount(service: Tree, container: Tree, scope: Scope) -> list[Mount]:
    """The ``pvc`` of a service, which operators before 1.0 mount and later ones ignore."""
    tree = a_map(service.at("pvc"), "pvc")
    number = version_number(tag_of(string(container.at("image"), "image") or ""))
    path = string(tree.at("mountPoint"), "mountPoint") if tree else None
    if tree is None or not path or not number or number >= FIRST_WITHOUT_PVC:
        return []
    claim = string(tree.at("name"), "the name of a claim")
    place = scope.entry("mounts", path, tree.where)
    return [Mount(path, claim, None, read_only=False, sub_path=None, place=place)]


def _volumes(spec: Tree | None) -> dict[str, _Volume]:
    found = {}
    for entry in maps(spec.at("volumes") if spec else None, "volumes"):
        name = string(entry.at("name"), "the name of a volume")
        if not name:
            continue
        claim = a_map(entry.at("persistentVolumeClaim"), "persistentVolumeClaim")
        config_map = a_map(entry.at("configMap"), "configMap")
        found[name] = _Volume(
            claim=string(claim.at("claimName"), "claimName") if claim else None,
            config_map=string(config_map.at("name"), "name") if config_map else None,
            items=_items(config_map) if config_map else (),
            read_only=bool(is_on(claim.at("readOnly"), "readOnly")) if claim else False,
            source=_source(entry),
        )
    return found


def _source(volume: Tree) -> str:
    for kind, field in KINDS.items():
        written = volume.at(kind)
        if written is not None:
            named = string(written.at(field), field) if field and written.is_map else None
            return f"{kind} {named}" if named else kind
    return ""


def _items(config_map: Tree) -> tuple[tuple[str, str], ...]:
    items = []
    for entry in maps(config_map.at("items"), "items"):
        path, key = string(entry.at("path"), "path"), string(entry.at("key"), "key")
        if path and key:
            items.append((path, key))
    return tuple(items)
