"""Do workers load the commit of the model that is meant?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.deployment.hub import cache_folder, is_commit
from gptoss.deployment.model import Runtime
from gptoss.rules.readings import is_hub_id, offline_switch
from gptoss.rules.rule import Said, Severity, rule
from gptoss.rules.serving.model_files import home_of, named_at
from gptoss.rules.subjects import WORKERS
from gptoss.text.places import Located

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Worker

SNAPSHOT = re.compile(r"/snapshots/([0-9a-f]{40})(/|$)")


@rule(
    "S010",
    "model-not-pinned",
    Severity.INFO,
    of=WORKERS,
)
def model_not_pinned(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """A worker names the model by its repository and so loads whatever is newest there.

    A worker that starts after the repository changed downloads 61 GiB again and serves other files
    than its neighbours.
    """
    if _loads_newest(worker) and _pinned(worker, deployment) is None:
        yield Said(
            named_at(worker) or worker,
            f"the worker loads {worker.model.value if worker.model else ''} at its newest commit",
            _how_to_pin(worker, deployment, "COMMIT"),
        )


@rule(
    "S026",
    "pinned-download-not-used",
    Severity.WARNING,
    of=WORKERS,
)
def pinned_download_not_used(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """The cache is filled with a pinned commit, but a worker asks for the newest one.

    A cache filled with a full commit holds no record of the newest one. The worker needs the
    network all the same, downloads 61 GiB again where the repository has changed, and fails when
    it is offline.
    """
    pinned = _pinned(worker, deployment)
    if pinned is None or not _loads_newest(worker):
        return
    offline = offline_switch(worker.pod.environment.values())
    fails = " and finds it nowhere, being offline" if offline else ""
    yield Said(
        named_at(worker) or worker,
        f"the worker loads {worker.model.value if worker.model else ''} at its newest commit"
        f"{fails}",
        _how_to_pin(worker, deployment, pinned.value),
        also=[(pinned, f"the cache is filled with {pinned.value}")],
    )


def _loads_newest(worker: Worker) -> bool:
    """Whether a worker names a repository and no commit of it."""
    named = worker.model is not None and is_hub_id(worker.model.value)
    return named and not worker.engine["revision"].is_set and worker.arguments.complete


def _pinned(worker: Worker, deployment: Deployment) -> Located[str] | None:
    """The commit of a worker's model that the cache is filled with."""
    for job in deployment.downloads:
        named = job.model.value if job.model else None
        if job.revision and worker.model and named in (None, worker.model.value):
            return job.revision
    return None


def _how_to_pin(worker: Worker, deployment: Deployment, commit: str) -> str:
    if deployment.runtime is Runtime.SERVE or worker.model is None:
        return f"add --revision {commit}"
    folder = f"{cache_folder(worker.model.value)}/snapshots/{commit}"
    return f"name the pinned copy in the cache: {home_of(worker)}/hub/{folder}"


@rule(
    "S013",
    "revision-differs-from-cache",
    Severity.WARNING,
    of=WORKERS,
)
def revision_differs_from_cache(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """A worker loads another commit than the one that the download Job fetches.

    The folder of a commit exists only if that commit was downloaded.
    """
    loaded = _loaded_commit(worker)
    if worker.model is None or loaded is None:
        return
    fetched = _fetched(deployment, worker.model.value)
    if not fetched:
        return
    if loaded.value not in {revision.value for revision in fetched}:
        yield Said(
            loaded,
            f"the worker loads commit {loaded.value}, but the download Job fetches "
            f"{fetched[0].value}",
            "name the same commit in both",
            also=[(fetched[0], f"fetches {fetched[0].value}")],
        )


def _may_be(model: str, path: str) -> bool:
    """Whether a path may lead into the cache folder of a model; other layouts name no model."""
    if is_hub_id(path):
        return path == model
    return "/models--" not in path or f"/{cache_folder(model)}/" in path


def _fetched(deployment: Deployment, path: str) -> list[Located[str]]:
    """Commits that are downloaded of the model whose snapshot a path names."""
    return [
        job.revision
        for job in deployment.downloads
        if job.revision
        and is_commit(job.revision.value)
        and (job.model is None or _may_be(job.model.value, path))
    ]


def _loaded_commit(worker: Worker) -> Located[str] | None:
    """The commit that a worker asks for: in the model's path, or as the engine's revision."""
    found = SNAPSHOT.search(worker.model.value) if worker.model else None
    if found:
        return Located(found[1], (named_at(worker) or worker).place)
    revision = worker.engine["revision"]
    text = worker.engine.text("revision") or ""
    return Located(text, revision.place) if is_commit(text) else None
