"""What a system does in the middle of a long benchmark, in closed form.

Clients spread evenly over replicas and ranks, and requests over the phases of an answer. The
schedule is TensorRT-LLM's: every iteration gives each running answer a token and computes prompts
beside them, as many as ``max_num_tokens`` leaves room for; a request starts when the batch has a
place and the KV cache has room for the whole of it (its GUARANTEED_NO_EVICT, the default).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.planning.loops import aggregated_loop, split_loop
from gptoss.planning.loops.believing import judged
from gptoss.planning.prediction import Prediction

if TYPE_CHECKING:
    from gptoss.planning.layouts import Load, System
    from gptoss.planning.steps.step_times import Times


def predict(system: System, load: Load, times: Times) -> Prediction:
    """What a system does under a load.

    Raises:
        InputError: A request does not fit, or there are no times for a layout.
    """
    of = split_loop.steady if system.prefill else aggregated_loop.steady
    steady = of(system, load, times)
    return Prediction(system, load, *steady, judged=judged(system, load, steady.decoding))
