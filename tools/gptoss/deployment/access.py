"""Ways in: what clients outside the cluster reach a deployment by."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.text.places import Located, Place


class Opening(NamedTuple):
    """A path under a name that clients ask.

    Attributes:
        host: The name; '' for any.
        path: The path.
        compared: How it is compared, as in ``Prefix`` or ``PathPrefix``.
    """

    host: str
    path: str
    compared: str


class Certificate(NamedTuple):
    """A Secret with a certificate, and the names that it is for."""

    secret: str
    hosts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Backend:
    """A Service that a way in leads to.

    Attributes:
        service: Its name.
        port: Its port by number; None where it is named or left out.
    """

    service: Located[str]
    port: Located[int] | None


@dataclass(frozen=True, slots=True)
class WayIn:
    """An Ingress, an HTTPRoute, or a Service that a load balancer leads to.

    Attributes:
        kind: Its kind.
        name: Its name.
        place: Where it begins.
        openings: Names and paths under which clients ask.
        backends: Services that it leads to.
        gives_up: Seconds after which an answer that says nothing is given up; None where that is
            not known or never.
        by_default: Whether that is what its controller does unless told.
        buffers: What tells the controller to collect answers before it hands them on.
        encrypted: Whether clients speak TLS to it; None where that is said elsewhere.
        asks_who: Whether it lets in only who is known; None where that may be said elsewhere.
        class_name: Class of the controller that serves it.
        parents: What serves it, as a route writes it.
        annotations: Its annotations.
        certificates: Secrets with certificates.
    """

    kind: str
    name: str
    place: Place
    openings: tuple[Opening, ...] = ()
    backends: tuple[Backend, ...] = ()
    gives_up: Located[int] | None = None
    by_default: bool = False
    buffers: Located[str] | None = None
    encrypted: bool | None = None
    asks_who: bool | None = None
    class_name: str | None = None
    parents: tuple[Mapping[str, Any], ...] = ()
    annotations: Mapping[str, str] = field(default_factory=dict)
    certificates: tuple[Certificate, ...] = ()

    @property
    def hosts(self) -> tuple[str, ...]:
        """Names under which clients ask; none where they ask under any."""
        return tuple(dict.fromkeys(each.host for each in self.openings if each.host))

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"
