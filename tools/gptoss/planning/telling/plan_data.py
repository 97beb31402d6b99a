"""What ``gptoss plan --format json`` says of predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gptoss.memory.memory_data import memory_data
from gptoss.planning.calibrating.calibration_text import calibration_data
from gptoss.planning.costs.plan_cost import cost_data

if TYPE_CHECKING:
    from gptoss.planning.layouts import Engine, System
    from gptoss.planning.prediction import Prediction
    from gptoss.planning.telling.planned import Planned


def planned_data(each: Planned) -> dict[str, Any]:
    """A deployment with its predictions."""
    first = next(iter(each.predictions), None)
    return {
        "source": each.deployment.source,
        "memory": memory_data(each.deployment, each.asked.isl, each.asked.osl),
        "system": system_data(first.system) if first else None,
        "speed": [prediction_data(one) | _cost(one, each) for one in each.predictions],
        "not_predicted": each.why_not or None,
        "calibration": calibration_data(each),
        "searched": dict(zip(("predicted", "systems"), each.searched, strict=True)),
        "front": [_point(prediction, each) for prediction in each.front],
        "neighbours": [
            {
                "kind": str(near.kind),
                "changes": list(near.changes),
                "brings": list(near.brings),
                "costs": list(near.costs),
                **_point(near.prediction, each),
            }
            for near in each.neighbours
        ],
    }


def _point(prediction: Prediction, each: Planned) -> dict[str, Any]:
    """A system that the same GPUs could be."""
    speed = prediction_data(prediction) | _cost(prediction, each)
    return {"system": system_data(prediction.system), "speed": speed}


def _cost(prediction: Prediction, each: Planned) -> dict[str, Any]:
    """What it costs, where somebody says what GPUs cost."""
    prices = each.asked.prices
    return {"cost": cost_data(prediction, prices)} if prices else {}


def prediction_data(prediction: Prediction) -> dict[str, Any]:
    """A prediction; times in milliseconds, rates a second."""
    return {
        "clients": prediction.load.clients,
        "isl": prediction.load.isl,
        "osl": prediction.load.osl,
        "tokens_per_second_per_gpu": _rounded(prediction.per_gpu),
        "tokens_per_second_per_user": _rounded(prediction.per_user),
        "tokens_per_second": _rounded(prediction.tokens_per_second),
        "requests_per_second": _rounded(prediction.rate),
        "ttft_ms": _rounded(prediction.ttft),
        "ttft_waiting_ms": _rounded(prediction.wait),
        "itl_ms": _rounded(prediction.itl),
        "decoding": _rounded(prediction.decoding),
        "prefilling": _rounded(prediction.prefilling),
        "queued": _rounded(prediction.queued),
        "bottleneck": str(prediction.bottleneck),
        "believed": prediction.judged.belief.told,
        "reasons": list(prediction.judged.reasons),
    }


def system_data(system: System) -> dict[str, Any]:
    """The engines of a system."""
    return {
        "gpus": system.gpus,
        "unused_gpus": system.unused,
        "tensorrt_llm": system.trtllm,
        "prefill": _engine_data(system.prefill) if system.prefill else None,
        "decode": _engine_data(system.decode),
    }


def _engine_data(engine: Engine) -> dict[str, Any]:
    layout = engine.layout
    return {
        "gpu": layout.gpu,
        "replicas": engine.replicas,
        "gpus_per_replica": layout.gpus,
        "attention_dp": layout.attention_dp,
        "moe_expert_parallel_size": layout.moe_ep,
        "kv_cache_type": str(layout.kv),
        "kv_cache_tokens": engine.kv_tokens,
        "max_batch_size": engine.max_batch_size,
        "max_num_tokens": engine.max_num_tokens,
        "chunked_prefill": engine.chunked_prefill,
        "moe_backend": engine.moe_backend,
    }


def _rounded(number: float) -> float:
    """Four digits that count: more would promise what nobody can know."""
    return float(f"{number:.4g}")
