"""What a tuned values file keeps of the target that it was tuned from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gptoss.facts import folders
from gptoss.rendering.target import read_target
from gptoss.text import plain_yaml

if TYPE_CHECKING:
    from gptoss.sources.request import Request

# What tuning decides, or what names workers that may not be there any more.
DECIDED = ("description", "workers", "autoscaling")
COUNTED = ("concurrency", "concurrencyPerGpu", "sweep", "requests", "inputTokens", "outputTokens")


def base_of(request: Request) -> dict[str, Any]:
    """Values of a target that differ from the chart's, without what tuning decides.

    Raises:
        InputError: The chart refuses the target.
    """
    target = read_target(request)
    defaults = plain_yaml.load((folders.chart() / "defaults.yaml").read_text(encoding="utf-8"))
    values = _differing(target.values, defaults)
    for key in DECIDED:
        values.pop(key, None)
    for key in COUNTED:
        values.get("workload", {}).pop(key, None)
    return values


def _differing(values: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """What is not as the defaults have it."""
    found = {}
    for key, value in values.items():
        default = defaults.get(key)
        if isinstance(value, dict) and isinstance(default, dict):
            value = _differing(value, default)
            if value:
                found[key] = value
        elif value != default:
            found[key] = value
    return found
