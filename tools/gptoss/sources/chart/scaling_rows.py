"""Rows of the table of lines for what changes the number of pods, and what keeps them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment import paths
from gptoss.deployment.paths import ROLLOUT, Path

if TYPE_CHECKING:
    from collections.abc import Iterator

TARGETS = (
    "targetTimeToFirstToken",
    "targetInterTokenLatency",
    "targetQueuedRequests",
    "targetInflightRequests",
    "metrics",
    "triggers",
)
CPU = "targetCPUUtilizationPercentage"


def scaling_rows(worker: str) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """The rows, with a placeholder for the name of a worker."""
    yield from _component_rows("frontend", "frontend", (CPU, *TARGETS))
    yield from _component_rows(worker, f"workers.{worker}", TARGETS)
    strategy = "updateStrategy"
    yield ROLLOUT / "surge", (f"{strategy}.rollingUpdate.maxSurge", strategy)
    yield ROLLOUT / "strategy", (f"{strategy}.type", strategy)


def _component_rows(
    name: str, values: str, targets: tuple[str, ...]
) -> Iterator[tuple[Path, tuple[str, ...]]]:
    scaled, budget = paths.autoscalers(name), paths.budgets(name)
    own = f"{values}.autoscaling"
    yield scaled / "fewest", (f"{own}.minReplicas", f"{values}.replicas")
    yield scaled / "most", (f"{own}.maxReplicas",)
    yield scaled / "signals", tuple(f"{own}.{target}" for target in targets)
    yield scaled / "target", (f"{own}.enabled",)
    yield scaled, (f"{own}.enabled",)
    kept = ("minAvailable", "maxUnavailable", "enabled")
    yield budget / "kept", tuple(f"{values}.pdb.{key}" for key in kept)
    yield budget, (f"{values}.pdb.enabled",)
