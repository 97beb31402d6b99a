"""What a graph asks of the operator beside pods: restarts, topology, GPU sharing, scaling."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.text.places import Located, Place


@dataclass(frozen=True, slots=True)
class Restart:
    """``spec.restart``: a request to restart every component once.

    Attributes:
        place: Where it begins.
        id: Another id than the last one asks for a restart.
        strategy: ``Sequential`` or ``Parallel``; None leaves the first.
        order: Names of components, in the order in which they restart.
    """

    place: Place
    id: Located[str] | None
    strategy: Located[str] | None
    order: tuple[Located[str], ...]


@dataclass(frozen=True, slots=True)
class Topology:
    """A ``topologyConstraint``: pods that must be close to each other.

    Attributes:
        place: Where it begins.
        name: The cluster topology that it refers to; components have none.
        domain: ``packDomain``, the level of the topology that holds all pods.
    """

    place: Place
    name: Located[str] | None
    domain: Located[str] | None

    @property
    def asked(self) -> tuple[str | None, str | None]:
        """What it says, to compare with another."""
        name = self.name.value if self.name else None
        return name, self.domain.value if self.domain else None


@dataclass(frozen=True, slots=True)
class GpuSharing:
    """``gpuMemoryService`` or ``failover`` that is switched on.

    Attributes:
        place: Where it begins.
        mode: ``intrapod`` or ``interpod``, in lower case; the API versions differ in it.
    """

    place: Place
    mode: str


@dataclass(frozen=True, slots=True)
class ComponentRequest:
    """What one component asks of the operator.

    Attributes:
        nodes: Nodes of one replica.
        scaling: Where the scaling adapter is switched on; None when it is not.
        min_available: Replicas that make the component available.
        topology: Its topology constraint.
        epp_config: Where the entry point picker's configuration begins.
        gpu_memory, failover: GPU memory service and failover.
    """

    nodes: Located[int]
    scaling: Place | None
    min_available: Located[int] | None
    topology: Topology | None
    epp_config: Place | None
    gpu_memory: GpuSharing | None
    failover: GpuSharing | None


@dataclass(frozen=True, slots=True)
class OperatorSettings:
    """What a graph asks of the operator.

    Attributes:
        restart: A request to restart.
        topology: The topology constraint of the whole graph.
        priority_class: ``priorityClassName`` of the graph.
        components: What its components ask for, by name.
    """

    restart: Restart | None = None
    topology: Topology | None = None
    priority_class: Located[str] | None = None
    components: Mapping[str, ComponentRequest] = field(default_factory=dict)
