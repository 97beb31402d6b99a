"""``schema/speed.yaml`` as text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gptoss.facts.speeds import layout_key
from speed.fit import fitted, worst_error
from speed.grid import decode_samples, layouts, prefill_samples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.planning.layouts import Layout
    from gptoss.planning.steps.step_times import Times

HEAD = """\
# How long iterations of an engine take, in closed form: what rules of the family T reckon with.
# Written by `make speed`. Do not edit.
#
# speeds     by GPU, layout (TP4, or DEP4 with attention data parallelism) and type of the KV cache
#   decode   milliseconds of one iteration a unit of each term of decode_terms (facts/speeds.py):
#            the iteration, experts read, sequences, their tokens of KV cache, the root of the
#            sequences, larger tiles of the experts' kernels
#   prefill  the same of prefill_terms: the iteration, the root of the tokens, tokens, tokens times
#            length of a prompt, larger tiles
#   worst    the furthest that either is off the library where it has measured data near by
#
# Experts are spread over all GPUs of a layout. H100 is not here: what was measured on it
# contradicts the library by two to four times.
source: aiconfigurator-core 0.12.0, systems gb200, b200_sxm and h200_sxm, TensorRT-LLM 1.3.0rc20;
  experts as W4A8_MXFP4_MXFP8 on Blackwell and W4A16_MXFP4 on Hopper
model: openai/gpt-oss-120b
speeds:
"""


def written(times: Times) -> str:
    """The file's text."""
    return HEAD + "".join(entry(layout, times) for layout in layouts())


def entry(layout: Layout, times: Times) -> str:
    """A layout's part of it."""
    name = layout_key(layout.gpu, layout.gpus, str(layout.kv), attention_dp=layout.attention_dp)
    asked = times.of(layout)
    kinds = {"decode": decode_samples(layout, asked), "prefill": prefill_samples(layout, asked)}
    found = {kind: fitted(samples) for kind, samples in kinds.items()}
    worst = max(worst_error(found[kind], samples) for kind, samples in kinds.items())
    lines = [f"    {kind}: {_listed(each)}\n" for kind, each in found.items()]
    return f"  {name}:\n{''.join(lines)}    worst: {worst:.3f}\n"


def _listed(coefficients: Sequence[float]) -> str:
    return json.dumps(coefficients)
