"""Where do workers and frontend find the model's files, and are they the ones that are meant?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.readings import is_hub_id, is_path, is_true, offline_switch
from gptoss.rules.rule import CONTAINERS, DYNAMO, KUBERNETES, Said, Severity, rule
from gptoss.rules.subjects import FRONTEND, WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Component, Deployment, Frontend, Worker
    from gptoss.deployment.pods import Mount
    from gptoss.facts.world import Facts
    from gptoss.text.command import Variable
    from gptoss.text.places import Located

DEFAULT_HOME = "/root/.cache/huggingface"
# From this release on workers hand the tokenizer to the frontend unless told otherwise.
SELF_HOST_FROM = (1, 4)


def home_of(component: Component) -> str:
    """The folder that the Hugging Face libraries cache into."""
    cache = component.pod.variable("HF_HUB_CACHE")
    return cache or component.pod.variable("HF_HOME") or DEFAULT_HOME


def named_at(worker: Worker) -> Located[str] | Variable | None:
    """Where the model is named: the variable, when the flag only refers to one."""
    model = worker.model
    for name in sorted(worker.pod.mentions or ()) if model else ():
        found = worker.pod.environment.get(name)
        if model and found and found.value == model.value:
            return found
    return model


def _home_mount(component: Component) -> Mount | None:
    return component.pod.mount_at(home_of(component))


@rule(
    "S011",
    "offline-without-cache",
    Severity.ERROR,
    of=WORKERS,
)
def offline_without_cache(worker: Worker, facts: Facts) -> Iterator[Said]:
    """A worker is offline and has no mounted cache to load the model from.

    NVIDIA's runtime image holds no model, and offline mode forbids the download: the worker stops.
    """
    offline = offline_switch(worker.pod.environment.values())
    model, image = worker.model, worker.pod.image
    if offline is None or model is None or not is_hub_id(model.value):
        return
    if image is None or not image.value.startswith((f"{facts.image}:", facts.serve_image)):
        return
    if _home_mount(worker) is None:
        yield Said(
            offline,
            f"{offline.name}={offline.value}, but no volume is mounted at "
            f"{home_of(worker)}, where {model.value} is looked for",
            "mount the model cache there, or point HF_HOME at its mount",
            also=[(model, f"the model is {model.value}")],
        )


@rule(
    "S012",
    "model-path-outside-volumes",
    Severity.WARNING,
    of=WORKERS,
)
def model_path_outside_volumes(worker: Worker) -> Iterator[Said]:
    """A worker loads the model from a path that no volume is mounted at.

    Unless the image holds the model there, the worker finds nothing and stops.
    """
    model = worker.model
    if model is None or not is_path(model.value) or worker.pod.mount_at(model.value):
        return
    claims = [mount for mount in worker.pod.mounts if mount.claim]
    where = f"; claim {claims[0].claim} is mounted at {claims[0].path}" if claims else ""
    yield Said(
        named_at(worker) or worker,
        f"the worker loads the model from {model.value}, where no volume is mounted{where}",
        "make the model path begin with the mount path",
        also=[(mount, f"mounted at {mount.path}") for mount in claims[:1]],
    )


@rule(
    "S014",
    "frontend-without-model-files",
    Severity.WARNING,
    of=FRONTEND,
    runtimes=DYNAMO,
)
def frontend_without_model_files(frontend: Frontend, deployment: Deployment) -> Iterator[Said]:
    """The frontend has no copy of the tokenizer and config of a model that is pinned.

    It turns text into tokens itself. Without the model cache mounted, or HF_HOME pointing into
    it, it asks the hub for the newest commit: it needs the network, and where the repository has
    changed since, it refuses the workers' model and answers 404. From release 1.4 on workers hand
    these files over.
    """
    if _is_pinned(deployment) or offline_switch(frontend.pod.environment.values()):
        yield from _asking_the_hub(frontend, deployment)


@rule(
    "S034",
    "tokenizer-from-the-hub",
    Severity.INFO,
    of=FRONTEND,
    runtimes=DYNAMO,
)
def tokenizer_from_the_hub(frontend: Frontend, deployment: Deployment) -> Iterator[Said]:
    """The frontend downloads the model's tokenizer and config at every start.

    It needs the network, and another replica may get another commit's. From release 1.4 on workers
    hand these files over.
    """
    if not _is_pinned(deployment) and not offline_switch(frontend.pod.environment.values()):
        yield from _asking_the_hub(frontend, deployment)


def _is_pinned(deployment: Deployment) -> bool:
    """Whether a worker serves a commit, or files that are named by their path."""
    return any(
        worker.engine["revision"].is_set or (worker.model and is_path(worker.model.value))
        for worker in deployment.workers
    )


def _asking_the_hub(frontend: Frontend, deployment: Deployment) -> Iterator[Said]:
    release = deployment.release
    if not deployment.workers:
        return
    if release and release.number >= SELF_HOST_FROM:
        return
    if any(_self_hosts(worker) for worker in deployment.workers):
        return
    paths = [w.model.value for w in deployment.workers if w.model and is_path(w.model.value)]
    reachable = any(frontend.pod.mount_at(path) for path in paths)
    if not reachable and _home_mount(frontend) is None:
        yield Said(
            frontend.command or frontend,
            f"no model cache is mounted (HF_HOME is {home_of(frontend)}), so the tokenizer is "
            "downloaded from the hub",
            "mount the model cache read-only into the frontend and set HF_HOME to it",
        )


def _self_hosts(component: Component) -> bool:
    return is_true(component.pod.variable("DYN_SELF_HOST_METADATA"))


@rule(
    "S015",
    "weights-downloaded-at-every-start",
    Severity.WARNING,
    of=WORKERS,
    platforms=KUBERNETES,
)
def weights_downloaded_at_every_start(worker: Worker) -> Iterator[Said]:
    """A worker keeps the downloaded model in its container.

    Every start of every replica downloads 61 GiB while its GPUs wait.
    """
    yield from _downloaded_inside(worker, "at every start")


@rule(
    "S027",
    "weights-lost-with-the-container",
    Severity.INFO,
    of=WORKERS,
    platforms=CONTAINERS,
)
def weights_lost_with_the_container(worker: Worker) -> Iterator[Said]:
    """A container downloads the model to where no folder of the machine is mounted.

    The next container downloads 61 GiB again while its GPUs wait.
    """
    yield from _downloaded_inside(worker, "for each new container")


def _downloaded_inside(worker: Worker, when: str) -> Iterator[Said]:
    model = worker.model
    if model is None or not is_hub_id(model.value):
        return
    if offline_switch(worker.pod.environment.values()) or _home_mount(worker):
        return
    yield Said(
        named_at(worker) or worker,
        f"the worker downloads {model.value} into {home_of(worker)}, where no "
        f"volume is mounted, {when}",
        "mount a model cache and point HF_HOME at it",
    )
