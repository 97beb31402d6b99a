"""What of a change to an installed deployment never arrives or is refused?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.graph.updates.stored import changes
from gptoss.rules.rule import ANY, Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.jobs import Accuracy, Benchmark, Download
    from gptoss.deployment.model import Deployment, Worker
    from gptoss.deployment.settings import Settings


@rule(
    "G053",
    "engine-change-never-arrives",
    Severity.WARNING,
    of=WORKERS,
    runtimes=ANY,
)
def engine_change_never_arrives(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """The engine YAML in a ConfigMap differs from the installed one, and no pod restarts for it.

    Workers are restarted when their pod template changes; the content of a ConfigMap is no part of
    that. Running pods keep the old settings, and the next one to restart gets the new.
    """
    installed = deployment.installed
    if installed is None or installed.name != deployment.name:
        return
    before = {worker.name.lower(): worker for worker in installed.workers}
    old = before.get(worker.name.lower())
    if old is None or not (worker.engine_known and old.engine_known):
        return
    changed = _changed(worker.engine, old.engine)
    if changed and _template(worker) == _template(old):
        setting = worker.engine[changed[0]]
        yield Said(
            setting,
            f"{changed[0]} changes from {_shown(old.engine, changed[0])} to "
            f"{_shown(worker.engine, changed[0])}, but nothing in its pod template does: "
            "running pods keep the old value",
            "change a pod annotation with the content, such as checksum/engine",
        )


def _changed(new: Settings, old: Settings) -> list[str]:
    keys = sorted({setting.key for settings in (new, old) for setting in settings})
    return [key for key in keys if new[key].value != old[key].value]


def _shown(settings: Settings, key: str) -> str:
    value = settings[key].value
    return str(value).lower() if isinstance(value, bool) else str(value)


def _template(worker: Worker) -> tuple[object, ...]:
    """What of a pod template tells one version of a worker from the next."""
    pod = worker.pod
    return (
        pod.image.value if pod.image else None,
        tuple(command.line for command in pod.commands),
        sorted((name, variable.value) for name, variable in pod.environment.items()),
        sorted((name, located.value) for name, located in pod.annotations.items()),
        sorted((mount.path, mount.config_map or "", mount.claim or "") for mount in pod.mounts),
        worker.gpus_per_pod.value if worker.gpus_per_pod else None,
    )


@rule(
    "G054",
    "job-changed-under-its-name",
    Severity.ERROR,
    runtimes=ANY,
)
def job_changed_under_its_name(deployment: Deployment) -> Iterator[Said]:
    """A Job has another pod template than the one that is installed under its name.

    The API server refuses it: the template of a Job cannot be changed, nor its selector. A run with
    other settings is another Job.
    """
    places = {job.name: job.place for job in _jobs(deployment)}
    told = set()
    for now, before, path in changes(deployment):
        if now.kind == "Job" and now.name not in told:
            told.add(now.name)
            place = places.get(now.name, now.place)
            yield Said(
                place,
                f"Job {now.name} is installed with another {path}: the API server refuses to "
                f"change its {now.field.rpartition('.')[2]}",
                "give it another name, or delete the old one first",
                also=[(before.place, "as it is installed")] if before.place != now.place else [],
            )


def _jobs(deployment: Deployment) -> list[Benchmark | Download | Accuracy]:
    beside = [deployment.benchmark, deployment.accuracy]
    return [*deployment.downloads, *(job for job in beside if job)]


@rule(
    "G144",
    "claim-template-cannot-change",
    Severity.ERROR,
    runtimes=ANY,
)
def claim_template_cannot_change(deployment: Deployment) -> Iterator[Said]:
    """A ResourceClaimTemplate or ComputeDomain differs from the one that is installed by its name.

    The API server refuses it: what they ask for is fixed once they are made. A field that one of
    the two leaves out may have been filled in by the cluster and is not judged.
    """
    installed = deployment.installed
    before = installed.claim_templates if installed else {}
    for name, asked in deployment.claim_templates.items():
        if (old := before.get(name)) is None:
            continue
        for path in sorted(asked.value.keys() & old.value.keys()):
            ours, theirs = asked.value[path], old.value[path]
            if ours != theirs:
                yield Said(
                    asked,
                    f"the template {name}: {path} is {ours} but installed as {theirs}: the API "
                    "server refuses the change",
                    "give it another name, or delete the installed one before",
                )
