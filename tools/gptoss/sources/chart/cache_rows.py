"""Rows of the table of lines for the model cache, and for what fills it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment import paths
from gptoss.deployment.paths import BENCHMARK, DEPLOYMENT, DOWNLOADS, FRONTEND, Path
from gptoss.sources.chart.job_rows import KEY, job_times

if TYPE_CHECKING:
    from collections.abc import Iterator


def cache_rows(worker: str) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """The rows, with a placeholder for the name of a worker."""
    secret = "modelCache.download.tokenSecret"  # noqa: S105 (the name of a value)
    yield DOWNLOADS / "model", ("model.id",)
    yield DOWNLOADS / "revision", ("model.revision",)
    yield from job_times(DOWNLOADS, "modelCache.download")
    variables = {
        "MODEL_ID": ("model.id",),
        "MODEL_REVISION": ("model.revision",),
        "HF_TOKEN": (f"{secret}.name", f"{secret}.key"),
        "VOCABULARY_URL": ("modelCache.download.vocabularyUrl",),
        "MODEL_DIR": ("modelCache.path", "modelCache.download.source"),
        "MODEL_SOURCE": ("modelCache.download.source",),
        "FURTHER_REVISIONS": ("prefetch.revisions",),
    }
    for name, values in variables.items():
        yield DOWNLOADS.entry("env", name), (f"modelCache.download.env.{name}", *values)
    yield DOWNLOADS.entry("nodes", KEY), ("modelCache.download.onGpuNodes", "modelCache.hostPath")
    volume = ("existingClaim", "hostPath", "image", "subPath", "readOnly")
    cache = (*(f"modelCache.{key}" for key in volume), "modelCache")
    for pod in (FRONTEND, paths.workers(worker), BENCHMARK, DOWNLOADS):
        yield pod.entry("mounts", "/opt/models"), cache
    for pod in (FRONTEND, paths.workers(worker), BENCHMARK):
        yield pod.entry("mounts", "/opt/model-volume"), cache
    for pod in (FRONTEND, paths.workers(worker), BENCHMARK):
        for name in ("HF_HOME", "HF_HUB_OFFLINE", "TIKTOKEN_ENCODINGS_BASE"):
            yield pod.entry("env", name), (f"{pod}.env.{name}", "modelCache")
    claim = DEPLOYMENT.entry("claims", KEY)
    asked = {"storage": "size", "accessModes": "accessMode"}
    for field in ("storage", "accessModes", "storageClassName", "volumeName"):
        yield claim.entry("fields", field), (f"modelCache.{asked.get(field, field)}",)
    yield claim, ("modelCache",)
