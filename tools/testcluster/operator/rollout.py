"""How many workers of before and of now there are while workers are replaced.

Source: ai-dynamo/dynamo deploy/operator/internal/controller, resolveRollingUpdateParams and the
contexts of a rolling update, 1.2 to 1.5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

Strategy = dict[str, Any]


@dataclass(frozen=True)
class Share:
    """Replicas of a component while its pods are replaced.

    Attributes:
        new: Of the Deployment that stays.
        old: Of all that go, together.
    """

    new: int
    old: int


def share(desired: int, strategy: Strategy, *, new_ready: int, old_there: int) -> Share:
    """How many there may be now.

    Args:
        desired: Replicas of the component.
        strategy: Of its Deployment.
        new_ready: Pods of now that are ready.
        old_there: Pods of before that are there still.
    """
    surge, unavailable = _amounts(strategy, desired)
    new = max(0, min(desired, desired + surge - old_there))
    old = max(0, min(old_there, desired - unavailable - new_ready))
    return Share(new, old)


def _amounts(strategy: Strategy, desired: int) -> tuple[int, int]:
    if strategy["type"] == "Recreate":
        return 0, desired
    update = strategy["rollingUpdate"]
    surge = _resolved(update["maxSurge"], desired, math.ceil)
    unavailable = _resolved(update["maxUnavailable"], desired, math.floor)
    return (surge, unavailable) if surge or unavailable else (0, 1)


def _resolved(amount: int | str, desired: int, rounded: Any) -> int:
    if isinstance(amount, int):
        return amount
    return int(rounded(desired * int(amount.removesuffix("%")) / 100))
