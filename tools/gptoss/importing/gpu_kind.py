"""The kind of GPU of a source: as a label says, or the only one that all it says fits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gptoss.facts.moe_kernels import moe_kernels
from gptoss.importing.environment import QUANTIZATION
from gptoss.sources.parts.releases import tag_of
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gptoss.deployment.model import Deployment, Worker
    from gptoss.facts.world import Facts, Gpu
    from gptoss.text.places import Place

ARCHITECTURE = "kubernetes.io/arch"
ARCHITECTURES = {"arm64": "arm64", "aarch64": "arm64", "amd64": "amd64", "x86_64": "amd64"}
# Words of labels and tags; a tag such as 1.3.0rc14-x86_64 has underscores in them.
WORD = re.compile(r"[a-z0-9_]+")


class Hint(NamedTuple):
    """Something that only some kinds of GPU fit.

    Attributes:
        told: What, in words.
        place: Where it stands.
        fits: Keys of the kinds that it fits.
    """

    told: str
    place: Place
    fits: frozenset[str]


def gpu_kind(deployment: Deployment, facts: Facts) -> tuple[Gpu, Sequence[Hint]]:
    """The kind of GPU, and the hints that it follows from where no label of it says so.

    Raises:
        InputError: Several kinds fit, or none.
    """
    told = next((worker.gpu for worker in deployment.workers if worker.gpu), None)
    if told is not None:
        return told, ()
    hints = [hint for worker in deployment.workers for hint in _hints(worker, facts)]
    fitting = [gpu for gpu in facts.gpus.values() if all(gpu.key in h.fits for h in hints)]
    if len(fitting) == 1:
        return fitting[0], hints
    raise InputError(
        "nothing in the source tells the kind of GPU; give --gpu "
        + " or ".join(gpu.key for gpu in fitting or facts.gpus.values()),
        deployment.workers[0].place,
    )


def _hints(worker: Worker, facts: Facts) -> Iterator[Hint]:
    gpus = facts.gpus.values()
    for asked in worker.pod.nodes if worker.pod else ():
        if not asked.required or asked.operator != "In":
            continue
        said = f"node label {asked.key} {', '.join(asked.values)}"
        if asked.key == ARCHITECTURE:
            fits = {gpu.key for gpu in gpus if gpu.architecture in asked.values}
            yield Hint(said, asked.place, frozenset(fits))
        elif named := {gpu.key for gpu in gpus if names_gpu(gpu.key, asked.values)}:
            yield Hint(said, asked.place, frozenset(named))
    image = worker.pod.image
    words = WORD.findall(tag_of(image.value).lower()) if image else []
    built = {ARCHITECTURES[word] for word in words if word in ARCHITECTURES}
    if image and built:
        fits = {gpu.key for gpu in gpus if gpu.architecture in built}
        yield Hint(f"image {image.value}", image.place, frozenset(fits))
    yield from _of_kernels(worker, facts)
    counted = worker.gpus_per_pod
    if counted:
        fits = {gpu.key for gpu in gpus if counted.value <= gpu.per_node}
        yield Hint(f"{counted.value} GPUs of one node", counted.place, frozenset(fits))


def names_gpu(key: str, values: Sequence[str]) -> bool:
    """Whether each value of a label names a kind of GPU, as ``nvidia-h100-mega-80gb`` does."""
    return all(key in WORD.findall(value.lower()) for value in values)


def _of_kernels(worker: Worker, facts: Facts) -> Iterator[Hint]:
    """The kinds that have kernels for a quantisation that is asked for."""
    known, variable = moe_kernels(), worker.pod.environment.get(QUANTIZATION)
    algorithm = variable.value.upper() if variable and variable.value else ""
    if variable is None or algorithm not in known.activations:
        return
    fits = set()
    for gpu in facts.gpus.values():
        generation = known.generation(gpu)
        runs = (backend.runs for backend in known.backends.values())
        if generation and any(algorithm in each.get(generation.name, ()) for each in runs):
            fits.add(gpu.key)
    yield Hint(f"{QUANTIZATION} {algorithm}", variable.place, frozenset(fits))
