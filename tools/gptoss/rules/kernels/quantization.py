"""Does the quantisation override do what its author thinks?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.facts.moe_kernels import moe_kernels
from gptoss.rules.fixes import remove_variable
from gptoss.rules.kernels.matrix import (
    OVERRIDE,
    default_algorithm,
    override_of,
)
from gptoss.rules.rule import Need, Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Worker

# The key under quantization in the chart's values that sets the variable on every worker.
VALUES_KEY = "override"


@rule(
    "M003",
    "quantization-override-ignored",
    Severity.WARNING,
    of=WORKERS,
)
def quantization_override_ignored(worker: Worker) -> Iterator[Said]:
    """``OVERRIDE_QUANT_ALGO`` has a value that the engine does not know.

    It logs "Unsupported quant algo" once, among thousands of lines, and goes on with its default.
    """
    override = override_of(worker)
    known = moe_kernels().activations
    if override and override[1] not in known:
        yield Said(
            override[0],
            f"{OVERRIDE}={override[0].value} is not known and ignored",
            f"use one of {', '.join(known)}, or remove it",
        )


@rule(
    "M004",
    "quantization-override-redundant",
    Severity.INFO,
    of=WORKERS,
    fixable=True,
    needs=(Need.ENGINE,),
)
def quantization_override_redundant(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """``OVERRIDE_QUANT_ALGO`` asks for what the engine picks by itself.

    On Blackwell W4A8_MXFP4_MXFP8 is the default (W4A8_MXFP4_FP8 with TRITON), on Hopper
    W4A16_MXFP4. The override changes nothing there, and pins a choice that breaks elsewhere: the
    W4A8 kernels do not exist on Hopper.
    """
    override, why = override_of(worker), _redundant(worker)
    if override is None or why is None:
        return
    others = [w for w in deployment.workers if not _redundant(w)]
    needed = {found[0].place for w in others if (found := override_of(w))}
    place = override[0].place
    fix = remove_variable(place, OVERRIDE, values_key=VALUES_KEY)
    yield Said(
        override[0],
        f"{OVERRIDE}={override[1]} {why}",
        f"remove {OVERRIDE}",
        fix=None if place in needed else fix,
    )


def _redundant(worker: Worker) -> str | None:
    """Why a worker's override changes nothing; None when it does, or there is none."""
    override = override_of(worker) if worker.engine_known else None
    if override and worker.gpu and default_algorithm(worker) == override[1]:
        return f"is what the engine picks on {worker.gpu.name} anyway"
    if override and worker.gpu is None and override[1] == "W4A8_MXFP4_MXFP8":
        return "is the default on Blackwell and has no kernels on Hopper"
    return None
