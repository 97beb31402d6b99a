"""Does the quantisation override do what its author thinks?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.facts.moe_kernels import moe_kernels
from gptoss.rules.kernels.matrix import OVERRIDE, override_of
from gptoss.rules.rule import Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Worker


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
