"""Objects of Kubernetes that are given along with a deployment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.text.places import Located, Place


@dataclass(frozen=True, slots=True)
class ConfigMap:
    """A ConfigMap and its keys."""

    name: str
    place: Place
    keys: Mapping[str, Place]


@dataclass(frozen=True, slots=True)
class Claim:
    """A PersistentVolumeClaim that is given as an object.

    Attributes:
        name: Its name.
        size: Storage it asks for, as a quantity.
        fixed: What cannot be changed once it is bound, by field: storage class, access modes,
            volume mode and volume name.
        place: Where it begins.
        written: Those of them that its author is known to have written.
        stored: Whether it comes from the API server, which fills in what is left out.
        grows: Whether its storage class lets it grow; None where that is not known.
    """

    name: str
    size: Located[str] | None
    fixed: Mapping[str, Located[str]]
    place: Place
    written: frozenset[str]
    stored: bool
    grows: bool | None


@dataclass(frozen=True, slots=True)
class Fixed:
    """A field of an object that cannot be changed once the object is there.

    Attributes:
        kind: The object's kind.
        name: Its name.
        field: Dotted path of the field.
        value: What it holds; None where it is not written.
        place: Where it stands.
        stored: Whether the object comes from the API server, which fills in what is left out.
    """

    kind: str
    name: str
    field: str
    value: Any
    place: Place
    stored: bool


@dataclass(frozen=True, slots=True)
class ServicePort:
    """A port of a Service.

    Attributes:
        port: Where it listens.
        target: The server's port that it leads to; None when it may lead to another container, or
            names a port that is not there.
    """

    port: Located[int]
    target: int | None


@dataclass(frozen=True, slots=True)
class Service:
    """A Kubernetes Service in front of the server.

    Attributes:
        name: Its name, under which the namespace knows it.
        place: Where it begins.
        ports: Its ports.
    """

    name: str
    place: Place
    ports: tuple[ServicePort, ...]


@dataclass(frozen=True, slots=True)
class Rollout:
    """How Kubernetes replaces the pods of a Deployment.

    Attributes:
        place: Where the Deployment begins.
        strategy: ``RollingUpdate`` or ``Recreate``, when it is written.
        surge: ``maxSurge`` as written; None when it is left to the default of 25%.
        deadline: Seconds without progress after which it counts as failed; None for 600.
    """

    place: Place
    strategy: Located[str] | None
    surge: Located[str] | None
    deadline: Located[int] | None
