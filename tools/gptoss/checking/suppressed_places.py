"""Which files a deployment comes from, and which places belong to a component."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from gptoss.deployment.settings import Settings
from gptoss.text.places import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.checking.checker import Result
    from gptoss.deployment.model import Component, Deployment, Worker


def files_of(deployment: Deployment, result: Result) -> set[str]:
    """The files that a deployment and its findings stand in."""
    places = [deployment.place, deployment.release_place, deployment.api_version.place]
    places += [component.place for component in deployment.components]
    places += [item.place for item in deployment.config_maps]
    places += [item.place for item in deployment.claims]
    places += [job.place for job in deployment.downloads]
    if deployment.benchmark:
        places.append(deployment.benchmark.place)
    for worker in deployment.workers:
        places += _engine_places(worker)
    places += [finding.place for finding in result.findings]
    return {place.file for place in places}


def _engine_places(worker: Worker) -> Iterator[Place]:
    yield worker.engine.home
    for setting in worker.engine:
        yield setting.place


def places_of(component: Component) -> frozenset[Place]:
    """Every place that a component and what is in it stand at."""
    return frozenset(_walk(component))


def _walk(value: Any) -> Iterator[Place]:
    if isinstance(value, Place):
        yield value
    elif isinstance(value, str | int | float | None):
        return
    elif isinstance(value, Settings):
        yield value.home
        for setting in value:
            yield from _walk(setting)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _walk(item)
    elif isinstance(value, tuple | list | frozenset | set):
        for item in value:
            yield from _walk(item)
    elif is_dataclass(value):
        for part in fields(value):
            yield from _walk(getattr(value, part.name))
