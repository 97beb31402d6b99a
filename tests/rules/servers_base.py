"""A clean configuration of trtllm-serve disaggregated that the examples are laid over."""

from __future__ import annotations

from typing import Any

from tests.rules import base


def servers() -> dict[str, Any]:
    """One prefill and one decode server, with the engine YAML of each."""
    engines = base.engines(disaggregated=True)
    return {
        "hostname": "localhost",
        "port": 8000,
        "model": base.MODEL,
        "context_servers": {
            "num_instances": 1,
            "urls": ["localhost:8001"],
            **_apart(engines["prefill"]),
        },
        "generation_servers": {
            "num_instances": 1,
            "urls": ["localhost:8002"],
            **_apart(engines["decode"]),
        },
    }


def _apart(engine: dict[str, Any]) -> dict[str, Any]:
    """An engine YAML without the batch size, which the examples write."""
    return {key: value for key, value in engine.items() if key != "max_batch_size"}
