"""The result of TensorRT-LLM's ``benchmark_serving --save-result``.

Its fields are those that ``benchmark`` and ``main`` of tensorrt_llm/serve/scripts/
benchmark_serving.py write (NVIDIA/TensorRT-LLM at 0228a71); lists only with ``--save-detailed``.
Three of its words mean something else in aiperf:

* its ITL is the gap between chunks, which aiperf calls ICL; its TPOT is the mean gap of a request,
  which aiperf calls ITL;
* its user throughput is an answer's tokens by its whole latency, prefill included, which aiperf
  calls E2E output token throughput; aiperf's throughput per user, the mean of 1 / TPOT, it has not,
  and 1 / its mean TPOT stands in for it;
* goodput stands under ``request_goodput:``, with the colon.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from gptoss.benchmarking.plans import json_object
from gptoss.benchmarking.runs import Latency, Point
from gptoss.benchmarking.statistics import percentile
from gptoss.text.secrets import without_secrets

if TYPE_CHECKING:
    from pathlib import Path

ENDPOINTS = {"openai": "completions", "openai-chat": "chat"}
OWN_KEYS = {"backend", "model_id", "num_prompts", "request_throughput", "max_concurrency"}


def is_result(path: Path) -> bool:
    """Whether a file is such a result; one that was cut off is told by its first words.

    Raises:
        InputError: It looks like one, and is no whole JSON.
    """
    with path.open("rb") as file:
        begin = file.read(400)
    if b'"backend"' not in begin or b'"model_id"' not in begin:
        return False
    return set(json_object(path)) >= OWN_KEYS


def read_result(path: Path) -> Point:
    """What a result says.

    Raises:
        InputError: It is no whole JSON.
    """
    content = json_object(path)
    completed = int(_number(content, "completed") or 0)
    prompts = int(_number(content, "num_prompts") or completed)
    tpot = _number(content, "mean_tpot_ms")
    return Point(
        folder=path.parent,
        tool="benchmark_serving",
        model=str(content.get("model_id")),
        endpoint=str(content.get("backend")),
        concurrency=_concurrency(content),
        effective_concurrency=_effective_concurrency(content, completed),
        requests=completed,
        errors=max(0, prompts - completed),
        duration=_number(content, "duration"),
        requests_per_second=_number(content, "request_throughput"),
        tokens_per_second=_number(content, "output_throughput"),
        total_tokens_per_second=_number(content, "total_token_throughput"),
        tokens_per_second_per_user=1000 / tpot if tpot else None,
        tokens_per_second_per_request=_number(content, "user_throughput"),
        goodput=_number(content, "request_goodput:"),
        ttft=_latency(content, "ttft", "ttfts"),
        itl=_latency(content, "tpot"),
        icl=_latency(content, "itl"),
        e2el=_latency(content, "e2el", "e2els"),
        isl_client=_mean(content, "total_input_tokens", completed),
        osl=_mean(content, "total_output_tokens", completed),
        causes=_causes(content, prompts - completed),
        started=str(content.get("date") or "") or None,
        sent_as={"endpoint": ENDPOINTS.get(str(content.get("backend")), "another")},
    )


def _number(content: dict[str, Any], key: str) -> float | None:
    value = content.get(key)
    return float(value) if isinstance(value, int | float) else None


def _mean(content: dict[str, Any], key: str, count: int) -> float | None:
    total = _number(content, key)
    return total / count if total is not None and count else None


def _concurrency(content: dict[str, Any]) -> int | None:
    value = content.get("max_concurrency")
    return value if isinstance(value, int) else None


def _latency(content: dict[str, Any], metric: str, detailed: str = "") -> Latency:
    """Mean and percentiles as given; those not asked for come from the detailed list."""
    values = content.get(detailed)
    listed = [1000 * v for v in values if v] if isinstance(values, list) else []
    mean = _number(content, f"mean_{metric}_ms")
    if mean is None and listed:
        mean = sum(listed) / len(listed)
    given = (f"median_{metric}_ms", f"p90_{metric}_ms", f"p99_{metric}_ms")
    found = [_number(content, key) for key in given]
    return Latency(
        mean,
        *(
            percentile(listed, percent) if value is None else value
            for value, percent in zip(found, (50, 90, 99), strict=True)
        ),
    )


def _effective_concurrency(content: dict[str, Any], completed: int) -> float | None:
    """Requests in flight on the mean by Little's law, where latencies are given."""
    latency, duration = _number(content, "mean_e2el_ms"), _number(content, "duration")
    listed = content.get("e2els")
    if latency is None and isinstance(listed, list) and listed and completed:
        latency = 1000 * sum(listed) / completed
    return latency / 1000 * completed / duration if latency and duration else None


def _causes(content: dict[str, Any], failed: int) -> dict[str, int]:
    """Failed requests by the last line of their error."""
    errors = content.get("errors")
    if not isinstance(errors, list):
        return {"not recorded; run with --save-detailed": failed} if failed > 0 else {}
    last = (str(error).strip().splitlines()[-1:] for error in errors if error)
    return dict(Counter(without_secrets(line[0])[:200] for line in last if line).most_common())
