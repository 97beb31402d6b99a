"""From a deployment to a values file, with a report of what was not carried over as it stands."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.deployment.model import Runtime
from gptoss.facts import folders
from gptoss.importing import whole
from gptoss.importing.benchmark import benchmark_block
from gptoss.importing.context import Context
from gptoss.importing.document import WIDTH, Block, Leaf, count, written
from gptoss.importing.shutdown_values import shutdown_block
from gptoss.importing.traffic import workload
from gptoss.importing.workers import (
    frontend_block,
    named_workers,
    quantization_block,
    worker_block,
)
from gptoss.sources.truss.build import KIND as TRUSS_KEY
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from gptoss.deployment.model import Deployment
    from gptoss.facts.world import Facts, Gpu
    from gptoss.importing.context import Note

ARCHITECTURE = "kubernetes.io/arch"


@dataclass(frozen=True, slots=True)
class Imported:
    """A values file.

    Attributes:
        values: Its settings.
        text: Its text.
        notes: What was not carried over as it stands.
    """

    values: Block
    text: str
    notes: tuple[Note, ...]

    @property
    def settings(self) -> int:
        """How many settings it has."""
        return count(self.values)


def convert(
    deployment: Deployment,
    facts: Facts,
    gpu: str | None = None,
    name: str | None = None,
    release: str | None = None,
    file: str = "values.yaml",
    folder: Path | None = None,
) -> Imported:
    """The values file of a deployment.

    Args:
        deployment: What was read.
        facts: Facts.
        gpu: Kind of GPU, where the source does not tell it.
        name: Name for the Helm release; the deployment's unless given.
        release: Release to write it for; the source's unless given.
        file: What the file will be called.
        folder: Where the file will be written; None when that is not known.

    Raises:
        InputError: Nothing tells the kind of GPU, or there is no worker to import.
    """
    if not deployment.workers:
        raise InputError(
            f"{deployment.source} has no worker that runs TensorRT-LLM; give the deployment itself",
            deployment.place,
        )
    chosen = facts.release(release) if release else deployment.release or facts.default_release
    mount = whole.cache_mount(deployment)
    options = {"--release": release, "--gpu": gpu}
    context = Context(
        deployment,
        facts,
        chosen,
        _gpu(deployment, facts, gpu),
        frozenset(option for option, value in options.items() if value),
        mount.claim if mount else None,
    )
    values = _values(context)
    for problem in deployment.problems:
        if problem.kind == TRUSS_KEY:
            context.left_out(problem.message, problem.place)
    for other in deployment.others:
        told = f"{other.name}: the chart has no component of this kind"
        context.left_out(told, other.place)
    header = folders.values_schema_line(folder) + _header(name or deployment.name, deployment, file)
    return Imported(values, header + written(values), tuple(context.notes))


def _values(context: Context) -> Block:
    deployment = context.deployment
    quantization = quantization_block(context)
    values: Block = {
        "description": Leaf(f"Imported from {deployment.source}"),
        "runtime": whole.runtime(context),
        "model": whole.model(context),
        "hardware": whole.hardware(context),
        "workload": workload(context),
        "workers": {
            name: worker_block(worker, bool(quantization), context)
            for name, worker in named_workers(context)
        },
        "quantization": quantization,
    }
    if deployment.frontend and deployment.runtime is Runtime.DYNAMO:
        values["frontend"] = frontend_block(deployment.frontend, context)
    values["shutdown"] = shutdown_block(context)
    values["modelCache"] = whole.storage(context)
    values["benchmark"] = benchmark_block(context)
    if secrets := whole.pull_secrets(context):
        values["imagePullSecrets"] = secrets
    values["annotations"] = whole.graph_annotations(context)
    return values


def _gpu(deployment: Deployment, facts: Facts, asked: str | None) -> Gpu:
    """The kind of GPU: as asked for, as a node label says, or the only one with such CPUs."""
    if asked is not None:
        return facts.gpu(asked)
    told = next((worker.gpu for worker in deployment.workers if worker.gpu), None)
    if told is not None:
        return told
    architectures = {
        value
        for worker in deployment.workers
        for asked_of_node in worker.pod.nodes
        if asked_of_node.key == ARCHITECTURE and asked_of_node.required
        for value in asked_of_node.values
    }
    fitting = [gpu for gpu in facts.gpus.values() if {gpu.architecture} == architectures]
    if len(fitting) == 1:
        return fitting[0]
    raise InputError(
        "nothing in the source tells the kind of GPU; give --gpu "
        + " or ".join(gpu.key for gpu in fitting or facts.gpus.values()),
        deployment.workers[0].place,
    )


def _header(name: str, deployment: Deployment, file: str) -> str:
    told = (
        f"{name}, imported from {deployment.source}. The comment at a setting says where it stood "
        "there; a setting without one was chosen, or is as the chart has it."
    )
    lines = textwrap.wrap(told, WIDTH - 2, break_long_words=False, break_on_hyphens=False)
    return (
        "".join(f"# {line}\n" for line in lines) + "#\n"
        f"#   helm install {name} charts/gpt-oss -f {file}\n"
    )
