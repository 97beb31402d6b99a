"""Both sides of two pods: shared memory, what the container may do, what it asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.comparing.differences import NONE, Difference, Side, both, differ, located
from gptoss.text.places import Located
from gptoss.text.quantity import amount

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gptoss.deployment.model import Platform
    from gptoss.deployment.pods import Pod
    from gptoss.text.places import Place


def pods(
    name: str, left: tuple[Platform, Pod], right: tuple[Platform, Pod]
) -> Iterator[Difference]:
    """What of the container can change how a worker serves.

    A size of /dev/shm that one side leaves to what starts the container is not known, and one that
    several containers share belongs to none of them. Requests and limits are compared where both
    sides have the same platform: each gives its own.
    """
    (here, one), (there, other) = left, right
    if not (_joins(one) or _joins(other)):
        yield from _amounts(name, "shared memory", one.shared_memory, other.shared_memory)
    yield from differ(name, "privileged", _switch(one.privileged), _switch(other.privileged))
    yield from differ(name, "capabilities", _names(one.capabilities), _names(other.capabilities))
    yield from differ(
        name,
        "namespaces of the host",
        _names(one.host_namespaces),
        _names(other.host_namespaces),
    )
    if here is there:
        yield from _resources(name, "request", one.requests, other.requests)
        yield from _resources(name, "limit", one.limits, other.limits)


def _joins(pod: Pod) -> bool:
    return pod.isolation is not None and pod.isolation.joins_memory


def _resources(
    name: str, kind: str, left: Mapping[str, Located[str]], right: Mapping[str, Located[str]]
) -> Iterator[Difference]:
    for resource in sorted(left.keys() | right.keys()):
        one, other = left.get(resource), right.get(resource)
        if one and other:
            yield from _amounts(name, f"{resource} {kind}", one, other)
        else:
            yield from differ(name, f"{resource} {kind}", located(one), located(other))


def _amounts(
    name: str, setting: str, one: Located[str] | None, other: Located[str] | None
) -> Iterator[Difference]:
    """Quantities that both sides give; 1Gi and 1024Mi are the same."""
    if one and other and amount(one.value) == amount(other.value):
        other = Located(one.value, other.place)
    yield from both(name, setting, located(one), located(other))


def _switch(place: Place | None) -> Side:
    return Side(place is not None, place)


def _names(found: Sequence[Located[str]]) -> Side:
    """Names in order, as Kubernetes writes capabilities."""
    names = sorted(name.value.removeprefix("CAP_") for name in found)
    return Side(names, found[0].place) if found else NONE
