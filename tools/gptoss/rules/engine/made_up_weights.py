"""Does the engine load the weights of the model?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.rule import Need, Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Worker

LOAD_FORMAT, DUMMY = "load_format", "dummy"


@rule(
    "E200",
    "weights-made-up",
    Severity.WARNING,
    of=WORKERS,
    needs=(Need.ENGINE,),
)
def weights_made_up(worker: Worker) -> Iterator[Said]:
    """The engine makes up its weights.

    With load_format dummy nothing is loaded and every answer is nonsense, at full speed. It is for
    trying sizes out, and easily left over from that.
    """
    if (worker.engine.text(LOAD_FORMAT) or "").lower() == DUMMY:
        yield Said(
            worker.engine[LOAD_FORMAT], f"{LOAD_FORMAT} {DUMMY} makes the weights up", "remove it"
        )
