"""What a run of aiperf sent, from the configuration that its summary repeats (0.10 to 0.13)."""

from __future__ import annotations

from typing import Any

# What a request asks for beside its lengths: it changes how an answer is made.
ASKED = ("ignore_eos", "temperature", "top_p", "reasoning_effort")


def sent_as(config: dict[str, Any]) -> dict[str, str]:
    """What two runs must share to be compared, by what it is called; what is not known is left out.

    Args:
        config: ``input_config`` of the summary.
    """
    endpoint, prompts = (
        _map(config.get("endpoint")),
        _map(_first(config, "datasets").get("prompts")),
    )
    extra = _map(endpoint.get("extra"))
    found = {
        "endpoint": endpoint.get("type"),
        "streaming": endpoint.get("streaming"),
        "tokens counted by": _counted_by(endpoint),
        "spread of ISL": _map(prompts.get("isl")).get("stddev"),
        "spread of OSL": _map(prompts.get("osl")).get("stddev"),
        "prompts of": prompts.get("corpus"),
        "warm-up": _warm_up(config),
        **{name: extra.get(name, "unset") for name in ASKED if endpoint},
    }
    return {name: _said(value) for name, value in found.items() if value is not None}


def _counted_by(endpoint: dict[str, Any]) -> str | None:
    if not endpoint:
        return None
    return "the server" if endpoint.get("use_server_token_count") else "the client"


def _warm_up(config: dict[str, Any]) -> str | None:
    phases = config.get("phases")
    if not isinstance(phases, list):
        return None
    return "yes" if any(_map(each).get("exclude_from_results") for each in phases) else "none"


def _first(config: dict[str, Any], key: str) -> dict[str, Any]:
    listed = config.get(key)
    return _map(listed[0]) if isinstance(listed, list) and listed else {}


def _map(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _said(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, int | float) else str(value)
