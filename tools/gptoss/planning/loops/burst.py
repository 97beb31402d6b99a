"""What a benchmark measures that starts all of its clients at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.planning.loops.split_loop import PREFILL_SLOWER
from gptoss.planning.steps.curves import Curves

if TYPE_CHECKING:
    from gptoss.planning.prediction import Prediction
    from gptoss.planning.steps.step_times import Times


def ttft_of_run(prediction: Prediction, requests: float, times: Times) -> float:
    """The mean TTFT of a benchmark, in milliseconds.

    Its first requests, one of each client, come at once and wait for each other's prompts; the
    others find the system as it is in the long run.

    Args:
        prediction: What the system does in the long run.
        requests: Requests that each client sends one after the other.
        times: Step times.

    Raises:
        InputError: There are no times for a layout.
    """
    first = 1 / max(1.0, requests)
    alone = prediction.ttft - prediction.wait
    return first * (alone + _wait_at_start(prediction, times)) + (1 - first) * prediction.ttft


def _wait_at_start(prediction: Prediction, times: Times) -> float:
    """Milliseconds that a request waits on average for those that came with it."""
    system, load = prediction.system, prediction.load
    engine = system.prefill or system.decode
    curves = Curves(times.of(engine.layout), load)
    each = max(1.0, load.clients / engine.ranks)
    prompts = max(1, min(engine.max_num_tokens // load.isl, engine.max_batch_size, int(each)))
    passes = each * max(1.0, load.isl / engine.max_num_tokens) / prompts
    alone = curves.prefill(prompts)
    if system.prefill:
        return (passes - 1) / 2 * alone * PREFILL_SLOWER
    # Answers join from pass to pass, so that the last ones take longer than the first.
    last = curves.mixed(min(prompts, engine.max_num_tokens / load.isl), each)
    return (passes - 1) * (alone / 2 + max(0.0, last - alone) / 6)
