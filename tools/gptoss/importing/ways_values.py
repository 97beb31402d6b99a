"""Ingresses and routes, as the chart's values say them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gptoss.deployment.model import Runtime
from gptoss.importing.context import leaf

if TYPE_CHECKING:
    from gptoss.deployment.access import WayIn
    from gptoss.deployment.model import Deployment
    from gptoss.importing.context import Context
    from gptoss.importing.document import Block

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
API = ("/v1", "Prefix")


def ways_blocks(context: Context) -> Block:
    """The sections ``ingress`` and ``httpRoute``, of the first that leads to the deployment."""
    found: Block = {}
    for way in carried_ways(context.deployment):
        if way.kind == "Ingress":
            found["ingress"] = _ingress(way)
        else:
            found["httpRoute"] = _route(way)
    return found


def carried_ways(deployment: Deployment) -> list[WayIn]:
    """The first Ingress and the first route of which all leads to the deployment's own Service."""
    if deployment.runtime is Runtime.SERVE:
        own = {service.name for service in deployment.services}
    else:
        own = {f"{deployment.name}-frontend"}
    ways = [way for way in deployment.ways_in if way.backends and _named(way)]
    leading = [way for way in ways if {each.service.value for each in way.backends} <= own]
    return list({way.kind: way for way in reversed(leading)}.values())


def _named(way: WayIn) -> bool:
    """Whether the chart can make it: under names, and a route for what begins with paths."""
    if way.kind == "Ingress":
        return bool(way.openings) and all(each.host for each in way.openings)
    return bool(way.parents) and all(each.compared == "PathPrefix" for each in way.openings)


def _ingress(way: WayIn) -> Block:
    """Its annotations are carried as they stand, so that the chart adds none."""
    block: Block = {"enabled": leaf(True, way.place)}
    if way.class_name:
        block["className"] = leaf(way.class_name, way.place)
    if notes := _annotations(way):
        block["annotations"] = leaf(notes, way.place)
    block["hosts"] = leaf([_host(way, host) for host in way.hosts], way.place)
    if way.certificates:
        tls = [{"secretName": each.secret, "hosts": list(each.hosts)} for each in way.certificates]
        block["tls"] = leaf(tls, way.place)
    return block


def _host(way: WayIn, host: str) -> dict[str, Any]:
    paths = [(each.path, each.compared) for each in way.openings if each.host == host]
    if paths == [API]:
        return {"host": host}
    return {"host": host, "paths": [{"path": path, "pathType": how} for path, how in paths]}


def _route(way: WayIn) -> Block:
    block: Block = {"enabled": leaf(True, way.place)}
    if notes := _annotations(way):
        block["annotations"] = leaf(notes, way.place)
    block["parentRefs"] = leaf([dict(parent) for parent in way.parents], way.place)
    if way.hosts:
        block["hostnames"] = leaf(list(way.hosts), way.place)
    block["paths"] = leaf(list(dict.fromkeys(each.path for each in way.openings)), way.place)
    seconds = way.gives_up
    block["timeoutSeconds"] = leaf(seconds and seconds.value, (seconds or way).place)
    return block


def _annotations(way: WayIn) -> dict[str, str]:
    return {key: text for key, text in way.annotations.items() if key != LAST_APPLIED}
