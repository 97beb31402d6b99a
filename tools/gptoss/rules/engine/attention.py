"""Does the attention backend have what the model's attention needs?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.rule import Need, Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Worker
    from gptoss.facts.world import Model

WITH_SINKS = "TRTLLM"


@rule(
    "E040",
    "attention-backend-without-sinks",
    Severity.ERROR,
    of=WORKERS,
    needs=(Need.ENGINE, Need.MODEL),
)
def attention_backend_without_sinks(worker: Worker, model: Model) -> Iterator[Said]:
    """The attention backend has no attention sinks, which the model needs.

    Every attention layer of gpt-oss has sinks. Only TRTLLM computes them; with any other backend
    the worker stops at its first forward pass, while it starts.
    """
    backend = worker.engine["attn_backend"]
    name = worker.engine.text("attn_backend")
    if name is not None and name.upper() != WITH_SINKS:
        yield Said(
            backend,
            f"attn_backend {name} has no attention sinks, so {model.id} does not start",
            f"write attn_backend: {WITH_SINKS}, or remove it",
        )
