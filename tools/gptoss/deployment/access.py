"""Ways in: what clients outside the cluster reach a deployment by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gptoss.text.places import Located, Place


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
        hosts: Names under which clients ask, as written; none where it is asked under any.
        backends: Services that it leads to.
        gives_up: Seconds after which an answer that says nothing is given up; None where that is
            not known or never.
        by_default: Whether that is what its controller does unless told.
        buffers: What tells the controller to collect answers before it hands them on.
        encrypted: Whether clients speak TLS to it; None where that is said elsewhere.
        asks_who: Whether it lets in only who is known; None where that may be said elsewhere.
    """

    kind: str
    name: str
    place: Place
    hosts: tuple[str, ...] = ()
    backends: tuple[Backend, ...] = ()
    gives_up: Located[int] | None = None
    by_default: bool = False
    buffers: Located[str] | None = None
    encrypted: bool | None = None
    asks_who: bool | None = None

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"
