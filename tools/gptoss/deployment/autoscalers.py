"""What changes the number of pods, and what keeps some of them: autoscalers and budgets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gptoss.text.places import Located, Place

KEDA = "ScaledObject"
ADAPTER = "DynamoGraphDeploymentScalingAdapter"


@dataclass(frozen=True, slots=True)
class Signal:
    """What an autoscaler looks at.

    Attributes:
        text: Name of the metric, or the query.
        amount: What it is set against, as a quantity; None when that is not written.
        by_ratio: Whether the number of ready pods is multiplied by how far the metric is off, as
            for a latency; otherwise the metric is divided among the replicas, as a queue is.
        place: Where it is written.
    """

    text: str
    amount: str | None
    by_ratio: bool
    place: Place


@dataclass(frozen=True, slots=True)
class Autoscaler:
    """A HorizontalPodAutoscaler, or a ScaledObject of KEDA.

    Attributes:
        kind: Its kind.
        name: Its name.
        place: Where it begins.
        target_kind: Kind of what it scales.
        target: Name of what it scales.
        component: The component whose replicas these are; None when it is not known here.
        fewest: The fewest replicas that it keeps, when that is written.
        most: The most, when that is written.
        idle: Replicas while nothing is asked for, when that is written; KEDA alone has it.
        signals: What it looks at.
        server: The Prometheus that it asks; KEDA alone asks one.
    """

    kind: str
    name: str
    place: Place
    target_kind: Located[str] | None
    target: Located[str] | None
    component: str | None
    fewest: Located[int] | None
    most: Located[int] | None
    idle: Located[int] | None
    signals: tuple[Signal, ...]
    server: Located[str] | None = None

    @property
    def floor(self) -> int:
        """The fewest replicas that it keeps; where nothing is written KEDA keeps none."""
        if self.idle:
            return self.idle.value
        if self.fewest:
            return self.fewest.value
        return 0 if self.kind == KEDA else 1


@dataclass(frozen=True, slots=True)
class Budget:
    """A PodDisruptionBudget.

    Attributes:
        name: Its name.
        place: Where it begins.
        component: The component whose pods it keeps; None when it is not known here.
        available: ``minAvailable`` as written.
        unavailable: ``maxUnavailable`` as written.
    """

    name: str
    place: Place
    component: str | None
    available: Located[str] | None
    unavailable: Located[str] | None


@dataclass(frozen=True, slots=True)
class Scaling:
    """What changes the number of pods, and how many may be taken away at a time."""

    autoscalers: tuple[Autoscaler, ...] = ()
    budgets: tuple[Budget, ...] = ()
