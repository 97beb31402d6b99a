"""From a deployment to a values file, with a report of what was not carried over as it stands."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gptoss.deployment.model import Runtime
from gptoss.facts import folders
from gptoss.importing import whole
from gptoss.importing.benchmark import benchmark_block
from gptoss.importing.context import Context
from gptoss.importing.document import WIDTH, Block, Leaf, count, take_secrets, written
from gptoss.importing.gpu_kind import gpu_kind
from gptoss.importing.left_behind import note_left_behind
from gptoss.importing.refused_texts import take_refused
from gptoss.importing.scaled_values import shared_block
from gptoss.importing.shutdown_values import shutdown_block
from gptoss.importing.storage import cache_mount, storage
from gptoss.importing.traffic import workload
from gptoss.importing.ways_values import ways_blocks
from gptoss.importing.workers import (
    frontend_block,
    named_workers,
    quantization_block,
    worker_block,
)
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from gptoss.deployment.model import Deployment
    from gptoss.facts.world import Facts, Release
    from gptoss.importing.context import Note

MOST_LETTERS = 53


@dataclass(frozen=True, slots=True)
class Imported:
    """A values file.

    Attributes:
        values: Its settings.
        text: Its text.
        notes: What was not carried over as it stands.
        name: Name for the Helm release.
    """

    values: Block
    text: str
    notes: tuple[Note, ...]
    name: str

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
    if deployment.runtime is Runtime.SERVE and deployment.is_disaggregated:
        deployment = replace(deployment, runtime=Runtime.DYNAMO)
    chosen = facts.deployable(release) if release else _release(deployment, facts)
    mount = cache_mount(deployment)
    options = {"--release": release, "--gpu": gpu}
    kind, hints = (facts.gpu(gpu), ()) if gpu else gpu_kind(deployment, facts)
    context = Context(
        deployment,
        facts,
        chosen,
        kind,
        frozenset(option for option, value in options.items() if value),
        mount.claim if mount else None,
        mount.source if mount else "",
    )
    if hints:
        told = ", ".join(dict.fromkeys(hint.told for hint in hints))
        context.chosen(f"hardware.gpu {kind.key}, the only kind that fits {told}", hints[0].place)
    values = _values(context)
    note_left_behind(context)
    for path, leaf in take_secrets(values):
        context.left_out(f"{path} holds a secret; put it into a Secret ({leaf.comment})")
    for path, leaf in take_refused(values):
        context.left_out(f"{path} {leaf.value!r}: the chart takes no such text ({leaf.comment})")
    called = helm_name(name or deployment.name)
    if called != (name or deployment.name):
        told = f"the name {called}, for Helm and Kubernetes refuse {name or deployment.name}"
        context.chosen(told, deployment.place)
    header = folders.values_schema_line(folder) + _header(called, deployment, file)
    return Imported(values, header + written(values), tuple(context.notes), called)


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
    values["autoscaling"] = shared_block(context)
    values["modelCache"] = storage(context)
    values["benchmark"] = benchmark_block(context)
    values |= ways_blocks(context)
    if secrets := whole.pull_secrets(context):
        values["imagePullSecrets"] = secrets
    values["annotations"] = whole.graph_annotations(context)
    return values


def _release(deployment: Deployment, facts: Facts) -> Release:
    """The source's own release where the chart deploys it, or what stands for it."""
    own = deployment.release
    if own is None or own.version in facts.releases:
        return facts.releases[own.version] if own else facts.default_release
    newest = list(facts.releases.values())[-1]
    return newest if own.number > newest.number else facts.default_release


def helm_name(name: str) -> str:
    """A name that Helm takes for a release, as like another one as can be."""
    letters = re.sub(r"[^a-z0-9]+", "-", name.lower())[:MOST_LETTERS].strip("-")
    return letters or "gpt-oss"


def _header(name: str, deployment: Deployment, file: str) -> str:
    told = (
        f"{name}, imported from {deployment.source}. The comment at a setting says where it stood "
        "there; a setting without one was chosen, or is as the chart has it."
    )
    lines = textwrap.wrap(told, WIDTH - 2, break_long_words=False, break_on_hyphens=False)
    return (
        "".join(f"# {line}\n" for line in lines) + "#\n"
        f"#   helm install {name} charts/gpt-oss{_namespace(deployment)} -f {file}\n"
    )


def _namespace(deployment: Deployment) -> str:
    return f" -n {deployment.namespace.value}" if deployment.namespace else ""
