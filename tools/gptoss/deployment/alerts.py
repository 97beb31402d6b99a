"""What Prometheus is to notice about a deployment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gptoss.text.places import Place


@dataclass(frozen=True, slots=True)
class Alert:
    """An alert of a PrometheusRule.

    Attributes:
        name: Its name.
        expression: What it asks for.
        place: Where that is written.
    """

    name: str
    expression: str
    place: Place
