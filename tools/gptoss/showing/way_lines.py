"""How clients outside the cluster reach a deployment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gptoss.deployment.access import Backend, WayIn


def way_lines(ways: Iterable[WayIn]) -> list[str]:
    """A line for each: the names, where it leads and how long it waits."""
    return [_line(way) for way in ways]


def ways_json(ways: Iterable[WayIn]) -> list[dict[str, Any]]:
    """The same as data."""
    return [
        {
            "kind": way.kind,
            "name": way.name,
            "hosts": list(way.hosts),
            "tls": way.encrypted,
            "leads_to": _targets(way),
            "gives_up_after_seconds": way.gives_up.value if way.gives_up else None,
            "file": way.place.file,
            "line": way.place.line,
        }
        for way in ways
    ]


def _line(way: WayIn) -> str:
    scheme = {True: "https://", False: "http://", None: ""}[way.encrypted]
    hosts = ", ".join(f"{scheme}{host}" for host in way.hosts) or "any name"
    leads_to = ", ".join(_targets(way)) or "nothing"
    waits = f", gives up after {way.gives_up.value:,} s" if way.gives_up else ""
    return f"{way}: {hosts} to {leads_to}{waits}"


def _targets(way: WayIn) -> list[str]:
    """Services that it leads to, each once."""
    return list(dict.fromkeys(map(_target, way.backends)))


def _target(backend: Backend) -> str:
    port = f":{backend.port.value}" if backend.port else ""
    return f"{backend.service.value}{port}"
