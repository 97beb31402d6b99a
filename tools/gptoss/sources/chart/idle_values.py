"""Values that are set and that nothing reads, because another one is set beside them or is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.model import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.sources.chart.lines import ChartPlaces

OTHER_VOLUMES = ("modelCache.existingClaim", "modelCache.hostPath", "modelCache.image")
OF_THE_CLAIM = (
    *("size", "storageClassName", "accessMode", "volumeName"),
    *("selector", "labels", "annotations", "keep"),
)
HOST_PATH = "modelCache.hostPath"
OF_THE_JOB = ("backoffLimit", "activeDeadlineSeconds", "ttlSecondsAfterFinished")
SOURCE = "modelCache.download.source"
OF_THE_CLIENT = ("image", "existingSecret", "env")


def idle_values(places: ChartPlaces, *, makes_claim: bool) -> Iterator[Problem]:
    """What the user sets without effect.

    Args:
        places: Where the user sets what.
        makes_claim: Whether the chart makes a claim.
    """
    volume = next((path for path in OTHER_VOLUMES if places.set_by_user(path)), None)
    if volume and not makes_claim:
        for key in OF_THE_CLAIM:
            yield from _idle(places, f"modelCache.{key}", f"with {volume} no claim is made")
    if places.set_by_user(HOST_PATH):
        for key in OF_THE_JOB:
            path = f"modelCache.download.{key}"
            yield from _idle(places, path, f"with {HOST_PATH} a DaemonSet downloads, and no Job")
    if not places.set_by_user(SOURCE):
        for key in OF_THE_CLIENT:
            path = f"modelCache.download.client.{key}"
            yield from _idle(places, path, f"without {SOURCE} the hub's own client downloads")


def _idle(places: ChartPlaces, path: str, why: str) -> Iterator[Problem]:
    place = places.set_by_user(path)
    if place:
        yield Problem("value-without-effect", f"{path} does nothing: {why}", place)
