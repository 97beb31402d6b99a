"""Answers how long iterations take; runs in the environment of aiconfigurator-core, not in ours.

Reads lines of JSON from standard input, ``{"layout": {...}, "steps": [[kind, number, ...], ...]}``,
and answers each with a line, ``{"ms": [...]}`` or ``{"error": "..."}``.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from functools import cache
from pathlib import Path
from typing import Any

import aiconfigurator_core as core  # type: ignore[import-not-found, unused-ignore]

MODEL = "openai/gpt-oss-120b"
VERSION = "1.3.0rc20"
SYSTEMS = Path(core.__file__).parent / "systems"


@cache
def engine(system: str, tp: int, dp: int, moe_ep: int, moe: str, kv: str) -> Any:
    """The compiled engine of a layout."""
    name = f"{system}-tp{tp}-dp{dp}-ep{moe_ep}-{moe}-{kv}.spec"
    kept = Path(sys.argv[1]) / name
    if not kept.is_file():
        made = compiled(system, tp, dp, moe_ep, moe, kv)
        whole = kept.with_suffix(f".{os.getpid()}")
        whole.write_bytes(made)
        whole.replace(kept)
    return core.AicEngine.from_spec(kept.read_bytes(), str(SYSTEMS))


def compiled(system: str, tp: int, dp: int, moe_ep: int, moe: str, kv: str) -> bytes:
    """A layout's operations; the library's Python part takes over a second to import."""
    # It warns that it knows no order of attention kernels for TensorRT-LLM, and needs none.
    logging.disable(logging.WARNING)
    from aiconfigurator_core.sdk.engine import (  # type: ignore[import-not-found, unused-ignore]
        compile_engine,
    )

    made: bytes = compile_engine(
        MODEL,
        system,
        "trtllm",
        VERSION,
        tp_size=tp,
        attention_dp_size=dp,
        moe_tp_size=tp * dp // moe_ep,
        moe_ep_size=moe_ep,
        kvcache_quant_mode=kv,
        moe_quant_mode=moe,
    )
    return made


def milliseconds(of: Any, kind: str, *numbers: int) -> float:
    """How long a step takes; see ``gptoss.planning.steps.step_times.StepTimes``."""
    if kind == "prefill":
        return float(of.predict_prefill_latency(*numbers, 0))
    if kind == "decode":
        batch, length = numbers
        return float(of.decode_step_latency(batch, length, 0, 1.0))
    tokens, isl, batch, osl = numbers
    return float(of.mixed_step_latency(tokens, batch, isl, osl, 0, 1.0, 1.0))


def answer(question: dict[str, Any]) -> dict[str, Any]:
    """What a line asks."""
    try:
        of = engine(**question["layout"])
        return {"ms": [milliseconds(of, *step) for step in question["steps"]]}
    except Exception as error:  # noqa: BLE001 (the library raises its own kinds; the caller tells)
        return {"error": f"{type(error).__name__}: {error}"}


def main() -> None:
    """Answers line by line until there is no more."""
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
