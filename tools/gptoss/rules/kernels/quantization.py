"""Does the quantisation override do what its author thinks?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.fixes import remove_variable
from gptoss.rules.kernels.matrix import (
    ALGORITHMS,
    OVERRIDE,
    RESOLVER,
    default_algorithm,
    override_of,
)
from gptoss.rules.rule import Need, Said, Severity, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Worker
    from gptoss.facts.world import Facts

# The key under quantization in the chart's values that sets the variable on every worker.
VALUES_KEY = "override"


@rule(
    "M003",
    "quantization-override-ignored",
    Severity.WARNING,
    source=f"{RESOLVER} override_quant_algo",
    bad="""
    # decode env
    OVERRIDE_QUANT_ALGO: W4A8_MXFP8
    """,
    good="""
    # decode env
    OVERRIDE_QUANT_ALGO: null
    """,
    near="""
    # decode env
    OVERRIDE_QUANT_ALGO: w4a8_mxfp4_fp8
    """,
)
def quantization_override_ignored(deployment: Deployment, _facts: Facts) -> Iterator[Said]:
    """``OVERRIDE_QUANT_ALGO`` has a value that the engine does not know.

    It logs "Unsupported quant algo" once, among thousands of lines, and goes on with its default.
    """
    for worker in deployment.workers:
        override = override_of(worker)
        if override and override[1] not in ALGORITHMS:
            yield Said(
                override[0],
                f"{worker.name}: {OVERRIDE}={override[0].value} is not known and ignored",
                f"use one of {', '.join(ALGORITHMS)}, or remove it",
            )


@rule(
    "M004",
    "quantization-override-redundant",
    Severity.INFO,
    fixable=True,
    source=f"{RESOLVER} get_mxfp4_quant_algo",
    bad="""
    # decode env
    OVERRIDE_QUANT_ALGO: W4A8_MXFP4_MXFP8
    """,
    good="""
    # decode env
    OVERRIDE_QUANT_ALGO: null
    """,
    near="""
    # decode env
    OVERRIDE_QUANT_ALGO: W4A8_MXFP4_FP8
    """,
    needs=(Need.ENGINE,),
)
def quantization_override_redundant(deployment: Deployment, _facts: Facts) -> Iterator[Said]:
    """``OVERRIDE_QUANT_ALGO`` asks for what the engine picks by itself.

    On Blackwell W4A8_MXFP4_MXFP8 is the default (W4A8_MXFP4_FP8 with TRITON), on Hopper
    W4A16_MXFP4. The override changes nothing there, and pins a choice that breaks elsewhere: the
    W4A8 kernels do not exist on Hopper.
    """
    redundant = {w.name: why for w in deployment.workers if (why := _redundant(w))}
    needed = {
        override[0].place
        for worker in deployment.workers
        if worker.name not in redundant and (override := override_of(worker))
    }
    for worker in deployment.workers:
        override = override_of(worker)
        if override is None or worker.name not in redundant:
            continue
        place = override[0].place
        fix = remove_variable(place, OVERRIDE, values_key=VALUES_KEY)
        yield Said(
            override[0],
            f"{worker.name}: {OVERRIDE}={override[1]} {redundant[worker.name]}",
            f"remove {OVERRIDE}",
            fix=None if place in needed else fix,
        )


def _redundant(worker: Worker) -> str | None:
    """Why a worker's override changes nothing; None when it does, or there is none."""
    override = override_of(worker)
    if override and worker.gpu and default_algorithm(worker) == override[1]:
        return f"is what the engine picks on {worker.gpu.name} anyway"
    if override and worker.gpu is None and override[1] == "W4A8_MXFP4_MXFP8":
        return "is the default on Blackwell and has no kernels on Hopper"
    return None
