"""What both kinds of serving are described by, and what both wait for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gptoss.planning.prediction import Bottleneck

# Milliseconds of a first token that no GPU spends: HTTP, tokenizer, scheduler. Measured with few
# clients; Hopper's measurements are of an older TensorRT-LLM.
HOST = {"h100": 65.0, "h200": 65.0}
HOST_OF_OTHERS = 30.0
# A station that is busy for more than this share of the time holds its system up.
BUSY = 0.9
# More places are worth naming when half as many again bring so much more throughput.
WORTH = 1.05


class Steady(NamedTuple):
    """As in ``Prediction``."""

    rate: float
    decoding: float
    prefilling: float
    queued: float
    ttft: float
    wait: float
    itl: float
    bottleneck: Bottleneck


def host(gpu: str) -> float:
    """Milliseconds of a first token that no GPU spends."""
    return HOST.get(gpu, HOST_OF_OTHERS)


def waiting(busy: float, servers: float) -> float:
    """How long one waits for one of several servers, in times of service that do not vary.

    Half of Sakasegawa's approximation for M/M/c, as for constant service; infinite at full use.
    """
    if busy >= 1:
        return math.inf
    many = max(1.0, servers)
    power = math.sqrt(2 * (many + 1)) - 1
    return float(busy**power / (2 * many * (1 - busy)))
