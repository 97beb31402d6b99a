"""What is known about putting arguments together, by version of TensorRT-LLM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gptoss.facts.versions import trtllm_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def period_of(version: str, periods: Iterable[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The first period that a version lies in, from ``since`` to ``until``; {} where none is."""
    number = trtllm_number(version)
    for period in periods if number else ():
        since, until = (trtllm_number(period.get(end, "")) for end in ("since", "until"))
        if (not since or number >= since) and (not until or number <= until):
            return period
    return {}
