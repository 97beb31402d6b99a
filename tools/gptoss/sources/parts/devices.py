"""Devices that pods claim by dynamic resource allocation, and the GPUs among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.pods import DeviceClaim, Devices
from gptoss.sources.parts.reading import a_map, maps, string, whole_number
from gptoss.text.places import Located

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gptoss.sources.parts.reading import Scope
    from gptoss.text.places import Place
    from gptoss.text.yaml_tree import Tree

CLAIM, TEMPLATE = "ResourceClaim", "ResourceClaimTemplate"
# The classes that NVIDIA's driver makes, by what their devices are.
GPU_CLASS = "gpu.nvidia.com"
CHANNEL_CLASS = "compute-domain-default-channel.nvidia.com"
DAEMON_CLASS = "compute-domain-daemon.nvidia.com"
MIG_CLASS = "mig.nvidia.com"
NO_GPUS = (CHANNEL_CLASS, DAEMON_CLASS, MIG_CLASS)

Given = dict[tuple[str, str], dict[str, Devices]]
"""What claims and templates hand out: by kind and name, and then by the name of a request."""


def given_devices(trees: Iterable[Tree]) -> Given:
    """What the claims and templates among objects hand out, those of a ComputeDomain too.

    Raises:
        InputError: A field has a shape that the API server would refuse.
    """
    found: Given = {}
    for tree in trees:
        kind = tree.text("kind")
        if kind == "ComputeDomain":
            made = tree.text("spec", "channel", "resourceClaimTemplate", "name")
            if made:
                found[TEMPLATE, made] = {"channel": Devices(0, True, tree.place)}
        elif kind in (CLAIM, TEMPLATE) and (name := tree.text("metadata", "name")):
            path = ("spec", "devices") if kind == CLAIM else ("spec", "spec", "devices")
            devices = a_map(tree.at(*path), "devices")
            requests = maps(devices.at("requests") if devices else None, "requests")
            found[kind, name] = {
                string(request.at("name"), "the name of a request") or "": _handed_out(request)
                for request in requests
            }
    return found


def device_claims(
    spec: Tree,
    resources: list[Tree | None],
    given: Mapping[tuple[str, str], dict[str, Devices]],
    scope: Scope,
) -> list[DeviceClaim]:
    """What a pod claims by dynamic resource allocation.

    Args:
        spec: The pod's spec.
        resources: What the main container asks for, in one piece or several.
        given: What claims and templates hand out.
        scope: The pod.

    Raises:
        InputError: A field has a shape that the API server would refuse.
    """
    asked: dict[str | None, set[str | None]] = {}
    for tree in resources:
        table = a_map(tree, "resources")
        for entry in maps(table.at("claims") if table else None, "resources.claims"):
            name = string(entry.at("name"), "the name of a claim")
            asked.setdefault(name, set()).add(string(entry.at("request"), "request") or None)
    found = []
    for entry in maps(spec.at("resourceClaims"), "resourceClaims"):
        name = string(entry.at("name"), "the name of a claim") or ""
        template = string(entry.at("resourceClaimTemplateName"), "resourceClaimTemplateName")
        claim = string(entry.at("resourceClaimName"), "resourceClaimName")
        requests = given.get((TEMPLATE, template) if template else (CLAIM, claim or ""))
        wanted = asked.get(name, {None})
        place = scope.at("device_claims", entry.place)
        found.append(
            DeviceClaim(
                name,
                template,
                name in asked,
                place,
                devices=_together(requests, wanted) if requests else None,
                claim=claim,
                requests=tuple(sorted(filter(None, wanted))) if None not in wanted else (),
            )
        )
    return found


def gpus_with_claims(
    limit: Located[int] | None, claims: Iterable[DeviceClaim], scope: Scope
) -> Located[int] | None:
    """GPUs of a pod: those of its limit, and those that its claims hand out."""
    counted = [
        claim.devices for claim in claims if claim.used and claim.devices and claim.devices.gpus
    ]
    if not counted:
        return limit
    total = sum(devices.gpus or 0 for devices in counted) + (limit.value if limit else 0)
    return Located(total, limit.place if limit else scope.at("gpus", counted[0].place))


def _together(requests: dict[str, Devices], wanted: set[str | None]) -> Devices | None:
    """What the wanted requests of a claim hand out; None for a request that it does not have."""
    if None not in wanted:
        requests = {name: found for name, found in requests.items() if name in wanted}
    if not requests:
        return None
    found = list(requests.values())
    counts = [devices.gpus for devices in found]
    return Devices(
        None if None in counts else sum(count or 0 for count in counts),
        any(devices.channel for devices in found),
        next((devices.place for devices in found if devices.gpus), found[0].place),
    )


def _handed_out(request: Tree) -> Devices:
    """What one request hands out.

    Up to v1beta1 its fields stand beside its name, from v1beta2 on under ``exactly``. Of several
    that would do (``firstAvailable``) it is known if they come to the same.
    """
    choices = maps(request.at("firstAvailable"), "firstAvailable")
    if not choices:
        return _exactly(a_map(request.at("exactly"), "exactly") or request)
    found = [_exactly(choice) for choice in choices]
    same = len({(devices.gpus, devices.channel) for devices in found}) == 1
    return found[0] if same else Devices(None, False, request.place)


def _exactly(tree: Tree) -> Devices:
    kind = string(tree.at("deviceClassName"), "deviceClassName")
    if kind in NO_GPUS:
        return Devices(0, kind == CHANNEL_CLASS, tree.place)
    written = tree.at("count")
    where: Place = written.where if written else tree.place
    if kind != GPU_CLASS or string(tree.at("allocationMode"), "allocationMode") == "All":
        return Devices(None, False, where)
    return Devices(whole_number(written, "count") if written else 1, False, where)
