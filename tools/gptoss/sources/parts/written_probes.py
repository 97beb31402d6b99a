"""Probes of a container."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.pods import Probe
from gptoss.sources.parts.reading import a_map, maps, string, whole_number

if TYPE_CHECKING:
    from gptoss.sources.parts.reading import Scope
    from gptoss.text.yaml_tree import Tree

KINDS = ("liveness", "readiness", "startup")
# What the API server fills in: delay, period and failure threshold.
DEFAULTS = {"initialDelaySeconds": 0, "periodSeconds": 10, "failureThreshold": 3}


def probes(container: Tree, service: Tree, scope: Scope) -> dict[str, Probe]:
    """The probes that are written, by kind.

    Args:
        container: The container.
        service: The component around it, whose probes win.
        scope: Gives the places to report.
    """
    found = {}
    for kind in KINDS:
        name = f"{kind}Probe"
        written = a_map(service.at(name), name) or a_map(container.at(name), name)
        if written is None:
            continue
        delay, period, threshold = (
            whole_number(written.at(field), f"{name}.{field}") or default
            for field, default in DEFAULTS.items()
        )
        place = scope.entry("probes", kind, written.where)
        asks, lost = _asked(written, container, name)
        found[kind] = Probe(place, delay, period, threshold, asks, lost)
    return found


def _asked(probe: Tree, container: Tree, name: str) -> tuple[str | None, str | None]:
    """The page that a probe asks for, and its port where that is a name of no port."""
    http = a_map(probe.at("httpGet"), f"{name}.httpGet")
    if http is None:
        return None, None
    page = string(http.at("path"), f"{name}.httpGet.path") or "/"
    port = http.at("port")
    named = port.value if port and isinstance(port.value, str) else None
    names = {
        string(entry.at("name"), "the name of a port")
        for entry in maps(container.at("ports"), "ports")
    }
    return page, named if named not in names else None
