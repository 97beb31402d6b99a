"""Compares two deployments setting by setting: in force against in force, not text against text.

Names of objects, namespaces and paths of mounts say nothing about what is served and are left out.
So is what the platform gives a container (discovery, ports, which GPUs are visible), unless both
sides give it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.command_lines.dialects import read_command
from gptoss.comparing.benchmarks import benchmarks
from gptoss.comparing.differences import (
    NONE,
    Difference,
    Side,
    both,
    differ,
    engine,
    environment,
    flags,
    given,
    located,
)
from gptoss.comparing.pod_settings import pods
from gptoss.deployment.hub import snapshot_of
from gptoss.deployment.model import Role, Runtime

__all__ = ["Difference", "compare", "compared", "revision_of"]

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.command_lines.arguments import Arguments
    from gptoss.deployment.model import Deployment, Frontend, Worker


def compare(left: Deployment, right: Deployment) -> list[Difference]:
    """The settings in force that differ, in a fixed order; none when both serve the same."""
    return [setting for setting in compared(left, right) if setting.differs]


def compared(left: Deployment, right: Deployment) -> list[Difference]:
    """Every setting in force that both sides are compared by, in a fixed order.

    Of an engine file alone only the engine is known, so that only that is compared.
    """
    pairs = _pairs(left, right)
    if left.engine_only or right.engine_only:
        return [d for name, one, other in pairs if one and other for d in engine(name, one, other)]
    found = list(_whole(left, right))
    found += _frontends(left, right)
    for name, one, other in pairs:
        found += _workers(name, one, other)
        if one and other:
            found += pods(name, (left.platform, one.pod), (right.platform, other.pod))
            found += _commands(name, (left, one), (right, other))
    found += benchmarks(left.benchmark, right.benchmark)
    return found


def _whole(left: Deployment, right: Deployment) -> Iterator[Difference]:
    subject = "deployment"
    yield from differ(
        subject,
        "runtime",
        Side(left.runtime.value, left.place),
        Side(right.runtime.value, right.place),
    )
    releases = [
        Side(d.release.version if d.release else None, d.release_place) for d in (left, right)
    ]
    yield from differ(subject, "release", *releases)
    if releases[0].value == releases[1].value and left.runtime is right.runtime:
        yield from both(subject, "image", _image(left), _image(right))
    for setting, side in (("model", _model), ("revision", revision_of), ("served name", _served)):
        yield from differ(subject, setting, side(left), side(right))


def _image(deployment: Deployment) -> Side:
    image = next((w.pod.image for w in deployment.workers if w.pod.image), None)
    return located(image)


def _model(deployment: Deployment) -> Side:
    """The model's id, whether it is named or its folder in the cache is."""
    worker = next((w for w in deployment.workers if w.model), None)
    if worker is None or worker.model is None:
        return NONE
    if deployment.model:
        return Side(deployment.model.id, worker.model.place)
    snapshot = snapshot_of(worker.model.value)
    return Side(snapshot.repository if snapshot else worker.model.value, worker.model.place)


def revision_of(deployment: Deployment) -> Side:
    """The revision that is served: that of the folder, else of the engine, else of the download."""
    for worker in deployment.workers:
        snapshot = snapshot_of(worker.model.value) if worker.model else None
        if snapshot and worker.model:
            return Side(snapshot.revision, worker.model.place)
        setting = worker.engine["revision"]
        if setting.is_set:
            return Side(setting.value, setting.place)
    found = next((d.revision for d in deployment.downloads if d.revision), None)
    return located(found)


def _served(deployment: Deployment) -> Side:
    """The public name; without one it is the model's."""
    worker = next((w for w in deployment.workers if w.served_name), None)
    if worker and worker.served_name:
        return Side(worker.served_name.value, worker.served_name.place)
    return _model(deployment)


def _frontends(left: Deployment, right: Deployment) -> Iterator[Difference]:
    one, other = left.frontend, right.frontend
    if one is None or other is None:
        if left.runtime is right.runtime is Runtime.DYNAMO:
            yield from given("frontend", one, other)
        return
    replicas = [
        Side(f.replica_count, f.replicas.place if f.replicas else f.place) for f in (one, other)
    ]
    yield from differ("frontend", "replicas", *replicas)
    yield from _commands("frontend", (left, one), (right, other))


def _pairs(left: Deployment, right: Deployment) -> list[tuple[str, Worker | None, Worker | None]]:
    """Workers that do the same on both sides, by role, and in it by name and then by order."""
    found: list[tuple[str, Worker | None, Worker | None]] = []
    for role in Role:
        ours, theirs = left.workers_with(role), right.workers_with(role)
        names = {w.name for w in ours} & {w.name for w in theirs}
        for worker in ours:
            if worker.name in names:
                same = next(w for w in theirs if w.name == worker.name)
                found.append((worker.name, worker, same))
        ours = [w for w in ours if w.name not in names]
        theirs = [w for w in theirs if w.name not in names]
        most = max(len(ours), len(theirs))
        for place in range(most):
            one = ours[place] if place < len(ours) else None
            other = theirs[place] if place < len(theirs) else None
            label = f"{role.value} {place + 1}" if most > 1 or names else role.value
            found.append((label, one, other))
    return found


def _workers(name: str, left: Worker | None, right: Worker | None) -> Iterator[Difference]:
    if left is None or right is None:
        yield from given(name, left, right)
        return
    workers = (left, right)
    replicas = [Side(w.replica_count, w.replicas.place if w.replicas else w.place) for w in workers]
    yield from differ(name, "replicas", *replicas)
    gpus = [Side(w.gpus, w.gpus_per_pod.place if w.gpus_per_pod else w.place) for w in workers]
    yield from differ(name, "GPUs", *gpus)
    yield from differ(name, "nodes", *(located(w.nodes) for w in workers))
    kinds = [Side(w.gpu.key if w.gpu else None, w.place) for w in workers]
    yield from both(name, "kind of GPU", *kinds)
    yield from engine(name, left, right)


def _commands(
    name: str,
    left: tuple[Deployment, Frontend | Worker],
    right: tuple[Deployment, Frontend | Worker],
) -> Iterator[Difference]:
    """Flags and variables; two programs have no flags in common."""
    (one, first), (other, second) = left, right
    sides = _alike((one, first.arguments), (other, second.arguments))
    if one.runtime is other.runtime:
        yield from flags(name, *(side.in_force() if side else {} for side in sides))
    yield from environment(name, first.pod, second.pod, [side.program for side in sides if side])


def _alike(
    left: tuple[Deployment, Arguments | None], right: tuple[Deployment, Arguments | None]
) -> list[Arguments | None]:
    """Both command lines; one whose release is not known as the other side's program reads it."""
    found = []
    for (own, arguments), (other, others) in ((left, right), (right, left)):
        if arguments and others and own.release is None and own.runtime is other.runtime:
            arguments = read_command(others.program, arguments.command, arguments.environment)
        found.append(arguments)
    return found
