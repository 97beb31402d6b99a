"""Rows of the table of :mod:`gptoss.sources.chart.rows` for ways in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.paths import DEPLOYMENT
from gptoss.sources.chart.job_rows import KEY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.paths import Path


def access_rows() -> Iterator[tuple[Path, tuple[str, ...]]]:
    """What an Ingress and an HTTPRoute say, and the values that it follows from."""
    ingress, route = DEPLOYMENT.entry("ingresses", KEY), DEPLOYMENT.entry("routes", KEY)
    for way, values in ((ingress, "ingress"), (route, "httpRoute")):
        backend = (f"{values}.backend.service", f"{values}.enabled")
        yield way / "service", backend
        yield way / "port", (f"{values}.backend.port", *backend)
    annotated = ("ingress.annotations.{n}", "ingress.timeoutSeconds", "ingress.controller")
    yield ingress.entry("annotations", KEY), annotated
    yield ingress, ("ingress.hosts", "ingress.controller", "ingress.className", "ingress")
    yield route / "gives_up", ("httpRoute.timeoutSeconds",)
    yield route, ("httpRoute.hostnames", "httpRoute.parentRefs", "httpRoute")
    yield DEPLOYMENT.entry("policies", KEY), ("networkPolicy.apiServer", "networkPolicy")
